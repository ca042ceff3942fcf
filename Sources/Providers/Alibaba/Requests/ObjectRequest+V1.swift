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
    /// - Parameter token: of a temporary key, where the query will have it.
    func writeEndV1(token: [UInt8]? = nil, into out: inout ByteWriter) throws(IssueError) {
        out.append(UInt8(ascii: "\n"))
        fields.write(into: &out, where: OSS.v4.isOwn)
        out.append(UInt8(ascii: "/"))
        if !bucket.isEmpty {
            out.append(bucket)
            out.append(UInt8(ascii: "/"))
        }
        if let fault = ObjectRequest.faultV1(ofKey: key) { throw .unsignable(fault) }
        out.append(key)
        guard let token else { return try ObjectRequest.writeSubResources(of: query, into: &out) }
        try ByteWriter.lending { text throws(IssueError) in
            text.append(query.text)
            text.append(parameter: StaticString("security-token").bytes, token.span)
            try ObjectRequest.writeSubResources(of: NamedValues(query: text.bytes), into: &out)
        }
    }

    /// Why version 1 cannot sign a request about this key; nil when it can.
    static func faultV1(ofKey key: Span<UInt8>) -> StaticString? {
        isAmbiguous(key, after: "?") ? "a key must not go on like a query behind a ?" : nil
    }

    /// Writes the parameters that are signed, in their order, and decoded.
    private static func writeSubResources(of query: NamedValues, into out: inout ByteWriter) throws(IssueError) {
        guard !query.contains(where: { !SubResources.isSigned($0) && $0.begins(with: "x-oss-") }) else {
            throw .unsignable("an x-oss- parameter must be of a-z 0-9 and -")
        }
        // Those that are signed have names that no encoding changes.
        let signed = query.sorted(in: .asNamed) { SubResources.isSigned($0) }
        for index in 0..<signed.count {
            out.append(index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            out.append(query.bytes(signed[index].name))
            if signed[index].value.isEmpty { continue }
            out.append(UInt8(ascii: "="))
            let start = out.count
            guard Percent.decode(query.bytes(signed[index].value), plusIsSpace: false, into: &out) else {
                throw .unsignable("a sub-resource's value must be percent-encoded")
            }
            let value = out.bytes.extracting(start..<out.count)
            guard !isAmbiguous(value, after: "?&") else {
                throw .unsignable("a sub-resource's value must not go on like a query behind a ? or &")
            }
            guard !ObjectKeyRule.hasDotSegments(behind: value) else {
                throw .unsignable("a sub-resource's value must not contain the segments . or ..")
            }
        }
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
