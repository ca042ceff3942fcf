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
    private let key: SharedKey
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
        key = try SharedKey(settings, for: "countersign cluster brakes")
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
        let found: (opened: [UInt8], isOld: Bool)?
        do throws(CryptoError) {
            found = try key.open { key throws(CryptoError) in
                try key.openPublic(sealed.span, label: BrakeBoard.label.span)
            }
        } catch {
            throw BrakeFault("\(error)")
        }
        guard let found else { throw BrakeFault("the list of brakes in Redis was not sealed by cluster.key") }
        return Stored(version: version, list: try BrakeList(reading: found.opened.span), isOld: found.isOld)
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
