import Bytes
import Crypto

/// By which a replica says that it lives, and learns of the others.
package enum Heartbeat {
    /// Milliseconds from one to the next.
    package static let interval: Int64 = 250
    /// Milliseconds after which a replica counts no more.
    static let memory: Int64 = 5_000

    static let text: StaticString = """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
        redis.call('ZADD', KEYS[1], now, ARGV[1])
        redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]))
        return { redis.call('ZCARD', KEYS[1]), now, redis.call('HGET', KEYS[2], 'version') or '' }
        """

    package static func script() throws(CryptoError) -> RedisScript { try RedisScript(text) }

    package static func call(_ script: RedisScript, _ names: ClusterNames, of instance: [UInt8]) -> RedisCommand {
        script.call(on: [names.name(.replicas), names.name(.brakes)]).adding(instance).adding(memory)
    }

    /// What Redis knows.
    package struct Answer: Sendable, Equatable {
        /// How many replicas live, this one included.
        package let replicas: Int64
        /// Redis' clock, in milliseconds since 1970.
        package let time: Int64
        /// Which changes the brakes have seen: another text after each.
        package let brakes: [UInt8]
    }

    /// - Returns: nil for another answer than the script's.
    package static func read(_ reply: RedisReply) -> Answer? {
        guard let list = reply.list, list.count == 3, let replicas = list[0].integer, replicas >= 1,
            let time = list[1].integer, let brakes = list[2].bytes
        else { return nil }
        return Answer(replicas: min(replicas, 100_000), time: time, brakes: brakes)
    }
}
