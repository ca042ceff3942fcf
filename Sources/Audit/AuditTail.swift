import Bytes
import Crypto

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the end of a file tells, from which the chain goes on.
struct AuditTail {
    private(set) var position = AuditChain.Position()
    /// Bytes of whole lines.
    private(set) var size: Int64 = 0
    /// What comes behind the last whole line; nil for nothing.
    private(set) var torn: [UInt8]?
    /// Whether the last line is one under the key, or there is none.
    private(set) var isGenuine = true

    /// No two lines are longer together.
    private static let reach = 1 << 18

    init(of descriptor: Int32, by key: HMACKey) throws(AuditFault) {
        guard let length = FileIdentity(descriptor)?.size else { throw AuditFault(failed: "cannot look at the file") }
        let start = max(0, length - Int64(AuditTail.reach))
        let bytes = try AuditTail.read(descriptor, from: start, count: Int(length - start))
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
            // Not even the first line is whole; or nobody wrote such lines.
            if start == 0 { torn = bytes.isEmpty ? nil : bytes } else { (size, isGenuine) = (length, false) }
            return
        }
        size = start + Int64(end) + 1
        if end + 1 < bytes.count { torn = Array(bytes[(end + 1)...]) }
        let last = Array(AuditTail.lastLine(of: bytes[..<end]))
        guard let text = ParsedAuditLine(last.span) else {
            isGenuine = false
            return
        }
        position = AuditChain.Position(number: text.number, head: text.code)
        let before = Array(AuditTail.lastLine(of: bytes[..<max(0, end - last.count - 1)]))
        guard let previous = text.header?.previous ?? ParsedAuditLine(before.span)?.code else {
            isGenuine = false
            return
        }
        do throws(CryptoError) {
            isGenuine = try text.code(of: last.span, behind: previous, by: key).constantTimeEquals(text.code)
        } catch { throw AuditFault("\(error)") }
    }

    private static func lastLine(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes[(bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.startIndex)...]
    }

    static func read(_ descriptor: Int32, from start: Int64, count: Int) throws(AuditFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            // Unsafe: the buffer is lent for the call, from the first byte that is not filled.
            let got = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: $0[filled...]).baseAddress, count - filled,
                    off_t(start) + off_t(filled))
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw AuditFault(failed: "cannot read the file") }
            filled += got
        }
        return bytes
    }
}
