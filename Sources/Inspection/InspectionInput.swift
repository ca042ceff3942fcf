import Bytes
import Providers

/// Something given for inspection, as far as it can be told without knowing any vendor: a token or the value of an
/// Authorization field, a URL, a whole request, or a JSON object; or an answer of the service with one of these in it.
package struct InspectionInput: Sendable {
    package enum Content: Sendable {
        /// A token, or the value of an Authorization field; one line without spaces around it.
        case text([UInt8])
        case request(InspectedRequest)
        case object(JSONValue)
    }

    package let content: Content
    /// The answer of the service that the content stood in.
    package let answer: JSONValue?

    /// The most bytes that are read.
    package static let maximumLength = 256 * 1024

    package enum Fault: Error, Sendable, CustomStringConvertible {
        case empty, tooLong
        case badJSON(JSONError)

        package var description: String {
            switch self {
            case .empty: "there is nothing to inspect"
            case .tooLong: "it is longer than \(InspectionInput.maximumLength / 1024) KiB"
            case .badJSON(let error): "it begins as JSON, and is none: at byte \(error.offset), \(error.reason)"
            }
        }
    }

    package init(reading bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= InspectionInput.maximumLength else { throw .tooLong }
        let text = InspectionInput.trimmed(bytes[...])
        guard let first = text.first else { throw .empty }
        if first == UInt8(ascii: "{") {
            do throws(JSONError) {
                self.init(try JSONReader.read(Array(text), as: .json, maximumDepth: 16, maximumValues: 10_000))
            } catch {
                throw .badJSON(error)
            }
        } else if let request = InspectedRequest(text: bytes[text.startIndex...]) ?? InspectedRequest(url: Array(text))
        {
            self.init(.request(request))
        } else {
            self.init(.text(InspectionInput.value(in: text)))
        }
    }

    private init(_ content: Content, in answer: JSONValue? = nil) {
        self.content = content
        self.answer = answer
    }

    private init(_ value: JSONValue) {
        for name in ["uptoken", "token", "authorization", "ticket"] {
            guard case .string(let text)? = value[name]?.content else { continue }
            self.init(.text(text), in: value)
            return
        }
        if let fields = value["fields"], case .object = fields.content {
            self.init(.object(fields), in: value)
        } else if let request = InspectedRequest(answer: value) {
            self.init(.request(request), in: value)
        } else {
            self.init(.object(value))
        }
    }

    /// What an Authorization field says behind its scheme, and the request that it stood in, if that was given.
    /// - Parameter scheme: what such a field begins with, with a space where one follows: `NOS `.
    func authorization(_ scheme: StaticString) -> (value: [UInt8], request: InspectedRequest?)? {
        let length = scheme.utf8CodeUnitCount
        switch content {
        case .text(let text) where text.span.begins(with: scheme): return (Array(text[length...]), nil)
        case .request(let request):
            guard let value = request.field("authorization"), value.span.begins(with: scheme) else { return nil }
            return (Array(value[length...]), request)
        case .text, .object: return nil
        }
    }

    /// Without the field's name or the quotes that it was copied with.
    private static func value(in text: ArraySlice<UInt8>) -> [UInt8] {
        var text = text
        let name = StaticString("authorization:").array
        if text.prefix(name.count).map(\.lowercasedASCII) == name { text = trimmed(text.dropFirst(name.count)) }
        let quote = UInt8(ascii: "\"")
        if text.count >= 2, text.first == quote, text.last == quote { text = trimmed(text.dropFirst().dropLast()) }
        return Array(text)
    }

    static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        var text = text
        while let byte = text.first, isSpace(byte) { text.removeFirst() }
        while let byte = text.last, isSpace(byte) { text.removeLast() }
        return text
    }
}
