import Access
import Bytes
import Crypto

/// The bucket of a rate that all replicas lease from. It fills by Redis' clock, and is gone from Redis when it is full.
package enum RateBucket {
    /// Takes what was used already, and leases what is wanted as far as it is there.
    static let text: StaticString = """
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        local interval, count = tonumber(ARGV[1]) / 1000, tonumber(ARGV[2])
        local period = interval * count
        local full = tonumber(redis.call('GET', KEYS[1]) or '0')
        full = math.min(math.max(full, now), now + 2 * period) + tonumber(ARGV[3]) * interval
        local free = math.floor((period - (full - now)) / interval + 0.000001)
        local given = math.max(0, math.min(tonumber(ARGV[4]), free))
        full = full + given * interval
        redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil((full - now) / 1000) + 1000)
        local left = math.max(0, free - given)
        local wait = 0
        if left == 0 then wait = math.max(0, math.ceil((full - now - period + interval) / 1000)) end
        return { given, left, wait }
        """

    package static func script() throws(CryptoError) -> RedisScript { try RedisScript(text) }

    package static func call(
        _ script: RedisScript, on name: [UInt8], _ rate: Rate, _ wanted: LeaseTable.Wanted
    ) -> RedisCommand {
        script.call(on: [name]).adding(rate.interval).adding(rate.count).adding(wanted.charge).adding(wanted.tokens)
    }

    /// Reads the answer to `call`. Whoever writes to Redis can put any numbers there, so the answer never counts for more than
    /// was asked for, for more than the bucket holds, or for a longer time than the bucket takes to fill twice.
    /// - Returns: nil for another answer than the script's.
    package static func read(
        _ reply: RedisReply, of rate: Rate, to wanted: LeaseTable.Wanted
    ) -> LeaseTable.Given? {
        guard let list = reply.list, list.count == 3, let given = list[0].integer, let left = list[1].integer,
            let wait = list[2].integer
        else { return nil }
        let longest = (2 * rate.period + rate.interval) / 1_000_000 + 1
        return LeaseTable.Given(
            tokens: min(given, wanted.tokens, rate.count), left: min(left, rate.count), wait: min(wait, longest))
    }
}
