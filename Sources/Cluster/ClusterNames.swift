import Bytes
import Crypto
import Net

/// What values are called in Redis. What a client chooses, or is known by, is behind an HMAC by the cluster's key, so that nobody who
/// reads Redis finds it there. From any thread.
package final class ClusterNames: Sendable {
    package enum Kind: String, Sendable {
        /// The bucket of a rate.
        case rate
        /// A session of a vendor's, and that one replica is fetching it.
        case session, fetch
        /// How often a ticket was used, and since when that is known.
        case ticket, epoch
        /// The replicas that live, the heads of their audits, and how many leases they have asked for.
        case replicas, heads, leases
        /// The brakes.
        case brakes
    }

    private let prefix: [UInt8]
    private let key: Secret

    package init(_ settings: ClusterSettings) throws(CryptoError) {
        prefix = settings.prefix
        key = try KeyDerivation.key(32, from: settings.key, for: "countersign cluster names")
    }

    /// The name of a value that there is once.
    package func name(_ kind: Kind) -> [UInt8] { ClusterNames.name(kind, behind: prefix) }

    static func name(_ kind: Kind, behind prefix: [UInt8]) -> [UInt8] { prefix + Array(text: kind.rawValue) }

    /// The name of a ticket's counter, which does not change with the key: a use would not count any more. A ticket's id is random, and
    /// opens nothing.
    func counter(of ticket: [UInt8]) throws(CryptoError) -> [UInt8] {
        let digest = try Digest(.sha256, of: ticket.span)
        return name(.ticket) + Array(text: ":") + Hex.encode(Array(digest.bytes.array.prefix(16)))
    }

    /// The name of a value among others of its kind.
    package func name(_ kind: Kind, of what: [UInt8]) throws(CryptoError) -> [UInt8] {
        var message = ByteWriter()
        message.append(text: kind.rawValue)
        message.append(0)
        message.append(what)
        let code = try HMACKey(.sha256, key).sign(message.bytes)
        return name(kind) + Array(text: ":") + Hex.encode(Array(code.bytes.array.prefix(16)))
    }
}
