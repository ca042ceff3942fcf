import Access
import Bytes
import Crypto

/// The Authorization field of version 1: `OSS AK:sign`, `sign` being the standard base64 of an HMAC-SHA1 (OSS API reference,
/// "Include signatures in the Authorization header").
package enum HeaderSignatureV1 {
    /// Writes the field lines that a request must have before it is signed.
    /// - Parameters:
    ///   - moment: seconds since 1970.
    ///   - token: what belongs to a temporary key: visible ASCII.
    static func writeFields(at moment: Int64, token: [UInt8]?, into out: inout ByteWriter) {
        // Browsers let nobody set Date.
        out.append("x-oss-date: ")
        HTTPDate.write(moment, into: &out)
        out.append("\r\n")
        if let token { out.append(field: "x-oss-security-token", token.span) }
    }

    /// - Parameters:
    ///   - request: with all its fields, those of `writeFields` among them; Date may stand for x-oss-date.
    ///   - scratch: room to work in; the text that is signed is there afterwards.
    package static func write(
        for request: borrowing ObjectRequest, with key: SigningKey, into out: inout ByteWriter,
        using scratch: inout ByteWriter
    ) throws(IssueError) {
        let date = request.fields.value(of: request.fields.contains("x-oss-date") ? "x-oss-date" : "date")
        // A number instead of the date would be a URL's end, and this its signature.
        guard HTTPDate.parse(date) != nil else { throw .unsignable("a request must have a date in HTTP's form") }
        scratch.reset()
        request.writeStartV1(into: &scratch)
        scratch.append(date)
        try request.writeEndV1(into: &scratch)
        let code = try key.sha1.code(of: scratch.bytes)
        out.append("OSS ")
        out.append(key.accessKey)
        out.append(UInt8(ascii: ":"))
        Base64.standard.encode(code.bytes, into: &out)
    }
}
