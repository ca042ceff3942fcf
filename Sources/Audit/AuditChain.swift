import Bytes
import Crypto

/// The numbers and codes of lines, by which one that is edited, removed or moved is found: a line's code is the HMAC-SHA256 of the
/// code before and of the line itself.
struct AuditChain: ~Copyable {
    /// Where a chain stands.
    struct Position {
        /// The number of the last line; 0 where there is none.
        var number: Int64 = 0
        /// The code of the last line; 32 zeros where there is none.
        var head = Digest.zero
    }

    /// Why a segment was begun.
    enum Reason: String, CaseIterable {
        case start, size, signal, moved
        /// A start behind lines of which nobody recorded the stop: a process was killed, or the end was cut off.
        case unstopped
        /// Something could not be written, or it is not known whether it was.
        case fault
        /// What was there does not end as a file under this key does.
        case unverified

        var name: StaticString {
            switch self {
            case .start: "start"
            case .size: "size"
            case .signal: "signal"
            case .moved: "moved"
            case .unstopped: "unstopped"
            case .fault: "fault"
            case .unverified: "unverified"
            }
        }
    }

    static let codeLength = DigestAlgorithm.sha256.length
    /// A greater number is nobody's: no chain is so long, and there is room behind it to count on.
    static let lastNumber: Int64 = 1 << 53

    var position: Position
    private let key: HMACKey
    private var line = AuditLine()
    private var input = ByteWriter(capacity: 1024)

    init(_ key: HMACKey, at position: Position = Position()) {
        self.key = key
        self.position = position
    }

    /// Appends a line to `out`.
    /// - Parameter content: what an `AuditLine` holds.
    mutating func append(_ content: Span<UInt8>, to out: inout ByteWriter) throws(CryptoError) {
        let number = position.number + 1
        input.reset()
        // The object is closed by hand: the code is over all that stands before its own member.
        input.append(position.head.bytes)
        input.append("{")
        input.append(members: { $0.add("seq", number) })
        input.append(",")
        input.append(content)
        let code = try key.sign(input.bytes)
        out.append(input.bytes.extracting(AuditChain.codeLength..<input.count))
        out.append(afterOthers: true, members: { $0.add("mac", hex: code.bytes) })
        out.append("}\n")
        position = Position(number: number, head: code)
    }

    /// Appends the line that every segment begins with, which tells where the chain stood.
    /// - Parameters:
    ///   - unsynced: how many lines before it may not have come to the disk.
    ///   - moment: seconds since 1970.
    mutating func beginSegment(
        _ reason: Reason, unsynced: Int64, at moment: Int64, to out: inout ByteWriter
    ) throws(CryptoError) {
        line.begin("segment", at: moment)
        line.add("reason", reason.name)
        line.add("previous", hex: position.head.bytes)
        line.add("unsynced", unsynced)
        line.add("version", 1)
        var content = ByteWriter(capacity: 256)
        content.append(line.bytes)
        try append(content.bytes, to: &out)
    }
}
