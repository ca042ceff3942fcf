import Access
import Bytes

/// What version 1 signs of a request: method, Content-MD5, Content-Type, when, the `x-oss-` fields, and the resource. Its parts
/// are joined without escaping, so what can be read as another request is refused.
extension ObjectRequest {
    /// Writes the text that is signed up to the line that says when.
    func writeStartV1(into out: inout ByteWriter) {
        out.append(method)
        out.append(UInt8(ascii: "\n"))
        out.append(fields.value(of: "content-md5"))
        out.append(UInt8(ascii: "\n"))
        out.append(fields.value(of: "content-type"))
        out.append(UInt8(ascii: "\n"))
    }

    /// Writes the text that is signed from the end of the line that says when.
    func writeEndV1(_ parameters: [NameValue], into out: inout ByteWriter) throws(IssueError) {
        out.append(UInt8(ascii: "\n"))
        fields.write(into: &out, where: OSS.v4.isOwn)
        out.append(UInt8(ascii: "/"))
        if !bucket.isEmpty {
            out.append(bucket)
            out.append(UInt8(ascii: "/"))
        }
        if let fault = ObjectRequest.faultV1(ofKey: key) { throw .unsignable(fault) }
        out.append(key)
        for (index, parameter) in try ObjectRequest.subResources(parameters).enumerated() {
            guard !ObjectRequest.isAmbiguous(parameter.value.span, after: "?&") else {
                throw .unsignable("a sub-resource's value must not go on like a query behind a ? or &")
            }
            guard !ObjectKeyRule.hasDotSegments(behind: parameter.value.span) else {
                throw .unsignable("a sub-resource's value must not contain the segments . or ..")
            }
            out.append(index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            out.append(parameter.name)
            if parameter.value.isEmpty { continue }
            out.append(UInt8(ascii: "="))
            out.append(parameter.value)
        }
    }

    /// Why version 1 cannot sign a request about this key; nil when it can.
    static func faultV1(ofKey key: Span<UInt8>) -> StaticString? {
        isAmbiguous(key, after: "?") ? "a key must not go on like a query behind a ?" : nil
    }

    /// The parameters that are signed, in the order in which they are.
    private static func subResources(_ parameters: [NameValue]) throws(IssueError) -> [NameValue] {
        var signed: [NameValue] = []
        for parameter in parameters {
            let name = parameter.name.span
            if SubResources.isSigned(name) {
                signed.append(parameter)
            } else if name.begins(with: "x-oss-") {
                throw .unsignable("an x-oss- parameter must be of a-z 0-9 and -")
            }
        }
        return signed.sorted { $0.name.precedes($1.name) }
    }

    /// Whether anything behind one of the marks reads as a sub-resource: `a?acl` is a key, and the ACL of `a`. Names that are on
    /// no list count as well, since nobody knows the vendor's whole list.
    private static func isAmbiguous(_ text: Span<UInt8>, after marks: StaticString) -> Bool {
        for index in text.indices where marks.contains(text[index]) {
            let rest = text.extracting(index + 1..<text.count)
            if rest.begins(with: "x-oss-") { return true }
            var end = 0
            while end < rest.count, ByteSet.word.contains(rest[end]) { end += 1 }
            if end > 0, end == rest.count || StaticString("=&?").contains(rest[end]) { return true }
        }
        return false
    }
}
