import Access
import Bytes
import Crypto

/// The Authorization field of version 4: `OSS4-HMAC-SHA256 Credential=AK/scope[,AdditionalHeaders=a;b],Signature=hex`.
package enum HeaderSignatureV4 {
    /// Writes the field lines that a request must have before it is signed.
    /// - Parameters:
    ///   - moment: seconds since 1970.
    ///   - token: what belongs to a temporary key: visible ASCII.
    static func writeFields(at moment: Int64, token: [UInt8]?, into out: inout ByteWriter) {
        out.append("x-oss-content-sha256: ")
        out.append(CanonicalRequest.payload)
        out.append("\r\nx-oss-date: ")
        ISO8601.writeBasic(moment, into: &out)
        out.append("\r\n")
        if let token {
            out.append("x-oss-security-token: ")
            out.append(token)
            out.append("\r\n")
        }
    }

    /// - Parameters:
    ///   - canonical: of the request with all its fields, those of `writeFields` among them.
    ///   - scratch: room to work in; the string to sign is there afterwards.
    package static func write(
        for canonical: borrowing CanonicalRequest, with key: ScopedKey, into out: inout ByteWriter,
        using scratch: inout ByteWriter
    ) throws(IssueError) {
        let fields = canonical.request.fields
        guard let moment = ISO8601.parseBasic(fields.value(of: "x-oss-date")) else {
            throw .unsignable("a request must have x-oss-date, such as 20240106T233431Z")
        }
        guard fields.value(of: "x-oss-content-sha256").equals(CanonicalRequest.payload) else {
            throw .unsignable("x-oss-content-sha256 must be UNSIGNED-PAYLOAD")
        }
        scratch.reset()
        canonical.write(canonical.request.parameters, into: &scratch)
        let code = try key.code(ofRequest: &scratch, at: moment)
        out.append(ScopedKey.algorithm)
        out.append(" Credential=")
        out.append(key.credential)
        if !canonical.additional.isEmpty {
            out.append(",AdditionalHeaders=")
            canonical.writeAdditional(into: &out)
        }
        out.append(",Signature=")
        Hex.encode(code.bytes, into: &out)
    }
}
