import Access
import Bytes

/// A request to NOS, as much of it as its signatures cover (`accessControl` page). What the vendor's SDKs would sign
/// differently is refused.
package struct NOSRequest: ~Escapable {
    /// What the fields of a request say of its body; each is empty when there is no such field.
    package struct Content: ~Escapable {
        /// The Content-MD5 field, which is hex with this vendor.
        fileprivate let md5: Span<UInt8>
        /// The Content-Type field.
        fileprivate let type: Span<UInt8>

        @_lifetime(copy md5, copy type)
        package init(md5: Span<UInt8> = Span(), type: Span<UInt8> = Span()) {
            self.md5 = md5
            self.type = type
        }
    }

    /// Sorted by name.
    let parameters: [QueryParameter]
    /// The `x-nos-` fields.
    let fields: SignedFields
    private let method: Span<UInt8>
    private let bucket: Span<UInt8>
    private let key: Span<UInt8>
    private let content: Content

    /// - Parameters:
    ///   - bucket: empty for the service itself.
    ///   - key: the whole object name, not encoded; empty for the bucket itself.
    ///   - fieldLines: field lines as they are sent, each ended by CR LF; those that are not signed do not matter.
    @_lifetime(copy method, copy bucket, copy key, copy content, copy fieldLines)
    package init(
        method: Span<UInt8>, bucket: Span<UInt8>, key: Span<UInt8>, parameters: [QueryParameter] = [],
        content: Content, fieldLines: Span<UInt8>
    ) throws(IssueError) {
        for index in method.indices where method[index] < UInt8(ascii: "A") || method[index] > UInt8(ascii: "Z") {
            throw .unsignable("a method must be of capital letters")
        }
        guard !method.isEmpty else { throw .unsignable("a request must have a method") }
        guard bucket.isEmpty ? key.isEmpty : BucketRule.admits(bucket) else {
            throw .unsignable("a bucket must be 1 to 63 letters, digits, - _ or .")
        }
        guard content.md5.isEmpty || NOSRequest.isMD5(content.md5) else {
            throw .unsignable("Content-MD5 must be 32 hex digits in lower case")
        }
        guard NOSRequest.isPlain(content.type) else {
            throw .unsignable("a content type must be ASCII without spaces or quotes around it")
        }
        let fields = try SignedFields(fieldLines, prefix: "x-nos-", .lowerCase)
        for index in 0..<fields.count where !NOSRequest.isPlain(fields.value(at: index)) {
            throw .unsignable("an x-nos- field must not have quotes around its value")
        }
        self.parameters = parameters.sorted { $0.name.precedes($1.name) }
        self.fields = fields
        self.method = method
        self.bucket = bucket
        self.key = key
        self.content = content
        try NOSRequest.check(self.parameters)
    }

    /// Writes `https://bucket.endpoint/key?parameters`.
    func writeURL(on endpoint: BaseURL, into out: inout ByteWriter) {
        if bucket.isEmpty { endpoint.write(into: &out) } else { endpoint.write(bucket: bucket, into: &out) }
        out.append(UInt8(ascii: "/"))
        NOSObjectName.encode(key, into: &out)
        for (index, parameter) in parameters.enumerated() {
            out.append(index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            NOSRequest.write(parameter, into: &out)
        }
    }

    /// Writes the text that is signed up to the line that says when.
    func writeStart(into out: inout ByteWriter) {
        out.append(method)
        out.append(UInt8(ascii: "\n"))
        out.append(content.md5)
        out.append(UInt8(ascii: "\n"))
        out.append(content.type)
        out.append(UInt8(ascii: "\n"))
    }

    /// Writes the text that is signed from the end of the line that says when.
    func writeEnd(into out: inout ByteWriter) {
        out.append(UInt8(ascii: "\n"))
        for index in 0..<fields.count {
            fields.write(at: index, ":", into: &out)
            out.append(UInt8(ascii: "\n"))
        }
        out.append(UInt8(ascii: "/"))
        if !bucket.isEmpty {
            out.append(bucket)
            out.append(UInt8(ascii: "/"))
        }
        NOSObjectName.encode(key, into: &out)
        var separator = UInt8(ascii: "?")
        for parameter in parameters where NOSSubResources.isSigned(parameter.name) {
            out.append(separator)
            NOSRequest.write(parameter, into: &out)
            separator = UInt8(ascii: "&")
        }
    }

    private static func write(_ parameter: QueryParameter, into out: inout ByteWriter) {
        out.append(parameter.name)
        guard let value = parameter.value else { return }
        out.append(UInt8(ascii: "="))
        Percent.encode(value.span, keeping: .dottedWord, into: &out)
    }

    /// - Parameter parameters: sorted by name.
    private static func check(_ parameters: [QueryParameter]) throws(IssueError) {
        for (index, parameter) in parameters.enumerated() {
            guard !parameter.name.isEmpty, ByteSet.dottedWord.contains(all: parameter.name),
                !NOSSubResources.isBarred(parameter.name)
            else {
                throw .unsignable(
                    "a query parameter must have a name of a-z A-Z 0-9 and -._ that is not the signature's")
            }
            if index > 0, parameters[index - 1].name == parameter.name {
                throw .unsignable("a query parameter must not come twice")
            }
            // One SDK signs such a value encoded, another as it is.
            if NOSSubResources.isSigned(parameter.name), let value = parameter.value {
                guard !value.isEmpty, ByteSet.dottedWord.contains(all: value) else {
                    throw .unsignable("a sub-resource's value must be of a-z A-Z 0-9 and -._")
                }
            }
        }
    }

    private static func isMD5(_ text: Span<UInt8>) -> Bool {
        text.count == 32 && ByteSet.lowercaseHex.contains(all: text)
    }

    /// Visible ASCII and spaces; neither spaces nor quotes around it, which one SDK strips before it signs.
    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !text[index].isVisible && text[index] != UInt8(ascii: " ") { return false }
        return text.isEmpty || isEdge(text[0]) && isEdge(text[text.count - 1])
    }

    private static func isEdge(_ byte: UInt8) -> Bool { !StaticString(" '\"").contains(byte) }
}
