import Bytes

/// Paths in the configuration, as problems have them: `server.tls[0].names`.
extension String {
    /// The path of a member of what is at this path: `path.name`, or `path["name"]` where the name is no plain word.
    func member(_ name: [UInt8]) -> String {
        let isWord = ByteSet.word.contains(all: name, length: 1...64)
        if isWord { return isEmpty ? name.text : self + "." + name.text }
        let shown = name.prefix(64)
        let text = Array(shown).text.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
        return "\(self)[\"\(text)\(shown.count < name.count ? "…" : "")\"]"
    }

    /// The path of an element of the list that is at this path.
    func element(_ index: Int) -> String { "\(self)[\(index)]" }
}
