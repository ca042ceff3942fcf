import Bytes

/// `*( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )`: what may follow a chunk's size (RFC 9112 section 7.1.1).
enum ChunkExtension {
    /// - Parameter text: what follows the size on its line, without control characters but tabs.
    static func isValid(_ text: Span<UInt8>) -> Bool {
        var at = 0
        while at < text.count {
            at = skipSpace(in: text, from: at)
            guard at < text.count, text[at] == UInt8(ascii: ";") else { return false }
            at = skipSpace(in: text, from: at + 1)
            guard let name = skipToken(in: text, from: at) else { return false }
            at = name
            let equals = skipSpace(in: text, from: at)
            guard equals < text.count, text[equals] == UInt8(ascii: "=") else { continue }
            let value = skipSpace(in: text, from: equals + 1)
            guard let end = skipToken(in: text, from: value) ?? skipQuotes(in: text, from: value) else { return false }
            at = end
        }
        return true
    }

    private static func skipSpace(in text: Span<UInt8>, from start: Int) -> Int {
        var at = start
        while at < text.count, text[at] == UInt8(ascii: " ") || text[at] == UInt8(ascii: "\t") { at += 1 }
        return at
    }

    /// - Returns: nil when there is none.
    private static func skipToken(in text: Span<UInt8>, from start: Int) -> Int? {
        var at = start
        while at < text.count, ByteSet.token.contains(text[at]) { at += 1 }
        return at > start ? at : nil
    }

    private static func skipQuotes(in text: Span<UInt8>, from start: Int) -> Int? {
        guard start < text.count, text[start] == UInt8(ascii: "\"") else { return nil }
        var at = start + 1
        while at < text.count {
            if text[at] == UInt8(ascii: "\"") { return at + 1 }
            at += text[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }
}
