import Access
import Bytes
import Crypto

/// SHA-256 over a list of values, each behind its length, so that no two different lists are digested as the same bytes.
package struct TupleDigest: ~Copyable {
    private var text = ByteWriter(capacity: 512)

    /// - Parameter purpose: what the digest is for; digests for different purposes are never equal.
    init(_ purpose: StaticString) { append(purpose.array) }

    mutating func append(_ bytes: Span<UInt8>) {
        append(count: bytes.count)
        text.append(bytes)
    }

    mutating func append(_ bytes: [UInt8]) { append(bytes.span) }

    /// A value that may be missing, which is something else than being empty.
    mutating func append(_ bytes: [UInt8]?) {
        text.append(bytes == nil ? 0 : 1)
        if let bytes { append(bytes.span) }
    }

    mutating func append(_ list: [[UInt8]]) {
        append(count: list.count)
        for bytes in list { append(bytes.span) }
    }

    mutating func append(_ number: Int64) {
        let bits = UInt64(bitPattern: number)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            text.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
    }

    mutating func append(_ principal: Principal) {
        append(Array(text: principal.kind.rawValue))
        append(principal.id)
        append(principal.subject)
    }

    func digest() throws(CryptoError) -> Digest { try Digest(.sha256, of: text.bytes) }

    private mutating func append(count: Int) { append(Int64(count)) }
}

extension KeyPair {
    /// Different for different pairs; tells nothing of the secret.
    func fingerprint() throws(CryptoError) -> [UInt8] {
        // Begins as no string to sign of a vendor's does; neither half has a line end.
        let newline = [UInt8(ascii: "\n")]
        let text = Array(text: "countersign fingerprint\n") + accessKey + newline + (securityToken ?? [])
        return try HMACKey(.sha256, secret).sign(text.span).bytes.array
    }
}
