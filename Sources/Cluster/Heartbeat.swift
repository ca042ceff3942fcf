import Bytes
import Crypto

/// By which a replica says that it lives, and learns of the others.
package enum Heartbeat {
    /// Milliseconds from one to the next.
    package static let interval: Int64 = 250
    /// Milliseconds after which a replica counts no more.
    package static let memory: Int64 = 5_000

    /// A moment far ahead of Redis' clock is of an earlier clock, or of somebody else; it would count for ever.
    /// What a full Redis refuses is written first: it takes all that a script writes later, but no lease.
    static let text: StaticString = """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        redis.call('ZADD', KEYS[1], now, ARGV[1])
        for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))) do
            redis.call('HDEL', KEYS[5], gone)
        end
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
        redis.call('ZREMRANGEBYSCORE', KEYS[1], now + tonumber(ARGV[2]), '+inf')
        redis.call('HSET', KEYS[5], ARGV[1], ARGV[6])
        redis.call('PEXPIRE', KEYS[5], tonumber(ARGV[2]))
        redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]))
        local epoch = redis.call('GET', KEYS[3])
        if not epoch or string.sub(epoch, 1, #ARGV[3]) ~= ARGV[3] then
            epoch = ARGV[3] .. ARGV[4]
            redis.call('SET', KEYS[3], epoch)
        end
        redis.call('PEXPIRE', KEYS[3], 7776000000)
        if ARGV[5] ~= '' then
            local told = redis.call('HGET', KEYS[4], ARGV[1])
            local count = tonumber(string.match(ARGV[5], '^%d+'))
            if not told or (tonumber(string.match(told, '^%d+')) or 0) <= count then
                redis.call('HSET', KEYS[4], ARGV[1], ARGV[5])
            end
            redis.call('PEXPIRE', KEYS[4], 7776000000)
        end
        return { redis.call('ZCARD', KEYS[1]), now, redis.call('HGET', KEYS[2], 'version') or '', epoch }
        """

    /// What a replica tells of itself.
    package struct Report {
        let instance: [UInt8]
        let head: AuditHeads.Head?
        let leases: LeaseCount

        /// - Parameter head: how far its audit goes; nil where it keeps none.
        package init(of instance: [UInt8], head: AuditHeads.Head?, leases: LeaseCount) {
            self.instance = instance
            self.head = head
            self.leases = leases
        }
    }

    package static func script() throws(CryptoError) -> RedisScript { try RedisScript(text) }

    /// - Parameters:
    ///   - runID: what Redis' process calls itself, with which an epoch of the counters begins (`TicketCounter`).
    ///   - nonce: what an epoch ends with that begins now.
    package static func call(
        _ script: RedisScript, _ names: ClusterNames, telling report: Report, to runID: [UInt8], nonce: [UInt8]
    ) -> RedisCommand {
        let keys: [ClusterNames.Kind] = [.replicas, .brakes, .epoch, .heads, .leases]
        return script.call(on: keys.map { names.name($0) }).adding(report.instance).adding(memory)
            .adding(runID).adding(nonce).adding(report.head?.text ?? []).adding(report.leases.text)
    }

    /// What Redis knows.
    package struct Answer: Sendable, Equatable {
        /// How many replicas live, this one included.
        package let replicas: Int64
        /// Redis' clock, in milliseconds since 1970.
        package let time: Int64
        /// Which changes the brakes have seen: another text after each.
        package let brakes: [UInt8]
        /// Since when the uses of tickets are known.
        package let epoch: [UInt8]
    }

    /// - Returns: nil for another answer than the script's.
    package static func read(_ reply: RedisReply) -> Answer? {
        guard let list = reply.list, list.count == 4, let replicas = list[0].integer, replicas >= 1,
            let time = list[1].integer, let brakes = list[2].bytes,
            let epoch = list[3].bytes, (1...128).contains(epoch.count)
        else { return nil }
        return Answer(replicas: min(replicas, 100_000), time: time, brakes: brakes, epoch: epoch)
    }
}
