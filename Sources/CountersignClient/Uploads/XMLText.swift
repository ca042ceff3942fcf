import Foundation

/// As much of XML as the answers of OSS and NOS need: the texts of elements without attributes.
struct XMLText {
    private let text: Substring

    init(_ data: Data) { text = String(decoding: data, as: UTF8.self)[...] }

    private init(_ text: Substring) { self.text = text }

    /// The text of the first element of a name.
    func value(of name: String) -> String? {
        element(name, in: text).map { XMLText.unescape(text[$0.content]) }
    }

    /// All elements of a name, one after the other.
    func elements(_ name: String) -> [XMLText] {
        var found: [XMLText] = []
        var rest = text
        while let element = element(name, in: rest) {
            found.append(XMLText(rest[element.content]))
            rest = rest[element.end...]
        }
        return found
    }

    private func element(_ name: String, in text: Substring) -> (content: Range<String.Index>, end: String.Index)? {
        guard let start = text.range(of: "<\(name)>"),
            let end = text.range(of: "</\(name)>", range: start.upperBound..<text.endIndex)
        else { return nil }
        return (start.upperBound..<end.lowerBound, end.upperBound)
    }

    private static let entities = [
        ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"),
    ]

    private static func unescape(_ text: Substring) -> String {
        // The ampersand comes last: what it makes is no entity.
        entities.reduce(String(text)) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    static func escape(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
            .reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
}
