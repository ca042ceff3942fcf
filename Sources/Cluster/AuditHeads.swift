import Bytes
import Crypto
import Net

/// How far the audits of all replicas go, as each tells Redis with its heartbeat: whoever cuts off the end of a file, or removes it whole,
/// cannot change that there.
package enum AuditHeads {
    package struct Head: Sendable, Equatable {
        package let instance: [UInt8]
        /// The number of the last line on the disk.
        package let count: Int64
        /// That line's code, in hex.
        package let code: [UInt8]
        /// When it was told, in seconds since 1970, by the replica's clock.
        package let time: Int64
        package let file: [UInt8]

        package init(instance: [UInt8], count: Int64, code: [UInt8], time: Int64, file: [UInt8]) {
            self.instance = instance
            self.count = count
            self.code = code
            self.time = time
            self.file = file
        }

        /// As it lies in Redis, under the name of the instance.
        var text: [UInt8] { Array(text: "\(count) \(code.text) \(time) ") + file }

        /// - Returns: nil for what `text` does not write.
        init?(of instance: [UInt8], _ text: [UInt8]) {
            let parts = text.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, let count = Decimal.parse(Array(parts[0]).span),
                let time = Decimal.parse(Array(parts[2]).span)
            else { return nil }
            self.init(instance: instance, count: count, code: Array(parts[1]), time: time, file: Array(parts[3]))
        }
    }

    /// Those that Redis has, in the order of their instances.
    /// - Returns: nil for another answer than a list of names and texts.
    package static func read(_ reply: RedisReply) -> [Head]? {
        guard let list = reply.list, list.count.isMultiple(of: 2) else { return nil }
        var heads: [Head] = []
        for index in stride(from: 0, to: list.count, by: 2) {
            guard let instance = list[index].bytes, let text = list[index + 1].bytes,
                let head = Head(of: instance, text)
            else { return nil }
            heads.append(head)
        }
        return heads.sorted { $0.instance.lexicographicallyPrecedes($1.instance) }
    }

    /// Asks Redis over a connection of its own, and waits; for commands.
    package static func read(from settings: ClusterSettings) throws -> [Head] {
        guard let bell = Bell() else { throw RedisFault.gone }
        let trust = try settings.makeTrust()
        let deadline = SystemClock.now().monotonic + 5_000
        var fault = RedisFault.gone
        for server in settings.redis.servers {
            do throws(RedisFault) {
                let connection = try RedisConnection(
                    to: server, settings.redis, trusting: trust, loading: [], waking: bell, until: deadline)
                let names = RedisCommand("HGETALL").adding(ClusterNames.name(.heads, behind: settings.prefix))
                let reply = try connection.ask(names, "HGETALL", until: deadline)
                guard let heads = read(reply) else { throw .unexpected(to: "HGETALL", kind: reply.kind) }
                return heads
            } catch {
                fault = error
            }
        }
        throw fault
    }
}
