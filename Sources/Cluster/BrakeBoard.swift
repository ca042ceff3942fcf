import Access
import Bytes
import Crypto

/// The brakes as they lie in Redis: one sealed list, and a version that is another with each change. Only who has the cluster's key can
/// read them, or release one.
package struct BrakeBoard: Sendable {
    /// What is there.
    package struct Stored: Sendable {
        package let version: [UInt8]
        package let list: BrakeList
        /// Whether it was sealed by the key before.
        package let isOld: Bool
    }

    private let name: [UInt8]
    private let key: SealingKey
    private let previousKey: SealingKey?
    private let script: RedisScript

    private static let label = Array("brakes".utf8)

    /// Replaces the list that had the version that is named, and no other.
    static let text: StaticString = """
        if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
        redis.call('HSET', KEYS[1], 'version', ARGV[2], 'list', ARGV[3])
        redis.call('PEXPIRE', KEYS[1], 7776000000)
        return 1
        """

    package static func script() throws(CryptoError) -> RedisScript { try RedisScript(text) }

    package init(_ settings: ClusterSettings, _ names: ClusterNames, _ script: RedisScript) throws(CryptoError) {
        name = names.name(.brakes)
        key = try SealingKey(settings.key, for: "countersign cluster brakes")
        previousKey = try settings.previousKey.map { secret throws(CryptoError) in
            try SealingKey(secret, for: "countersign cluster brakes")
        }
        self.script = script
    }

    /// Asks for the list.
    package var question: RedisCommand { RedisCommand("HGETALL").adding(name) }

    /// - Returns: nil where nothing is there.
    /// - Throws: for what nobody with the cluster's key has put there.
    package func read(_ reply: RedisReply) throws(BrakeFault) -> Stored? {
        guard let list = reply.list else { throw BrakeFault("Redis answers HGETALL by \(reply.kind)") }
        if list.isEmpty { return nil }
        var members: [[UInt8]: [UInt8]] = [:]
        for index in stride(from: 0, to: list.count - 1, by: 2) {
            if let name = list[index].bytes, let value = list[index + 1].bytes { members[name] = value }
        }
        guard let version = members[Array(text: "version")], let sealed = members[Array(text: "list")] else {
            throw BrakeFault("the list of brakes in Redis has no version, or no list")
        }
        let (found, isOld) = try open(sealed)
        return Stored(version: version, list: found, isOld: isOld)
    }

    private func open(_ sealed: [UInt8]) throws(BrakeFault) -> (list: BrakeList, isOld: Bool) {
        let label = BrakeBoard.label
        for (key, isOld) in [(key, false), (previousKey, true)] {
            guard let key else { continue }
            let opened: [UInt8]?
            do throws(CryptoError) { opened = try key.openPublic(sealed.span, label: label.span) } catch {
                throw BrakeFault("\(error)")
            }
            if let opened { return (try BrakeList(reading: opened.span), isOld) }
        }
        throw BrakeFault("the list of brakes in Redis was not sealed by cluster.key")
    }

    /// Puts a list there, if it still has a version.
    /// - Parameter version: empty where nothing is there.
    package func replacement(of version: [UInt8], by list: BrakeList) throws(CryptoError) -> RedisCommand {
        let label = BrakeBoard.label
        let next = Hex.encode(try SecureRandom.bytes(8))
        return script.call(on: [name]).adding(version).adding(next).adding(
            try key.seal(list.text.span, label: label.span))
    }
}
