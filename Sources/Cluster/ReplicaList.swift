import Bytes
import Crypto

/// What Redis knows of each replica, for people who look: when it was heard, how far its audit goes, and its leases.
package enum ReplicaList {
    package struct Entry: Sendable, Equatable {
        package let instance: [UInt8]
        /// Milliseconds since its last heartbeat; nil for one that lives no more, whose audit is known still.
        package var silence: Int64?
        /// Nil where it keeps no audit.
        package var head: AuditHeads.Head?
        /// Nil for one that lives no more.
        package var leases: LeaseCount?
    }

    /// Milliseconds of the longest silence that is told: some thirty years.
    static let longest: Int64 = 1 << 40

    static let text: StaticString = """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        return { now, redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'), redis.call('HGETALL', KEYS[2]),
            redis.call('HGETALL', KEYS[3]) }
        """

    package static func script() throws(CryptoError) -> RedisScript { try RedisScript(text) }

    package static func call(_ script: RedisScript, _ names: ClusterNames) -> RedisCommand {
        script.call(on: [names.name(.replicas), names.name(.heads), names.name(.leases)])
    }

    /// - Returns: in the order of their instances; nil for another answer than the script's.
    package static func read(_ reply: RedisReply) -> [Entry]? {
        guard let list = reply.list, list.count == 4, let now = list[0].integer, let beats = list[1].list,
            beats.count.isMultiple(of: 2), let heads = AuditHeads.read(list[2]), let leases = list[3].list,
            leases.count.isMultiple(of: 2)
        else { return nil }
        var entries: [[UInt8]: Entry] = [:]
        for head in heads { entries[head.instance, default: Entry(instance: head.instance)].head = head }
        for index in stride(from: 0, to: beats.count, by: 2) {
            guard let instance = beats[index].bytes,
                let beat = beats[index + 1].bytes.flatMap({ Decimal.parse($0.span) })
            else { return nil }
            let (silence, overflow) = now.subtractingReportingOverflow(beat)
            entries[instance, default: Entry(instance: instance)].silence = overflow ? 0 : min(max(0, silence), longest)
        }
        for index in stride(from: 0, to: leases.count, by: 2) {
            guard let instance = leases[index].bytes, let text = leases[index + 1].bytes, let count = LeaseCount(text)
            else { return nil }
            if entries[instance]?.silence != nil { entries[instance]?.leases = count }
        }
        return entries.values.sorted { $0.instance.lexicographicallyPrecedes($1.instance) }
    }
}

/// The leases that a replica has asked for since it began, and those of them that brought no answer.
package struct LeaseCount: Sendable, Equatable {
    package var asked: Int64 = 0
    package var failed: Int64 = 0

    package init() {}

    /// As it lies in Redis, under the name of the instance.
    var text: [UInt8] { Array(text: "\(asked) \(failed)") }

    /// - Returns: nil for what `text` does not write.
    init?(_ text: [UInt8]) {
        let numbers = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { Decimal.parse(Array($0).span) }
        guard numbers.count == 2, let asked = numbers[0], let failed = numbers[1] else { return nil }
        (self.asked, self.failed) = (asked, failed)
    }
}
