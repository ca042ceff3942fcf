import Access
import Bytes
import Crypto

/// The Authorization field of a request to NOS: `NOS AK:sign`, `sign` being the standard base64 of the HMAC-SHA256 over method,
/// Content-MD5, Content-Type, Date, the `x-nos-` fields and the resource (`accessControl` page).
package enum NOSHeaderSignature {
    /// - Parameters:
    ///   - date: the Date field exactly as it is sent, such as `Sat, 11 Feb 2012 05:34:55 GMT`; empty where the request has
    ///     `x-nos-date` instead.
    ///   - scratch: room to work in; the text that is signed is there afterwards.
    package static func write(
        for request: borrowing NOSRequest, date: Span<UInt8>, with key: SigningKey, into out: inout ByteWriter,
        using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard isDate(date, of: request) else {
            throw .unsignable("a request must have a Date that begins with its weekday, or x-nos-date")
        }
        scratch.reset()
        request.writeStart(into: &scratch)
        scratch.append(date)
        request.writeEnd(into: &scratch)
        let code = try key.sha256.code(of: scratch.bytes)
        out.append("NOS ")
        out.append(key.accessKey)
        out.append(UInt8(ascii: ":"))
        Base64.standard.encode(code.bytes, into: &out)
    }

    /// A number instead of the date would be a presigned URL's expiry, and this its signature.
    private static func isDate(_ date: Span<UInt8>, of request: borrowing NOSRequest) -> Bool {
        for index in date.indices where !date[index].isVisible && date[index] != UInt8(ascii: " ") { return false }
        return date.isEmpty ? request.fields.contains("x-nos-date") : date[0].isLetterOrDigit && !date[0].isDigit
    }
}
