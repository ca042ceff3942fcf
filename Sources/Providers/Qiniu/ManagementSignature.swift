import Access
import Bytes
import Crypto

/// How requests to Qiniu's management services, and callbacks from them, are signed: `scheme AK:sign` in their Authorization
/// field, `sign` being the url-safe base64 of an HMAC-SHA1 (`access-token` page).
package enum ManagementSignature {
    /// Version 2: over method, path, query, host, content type, the `X-Qiniu-` fields and the body. `X-Qiniu-Date` is what
    /// ends its life.
    case qiniu
    /// Version 1: over path, query and the body of a form. It never ends, and holds for every method and host.
    case qbox

    static let form: StaticString = "application/x-www-form-urlencoded"

    /// The scheme's name with the space behind it.
    package var scheme: StaticString {
        switch self {
        case .qiniu: "Qiniu "
        case .qbox: "QBox "
        }
    }

    /// Whether a body of this content type is signed, if there is any. Types compare as bytes, as they do in most of the
    /// vendor's SDKs.
    package func covers(bodyOf contentType: Span<UInt8>) -> Bool {
        switch self {
        case .qiniu: !contentType.isEmpty && !contentType.equals("application/octet-stream")
        case .qbox: contentType.equals(ManagementSignature.form)
        }
    }

    /// Writes the value of the Authorization field.
    /// - Parameter scratch: room to work in.
    package func write(
        for request: borrowing ManagementRequest, with key: SigningKey, into out: inout ByteWriter,
        using scratch: inout ByteWriter
    ) throws(IssueError) {
        scratch.reset()
        writeText(of: request, into: &scratch)
        let code = try key.sha1.code(of: scratch.bytes)
        out.append(scheme)
        out.append(key.accessKey)
        out.append(UInt8(ascii: ":"))
        Base64.urlSafe.encode(code.bytes, into: &out)
    }

    /// Writes the text that is signed.
    package func writeText(of request: borrowing ManagementRequest, into out: inout ByteWriter) {
        switch self {
        case .qiniu:
            out.append(request.method)
            out.append(UInt8(ascii: " "))
            out.append(request.target)
            out.append("\nHost: ")
            out.append(request.host)
            if !request.contentType.isEmpty {
                out.append("\nContent-Type: ")
                out.append(request.contentType)
            }
            for index in 0..<request.fields.count {
                out.append(UInt8(ascii: "\n"))
                request.fields.write(at: index, ": ", into: &out)
            }
            out.append("\n\n")
        case .qbox:
            out.append(request.target)
            out.append(UInt8(ascii: "\n"))
        }
        if covers(bodyOf: request.contentType) { out.append(request.body) }
    }
}
