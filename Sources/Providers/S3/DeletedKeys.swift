import Access
import Bytes

/// The keys in the body of DeleteObjects (Amazon S3 API reference). Every reader of XML must find the same ones, so the document
/// has nothing but them: no versions, no conditions, and nothing that another reader could know more of.
package struct DeletedKeys: Sendable {
    /// At least one.
    package let keys: [[UInt8]]

    /// The most keys of a request.
    private static let most = 1000
    /// Delete, Quiet, and an Object and its Key for each key.
    private static let mostElements = 2 + 2 * most

    /// Why a body is not taken.
    package struct Fault: Error {
        package let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    package init(reading document: [UInt8]) throws(Fault) {
        guard DeletedKeys.isPlain(document), let root = XMLElement.read(document, upTo: DeletedKeys.mostElements),
            root.name.elementsEqual("Delete".utf8)
        else { throw Fault("must be a document Delete in UTF-8, with a plain declaration or none") }
        var keys: [[UInt8]] = []
        for element in root.elements {
            if element.name.elementsEqual("Quiet".utf8), element.elements.isEmpty { continue }
            guard element.name.elementsEqual("Object".utf8), element.elements.count == 1,
                let key = element.elements.first, key.name.elementsEqual("Key".utf8),
                key.elements.isEmpty
            else { throw Fault("must have Object, each with Key and nothing else, and Quiet") }
            if let fault = ObjectKeyRule.fault(of: key.text.span) { throw Fault("has a key that \(fault)") }
            keys.append(key.text)
        }
        guard (1...DeletedKeys.most).contains(keys.count) else {
            throw Fault("must have 1 to \(DeletedKeys.most) keys")
        }
        self.keys = keys
    }

    /// What a grant must admit all of: the only key, or the folder that has them all.
    var target: (key: [UInt8], isPrefix: Bool) {
        let first = keys[0]
        guard keys.count > 1 else { return (first, false) }
        var count = first.count
        for key in keys { count = zip(first.prefix(count), key).prefix { $0 == $1 }.count }
        let end = first.prefix(count).lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return (Array(first.prefix(end)), true)
    }

    /// Whether the document has no declaration but one of XML 1.0 in UTF-8: readers that forgive mistakes find elements in another, or
    /// take its bytes for those of another encoding. Only the start can have one: `XMLElement` refuses `<?` and `<!` anywhere else.
    private static func isPlain(_ document: [UInt8]) -> Bool {
        var text = document[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        let content = text.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard content.starts(with: "<?".utf8) else { return true }
        guard content.startIndex == text.startIndex else { return false }
        let declaration = text.prefix(longestDeclaration).map(\.lowercasedASCII)
        guard let end = declaration.firstIndex(of: UInt8(ascii: ">")), end > 2,
            declaration[end - 1] == UInt8(ascii: "?")
        else { return false }
        let words = declaration[..<(end - 1)].split { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard words.count > 1, words[0].elementsEqual("<?xml".utf8), attributes[0].contains(Array(words[1])) else {
            return false
        }
        var next = 0
        for word in words.dropFirst() {
            guard let place = attributes.firstIndex(where: { $0.contains(Array(word)) }), place >= next else {
                return false
            }
            next = place + 1
        }
        return true
    }

    /// In bytes; the longest that is taken has 56 and white space.
    private static let longestDeclaration = 256

    /// What a declaration may have, in this order; the first must be there.
    private static let attributes: [[[UInt8]]] = [
        ("version", ["1.0"]), ("encoding", ["utf-8"]), ("standalone", ["yes", "no"]),
    ].map {
        name, values in
        values.flatMap { value in ["\"", "'"].map { Array("\(name)=\($0)\(value)\($0)".utf8) } }
    }
}
