import Access
import Bytes

/// A part of an upload, as clients and S3 name it.
struct UploadedPart: Sendable {
    let number: Int64
    let tag: [UInt8]
    /// In bytes; nil where a client names it.
    var size: Int64?

    /// The most URLs that one request gets.
    static let mostURLs = 100
    private static let longestTag = 256

    private init?(_ number: Int64?, _ tag: [UInt8]?) {
        // What XML gives a meaning is no tag's.
        guard let number, let tag, UppyRequest.partNumbers.contains(number),
            (1...UploadedPart.longestTag).contains(tag.count),
            tag.allSatisfy({ $0.isVisible && !StaticString("<>&").contains($0) })
        else { return nil }
        (self.number, self.tag) = (number, tag)
    }

    /// As S3 lists it.
    init?(_ element: XMLElement) {
        self.init(element.text("PartNumber").flatMap { Decimal.parse($0.span) }, element.text("ETag"))
        size = element.text("Size").flatMap { Decimal.parse($0.span) }
        guard size != nil else { return nil }
    }

    /// Those that an object shall be made of: a JSON list of objects with `PartNumber` and `ETag`.
    /// - Parameter name: of the parameter.
    static func list(_ text: Span<UInt8>?, of name: String) throws(AskError) -> [UploadedPart] {
        guard let text else { throw AskError(.missing, name, "must be a list of PartNumber and ETag") }
        let fault = AskError(
            .invalid, name, "must be a list of objects with PartNumber, from 1 to 10000, and ETag, each part once")
        guard let value = try? JSONReader.read(text, as: .json, maximumDepth: 4),
            case .array(let elements) = value.content,
            (1...Int(UppyRequest.partNumbers.upperBound)).contains(elements.count)
        else { throw fault }
        var parts: [UploadedPart] = []
        var known: Set<Int64> = []
        for element in elements {
            guard let part = UploadedPart(element["PartNumber"]?.integer, element["ETag"]?.text),
                known.insert(part.number).inserted
            else { throw fault }
            parts.append(part)
        }
        // Clients may upload in any order; S3 wants theirs.
        return parts.sorted { $0.number < $1.number }
    }

    /// Numbers with commas between.
    static func numbers(_ text: Span<UInt8>?, of name: String) throws(AskError) -> [Int64] {
        guard let text else { throw AskError(.missing, name, "must be numbers with commas between") }
        let numbers = text.array.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { Decimal.parse(Array($0).span) }
        guard numbers.count <= mostURLs, numbers.allSatisfy({ $0.map(UppyRequest.partNumbers.contains) == true }) else {
            throw AskError(.invalid, name, "must be at most \(mostURLs) numbers from 1 to 10000, with commas between")
        }
        let found = numbers.compactMap(\.self)
        guard Set(found).count == found.count else { throw AskError(.invalid, name, "must have each number once") }
        return found
    }
}
