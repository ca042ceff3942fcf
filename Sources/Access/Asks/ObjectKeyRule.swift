import Bytes

/// What an object's key may be, wherever it comes from (R13). Keys are bytes; nothing is normalised.
package enum ObjectKeyRule {
    /// The longest key of any vendor, in bytes.
    package static let maximumLength = 1023

    /// - Returns: what is wrong, nil when nothing is.
    package static func fault(of key: Span<UInt8>, maximumLength: Int = maximumLength) -> StaticString? {
        guard !key.isEmpty else { return "must not be empty" }
        guard key.count <= maximumLength else { return "is longer than the vendor allows" }
        guard key[0] != UInt8(ascii: "/") else { return "must not begin with /" }
        guard UTF8Text.isWellFormed(key) else { return "must be UTF-8" }
        guard !key.hasControlCharacters else { return "must not contain control characters" }
        guard !hasVariable(key) else { return "must not contain $( or ${" }
        return hasDotSegments(key) ? "must not contain the segments . or .." : nil
    }

    private static func hasVariable(_ key: Span<UInt8>) -> Bool {
        var start = 0
        while let index = key.firstIndex(of: UInt8(ascii: "$"), from: start) {
            start = index + 1
            if start < key.count, key[start] == UInt8(ascii: "(") || key[start] == UInt8(ascii: "{") { return true }
        }
        return false
    }

    /// Whether anything between two slashes is `.` or `..`, which clients and proxies put in order before they go on. Some servers
    /// take a backslash for a slash first.
    package static func hasDotSegments(_ key: Span<UInt8>) -> Bool {
        var start = 0
        while let dot = key.firstIndex(of: UInt8(ascii: "."), from: start) {
            start = dot + 1
            // Few keys have a segment that begins with a dot.
            guard dot == 0 || isSeparator(key[dot - 1]) else { continue }
            let end = firstSeparator(of: key, from: dot) ?? key.count
            if isDots(key.extracting(dot..<end)) { return true }
        }
        return false
    }

    /// The same of a text that stands behind others in a key, so that its first slash ends a segment that has more before it.
    package static func hasDotSegments(behind text: Span<UInt8>) -> Bool {
        guard let slash = firstSeparator(of: text, from: 0) else { return false }
        return hasDotSegments(text.extracting(slash + 1..<text.count))
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    private static func firstSeparator(of text: Span<UInt8>, from start: Int) -> Int? {
        for index in start..<text.count where isSeparator(text[index]) { return index }
        return nil
    }

    private static func isDots(_ segment: Span<UInt8>) -> Bool { segment.equals(".") || segment.equals("..") }
}
