import Access
import Bytes
import Crypto

/// `RoleSessionName`: whom the vendor's logs name. It begins as people know the caller, as far as the vendor's letters go, and
/// ends in a hash, so that callers whose names differ only in other letters, or only far behind, have different ones.
package struct SessionName: Sendable, Hashable {
    package let text: [UInt8]

    /// The longest that vendors take.
    package static let maximumLength = 64
    /// Hex digits of the hash: 64 bits, which nobody meets by chance.
    private static let hashLength = 16

    /// - Parameters:
    ///   - rendered: the grant's `sessionName` for this caller; empty for none.
    ///   - principal: whose session it is.
    ///   - length: the most bytes that the vendor takes (`SessionSource.longestName`).
    package init(
        _ rendered: Span<UInt8>, for principal: Principal, atMost length: Int = maximumLength
    ) throws(CryptoError) {
        var hash = TupleDigest("countersign session of a principal")
        hash.append(principal)
        let kind = Array(text: principal.kind.rawValue)
        let name = rendered.isEmpty ? principal.subject : rendered.array
        try self.init(SessionName.readable(name, atMost: length) ?? kind, hash)
    }

    /// The name of a session that all callers of a grant share.
    package init(
        _ rendered: Span<UInt8>, sharedBy grant: [UInt8], atMost length: Int = maximumLength
    ) throws(CryptoError) {
        var hash = TupleDigest("countersign session of a grant")
        hash.append(grant)
        let name = rendered.isEmpty ? grant : rendered.array
        try self.init(SessionName.readable(name, atMost: length) ?? Array(text: "shared"), hash)
    }

    private init(_ start: [UInt8], _ hash: borrowing TupleDigest) throws(CryptoError) {
        let digest = try hash.digest()
        var text = ByteWriter(capacity: SessionName.maximumLength)
        text.append(start)
        text.append(UInt8(ascii: "-"))
        Hex.encode(digest.bytes.extracting(0..<SessionName.hashLength / 2), into: &text)
        self.text = text.array
    }

    /// The start of `name` with every run of other letters as one `_`; nil when nothing of it is left.
    private static func readable(_ name: [UInt8], atMost length: Int) -> [UInt8]? {
        var readable: [UInt8] = []
        for byte in name {
            guard readable.count < length - hashLength - 1 else { break }
            if nameBytes.contains(byte) {
                readable.append(byte)
            } else if readable.last != UInt8(ascii: "_") {
                readable.append(UInt8(ascii: "_"))
            }
        }
        return readable.contains { $0.isLetterOrDigit } ? readable : nil
    }

    private static let nameBytes = ByteSet.dottedWord.union("@")

    /// Whether the vendor takes `text` for a session name.
    static func admits(_ text: [UInt8]) -> Bool {
        nameBytes.contains(all: text, length: 2...maximumLength)
    }
}
