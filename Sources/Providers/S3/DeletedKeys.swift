import Access
import Bytes

/// The keys in the body of DeleteObjects (Amazon S3 API reference). Every reader of XML must find the same ones, so the document
/// has nothing but them: no versions, no conditions, and nothing that another reader could know more of.
package struct DeletedKeys: Sendable {
    /// At least one.
    package let keys: [[UInt8]]

    /// The most keys of a request.
    private static let most = 1000

    /// Why a body is not taken.
    package struct Fault: Error {
        package let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    package init(reading document: [UInt8]) throws(Fault) {
        guard DeletedKeys.isPlain(document), let root = XMLElement.read(document),
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
        for key in keys {
            count = min(count, key.count)
            while !key.prefix(count).elementsEqual(first.prefix(count)) { count -= 1 }
        }
        let end = first.prefix(count).lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return (Array(first.prefix(end)), true)
    }

    /// Whether the document has no declaration but one of XML 1.0 in UTF-8: readers that forgive mistakes find elements in another, or
    /// take its bytes for those of another encoding.
    private static func isPlain(_ document: [UInt8]) -> Bool {
        var text = document.map(\.lowercasedASCII)[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        let marks = text.ranges(of: Array("<?".utf8)).count
        guard marks > 0 else { return true }
        guard marks == 1, text.starts(with: "<?".utf8), let end = text.firstRange(of: Array("?>".utf8)) else {
            return false
        }
        let words = text[..<end.lowerBound].split { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
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

    /// What a declaration may have, in this order; the first must be there.
    private static let attributes: [[[UInt8]]] = [
        ("version", ["1.0"]), ("encoding", ["utf-8"]), ("standalone", ["yes", "no"]),
    ].map {
        name, values in
        values.flatMap { value in ["\"", "'"].map { Array("\(name)=\($0)\(value)\($0)".utf8) } }
    }
}
