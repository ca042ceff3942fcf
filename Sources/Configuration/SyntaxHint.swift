import Bytes

/// What to say of a configuration that is no JSON5: what its author seems to have meant, where that can be told.
struct SyntaxHint {
    let text: String

    init(_ error: JSONError, in file: [UInt8]) {
        let rest = file.dropFirst(error.offset)
        if SyntaxHint.isBlank(file) {
            text = "the file is empty; `countersign init` writes one to begin with"
        } else if SyntaxHint.quotes.contains(where: { rest.starts(with: $0.utf8) }) {
            text = "these are curly quotes; use straight quotes, \" or '"
        } else if SyntaxHint.isYAML(file) {
            text = "this looks like YAML; the configuration is JSON-like (JSON5), see config/README.md"
        } else if let opening = error.opening, file.indices.contains(opening) {
            let position = TextPosition(of: opening, in: file)
            let bracket = Character(Unicode.Scalar(file[opening]))
            text =
                "\(error.description); the \(bracket) of line \(position.line), column \(position.column) is not closed"
        } else {
            text = error.description
        }
    }

    private static let quotes = ["\u{201C}", "\u{201D}", "\u{2018}", "\u{2019}", "\u{201E}"]

    private static func isBlank(_ file: [UInt8]) -> Bool { file.allSatisfy { $0 <= 0x20 } }

    /// Whether the first line that is no comment is `---`, an item of a list, or a name and a colon outside of braces.
    private static func isYAML(_ file: [UInt8]) -> Bool {
        let lines = file.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let line = lines.first(where: { !isBlank(Array($0)) && !$0.starts(with: "#".utf8) }) else { return false }
        if line.starts(with: "---".utf8) || line.starts(with: "- ".utf8) { return true }
        let name = line.prefix { ByteSet.word.contains($0) }
        return !name.isEmpty && line.dropFirst(name.count).first == UInt8(ascii: ":")
    }
}
