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
        guard DeletedKeys.isUTF8(document), let root = XMLElement.read(document), root.name.elementsEqual("Delete".utf8)
        else { throw Fault("must be a document Delete in UTF-8") }
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

    /// Whether no reader takes its bytes for those of another encoding.
    private static func isUTF8(_ document: [UInt8]) -> Bool {
        let text = document.map(\.lowercasedASCII)
        guard let end = text.firstRange(of: Array("?>".utf8))?.lowerBound else { return true }
        let declaration = text[..<end]
        let names = declaration.ranges(of: Array("encoding".utf8)).count
        let utf8 = ["\"", "'"].map { declaration.ranges(of: Array("encoding=\($0)utf-8\($0)".utf8)).count }
        return names == utf8.reduce(0, +) && names < 2
    }
}
