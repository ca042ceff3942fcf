import Bytes

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Some lines of an audit's file, read backwards from its end or from where the page before ended. Nothing is verified.
package struct AuditPage: Sendable {
    /// The newest first; without their newlines.
    package private(set) var lines: [[UInt8]] = []
    /// Where older lines end in the file; nil where there are none.
    package private(set) var before: Int64?

    /// Bytes that are read for one page: a search that finds little goes on with the next.
    private static let reach = 64 << 20
    private static let chunk = 256 << 10

    /// - Parameters:
    ///   - before: what the page before says; nil to begin at the file's end.
    ///   - text: what each line must have in it; empty for all.
    ///   - most: how many lines there are at most.
    /// - Throws: where the file cannot be read, or holds something that is no line.
    package init(of path: String, before: Int64?, with text: [UInt8], most: Int) throws(AuditFault) {
        // Unsafe: the path is lent for the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { throw AuditFault(failed: "cannot open \(path)") }
        defer { systemClose(descriptor) }
        guard let size = FileIdentity(descriptor)?.size else { throw AuditFault(failed: "cannot look at \(path)") }
        var end = min(before ?? size, size)
        let last = end - Int64(AuditPage.reach)
        while end > 0, lines.count < most, end > last {
            let start = max(0, end - Int64(AuditPage.chunk))
            let bytes = try AuditTail.read(descriptor, from: start, count: Int(end - start))
            guard let first = start == 0 ? 0 : bytes.firstIndex(of: UInt8(ascii: "\n")).map({ $0 + 1 }) else {
                throw AuditFault("\(path) has a line without end")
            }
            end = start + Int64(take(bytes[first...], with: text, most: most))
        }
        self.before = end > 0 ? end : nil
    }

    /// Takes whole lines from the end of the bytes.
    /// - Returns: the index of the first byte that belongs to a line that was looked at, or the first that there is.
    private mutating func take(_ bytes: ArraySlice<UInt8>, with text: [UInt8], most: Int) -> Int {
        // What has no newline behind it is still being written.
        guard var end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return bytes.startIndex }
        while lines.count < most {
            let start = bytes[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.startIndex
            let line = bytes[start..<end]
            if text.isEmpty || AuditPage.has(line, text) { lines.append(Array(line)) }
            guard start > bytes.startIndex else { return start }
            end = start - 1
        }
        return end + 1
    }

    private static func has(_ line: ArraySlice<UInt8>, _ text: [UInt8]) -> Bool {
        guard let first = text.first, line.count >= text.count else { return false }
        var rest = line
        while let index = rest.firstIndex(of: first), line.endIndex - index >= text.count {
            if line[index..<index + text.count].elementsEqual(text) { return true }
            rest = line[(index + 1)...]
        }
        return false
    }
}
