import Bytes

/// Names of types of media (RFC 6838 section 4.2), as grants and requests give them.
enum MediaTypeName {
    /// Whether `text` is `type/subtype`, both of `characters`.
    static func isName(_ text: Span<UInt8>, of characters: ByteSet = .mediaType) -> Bool {
        guard let slash = text.firstIndex(of: UInt8(ascii: "/")), slash > 0, slash + 1 < text.count else {
            return false
        }
        return characters.contains(all: text.extracting(0..<slash))
            && characters.contains(all: text.extracting(slash + 1..<text.count))
    }

    /// Whether a grant may admit `text`: `image/*`, or a type that may have parameters; the type in lower case.
    static func isPattern(_ text: [UInt8]) -> Bool {
        guard text.count <= 256, let slash = text.firstIndex(of: UInt8(ascii: "/")), slash > 0,
            lowercaseType.contains(all: text[..<slash]), let last = text.last, last != UInt8(ascii: "/")
        else { return false }
        return text[(slash + 1)...].elementsEqual("*".utf8)
            || withParameters.contains(all: text) && last != UInt8(ascii: " ")
    }

    /// Whether a pattern admits a type. Browsers read `image/png,text/html` as the second, so a subtype that is not the
    /// pattern's is a plain name.
    static func admits(_ type: Span<UInt8>, _ pattern: [UInt8]) -> Bool {
        guard pattern.last == UInt8(ascii: "*") else { return type.equals(pattern) }
        let start = pattern.span.extracting(droppingLast: 1)
        return type.count > start.count && type.begins(with: start)
            && ByteSet.mediaType.contains(all: type.extracting(start.count..<type.count))
    }

    /// Says of types that no client sends what they are called; nil if there are none.
    static func doubt(of types: [[UInt8]]) -> String? {
        let doubts = types.compactMap { type in
            mistaken.first { type.span.equals($0.key) }.map { "\($0.key) is \($0.value)" }
        }
        return doubts.isEmpty ? nil : "no client sends this type: \(doubts.joined(separator: ", "))"
    }

    /// Names that are written by mistake, and the types that clients send (IANA's registry of media types).
    private static let mistaken: KeyValuePairs<StaticString, StaticString> = [
        "image/jpg": "image/jpeg", "image/jpe": "image/jpeg", "image/tif": "image/tiff", "image/svg": "image/svg+xml",
        "image/ico": "image/x-icon", "audio/mpg": "audio/mpeg", "video/mpg": "video/mpeg",
        "video/mov": "video/quicktime",
        "video/m4v": "video/x-m4v", "text/txt": "text/plain", "text/htm": "text/html", "text/md": "text/markdown",
        "text/pdf": "application/pdf", "application/doc": "application/msword",
        "application/xls": "application/vnd.ms-excel",
    ]

    private static let lowercaseType = ByteSet.mediaType.subtracting(.uppercase)
    private static let withParameters = ByteSet(0x20...0x7E).subtracting(ByteSet("*"))
}
