import Access
import Bytes
import Crypto

/// Counts the uses of tickets in Redis. What it knows begins with an epoch: a name that a Redis without one, or another process of
/// Redis, gets anew. A ticket of an earlier epoch has no use left, since nobody knows how often it was used.
package enum TicketCounter {
    package enum Verdict: Sendable, Equatable {
        case counted, exhausted
        /// The counters began after the ticket was made.
        case forgotten
        case unavailable
    }

    /// Milliseconds that a counter stays after its ticket's end, since clocks differ.
    private static let margin: Int64 = 3_600_000

    static let text: StaticString = """
        if redis.call('GET', KEYS[2]) ~= ARGV[1] then return -1 end
        local count = redis.call('INCR', KEYS[1])
        if count == 1 then redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2])) end
        return count
        """

    package static func script() throws(CryptoError) -> RedisScript { try RedisScript(text) }

    /// - Parameter lifetime: seconds until the ticket ends.
    package static func call(
        _ script: RedisScript, _ names: ClusterNames, of ticket: [UInt8], _ uses: TicketUses, lifetime: Int64
    ) throws(CryptoError) -> RedisCommand {
        script.call(on: [try names.counter(of: ticket), names.name(.epoch)]).adding(uses.epoch)
            .adding(lifetime * 1000 + margin)
    }

    package static func read(_ reply: RedisReply, _ uses: TicketUses) -> Verdict {
        switch reply {
        case .integer(-1): .forgotten
        case .integer(let count) where count >= 1: count <= uses.count ? .counted : .exhausted
        default: .unavailable
        }
    }
}
