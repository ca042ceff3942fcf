import Bytes

/// A field value that is a comma-separated list (RFC 9110 section 5.6.1).
package enum ListField {
    /// Whether `token` (lower case) is an element of `list`, whatever its case; what follows a `;` in an element is skipped.
    package static func contains(_ token: StaticString, in list: Span<UInt8>) -> Bool {
        var start = 0
        while start < list.count {
            let end = list.firstIndex(of: UInt8(ascii: ","), from: start) ?? list.count
            let element = list.extracting(start..<end)
            let name = element.extracting(0..<(element.firstIndex(of: UInt8(ascii: ";")) ?? element.count))
            if name.trimmed.equals(ignoringCase: token) { return true }
            start = end + 1
        }
        return false
    }
}

extension Span where Element == UInt8 {
    /// Without the spaces and tabs at both ends.
    package var trimmed: Span<UInt8> {
        @_lifetime(copy self)
        get {
            var (start, end) = (0, count)
            while start < end, self[start] == UInt8(ascii: " ") || self[start] == UInt8(ascii: "\t") { start += 1 }
            while end > start, self[end - 1] == UInt8(ascii: " ") || self[end - 1] == UInt8(ascii: "\t") { end -= 1 }
            return extracting(start..<end)
        }
    }
}
