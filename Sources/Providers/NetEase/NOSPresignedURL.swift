import Access
import Bytes
import Crypto

/// A URL that carries its own signature until a moment: the text is a header signature's with the expiry where the date would
/// be (`accessControl` page). The signature that the page prints is an HMAC-SHA1's; the service's are HMAC-SHA256.
package enum NOSPresignedURL {
    /// - Parameters:
    ///   - deadline: seconds since 1970.
    ///   - out: what is written there stands in a JSON string as it is.
    ///   - scratch: room to work in.
    package static func write(
        for request: borrowing NOSRequest, on endpoint: BaseURL, until deadline: Int64, with key: SigningKey,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard deadline > 0 else { throw .unsignable("a URL must end after 1970") }
        scratch.reset()
        request.writeStart(into: &scratch)
        scratch.append(decimal: deadline)
        request.writeEnd(into: &scratch)
        let code = try key.sha256.code(of: scratch.bytes)
        request.writeURL(on: endpoint, into: &out)
        out.append(request.parameters.isEmpty ? "?NOSAccessKeyId=" : "&NOSAccessKeyId=")
        let accessKey = key.accessKey
        Percent.encode(accessKey.span, into: &out)
        out.append("&Expires=")
        out.append(decimal: deadline)
        out.append("&Signature=")
        scratch.reset()
        Base64.standard.encode(code.bytes, into: &scratch)
        Percent.encode(scratch.bytes, into: &out)
    }
}
