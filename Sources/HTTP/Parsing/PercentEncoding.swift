import Bytes

/// `pct-encoded` (RFC 3986 section 2.1): each `%` has its two hex digits.
enum PercentEncoding {
    static func isValid(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while let percent = text.firstIndex(of: UInt8(ascii: "%"), from: index) {
            guard percent + 2 < text.count, Hex.value(of: text[percent + 1]) != nil,
                Hex.value(of: text[percent + 2]) != nil
            else { return false }
            index = percent + 3
        }
        return true
    }
}
