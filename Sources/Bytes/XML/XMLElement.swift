/// An element of an XML document of object storage: text or elements in it, not both. Attributes are skipped; there are no document
/// types, no entities beyond XML's own five, no CDATA and no comments, which no vendor and no vendor's client writes.
package struct XMLElement: Sendable {
    package let name: [UInt8]
    /// Decoded; empty where it holds elements.
    package private(set) var text: [UInt8] = []
    package private(set) var elements: [XMLElement] = []

    /// How deep and how many elements a document may have.
    private static let mostLevels = 8
    package static let mostElements = 50_000

    /// Whether it has this name, be it in a namespace by a prefix.
    package func isCalled(_ name: StaticString) -> Bool {
        let text = self.name.span
        let start = text.firstIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? 0
        return text.extracting(start..<text.count).equals(name)
    }

    /// The elements of a name in this one.
    package func all(_ name: StaticString) -> [XMLElement] { elements.filter { $0.isCalled(name) } }

    /// The only element of a name in this one; nil where there is none, or several.
    package func only(_ name: StaticString) -> XMLElement? {
        let found = all(name)
        return found.count == 1 ? found.first : nil
    }

    /// The text of the only element of a name in this one, without the white space around it; nil where there is none, or several.
    package func text(_ name: StaticString) -> [UInt8]? {
        guard var text = only(name)?.text[...] else { return nil }
        XMLElement.skipSpace(&text)
        while let last = text.last, XMLElement.isSpace(last) { text.removeLast() }
        return Array(text)
    }

    /// The outermost element of a document. The time is linear in the document's length.
    /// - Parameter elements: the most that the document may have.
    /// - Returns: nil where it is no such document.
    package static func read(_ document: [UInt8], upTo elements: Int = mostElements) -> XMLElement? {
        guard UTF8Text.isWellFormed(document.span) else { return nil }
        var rest = document[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        skipSpace(&rest)
        if rest.starts(with: "<?xml".utf8) {
            // A declaration has no other `>` (XML 1.0 section 2.8).
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")), rest[end - 1] == UInt8(ascii: "?") else {
                return nil
            }
            rest = rest[(end + 1)...]
        }
        skipSpace(&rest)
        var budget = elements
        guard let root = element(&rest, level: 1, &budget) else { return nil }
        skipSpace(&rest)
        return rest.isEmpty ? root : nil
    }

    private static func element(_ rest: inout ArraySlice<UInt8>, level: Int, _ budget: inout Int) -> XMLElement? {
        guard level <= mostLevels, budget > 0, rest.first == UInt8(ascii: "<"),
            let end = rest.firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        budget -= 1
        var tag = rest[rest.startIndex + 1..<end]
        rest = rest[(end + 1)...]
        let isEmpty = tag.last == UInt8(ascii: "/")
        if isEmpty { tag = tag.dropLast() }
        let name = tag.prefix { !isSpace($0) }
        guard isName(name), areAttributes(tag.dropFirst(name.count)) else { return nil }
        var element = XMLElement(name: Array(name))
        if isEmpty { return element }
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            guard decode(rest[..<open], into: &element.text) else { return nil }
            rest = rest[open...]
            if rest.dropFirst().first == UInt8(ascii: "/") {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
                let closed = rest[rest.startIndex + 2..<end]
                rest = rest[(end + 1)...]
                guard closed.starts(with: name), closed.dropFirst(name.count).allSatisfy(isSpace) else { return nil }
                guard !element.elements.isEmpty else { return element }
                guard element.text.allSatisfy(isSpace) else { return nil }
                element.text = []
                return element
            }
            guard let inner = XMLElement.element(&rest, level: level + 1, &budget) else { return nil }
            element.elements.append(inner)
        }
        return nil
    }

    /// Appends text without its entities.
    /// - Returns: whether it is the text of a document.
    private static func decode(_ text: ArraySlice<UInt8>, into bytes: inout [UInt8]) -> Bool {
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "&") else {
                // A document cannot hold the others (XML 1.0 section 2.2).
                guard byte >= 0x20 || isSpace(byte) else { return false }
                bytes.append(byte)
                continue
            }
            guard let end = text[index...].prefix(longestEntity + 1).firstIndex(of: UInt8(ascii: ";")),
                let character = entity(text[index..<end].span)
            else { return false }
            bytes.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
            index = end + 1
        }
        return true
    }

    /// Between `&` and `;`, in bytes.
    private static let longestEntity = 9

    /// The character that the name between `&` and `;` means.
    private static func entity(_ name: Span<UInt8>) -> Unicode.Scalar? {
        if name.equals("lt") { return "<" }
        if name.equals("gt") { return ">" }
        if name.equals("amp") { return "&" }
        if name.equals("quot") { return "\"" }
        if name.equals("apos") { return "'" }
        guard name.count > 1, name[0] == UInt8(ascii: "#") else { return nil }
        let isHex = name[1] == UInt8(ascii: "x")
        guard name.count > (isHex ? 2 : 1) else { return nil }
        var code: UInt32 = 0
        for index in (isHex ? 2 : 1)..<name.count {
            guard let digit = isHex ? Hex.value(of: name[index]) : decimalDigit(name[index]) else { return nil }
            // At most eight digits: no overflow.
            code = code * (isHex ? 16 : 10) + UInt32(digit)
        }
        return code > 0 ? Unicode.Scalar(code) : nil
    }

    private static func decimalDigit(_ byte: UInt8) -> UInt8? { byte.isDigit ? byte - UInt8(ascii: "0") : nil }

    private static let nameBytes = ByteSet.dottedWord.union(":")

    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        nameBytes.contains(all: name, length: 1...128) && name.first?.isDigit == false
    }

    /// Whether what follows a tag's name is nothing, space, or attributes in quotes. Without the quotes' other uses, the first `>` is
    /// where the tag ends.
    private static func areAttributes(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while true {
            let isApart = rest.first.map(isSpace) ?? false
            skipSpace(&rest)
            if rest.isEmpty { return true }
            let name = rest.prefix { $0 != UInt8(ascii: "=") && !isSpace($0) }
            rest = rest.dropFirst(name.count)
            guard isApart, isName(name), rest.popFirst() == UInt8(ascii: "="), let quote = rest.popFirst(),
                quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"), let end = rest.firstIndex(of: quote),
                !rest[..<end].contains(UInt8(ascii: "<"))
            else { return false }
            rest = rest[(end + 1)...]
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D }

    private static func skipSpace(_ rest: inout ArraySlice<UInt8>) { rest = rest.drop(while: isSpace) }
}
