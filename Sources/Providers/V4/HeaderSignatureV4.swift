import Access
import Bytes
import Crypto

/// The Authorization field of version 4: `AWS4-HMAC-SHA256 Credential=AK/scope, SignedHeaders=a;b, Signature=hex`, or
/// `OSS4-HMAC-SHA256 Credential=AK/scope[,AdditionalHeaders=a;b],Signature=hex`.
package enum HeaderSignatureV4 {
    /// Writes the field lines that a request must have before it is signed.
    /// - Parameters:
    ///   - moment: seconds since 1970.
    ///   - token: what belongs to a temporary key: visible ASCII.
    static func writeFields(_ scheme: V4Scheme, at moment: Int64, token: [UInt8]?, into out: inout ByteWriter) {
        writePayload(V4Scheme.unsignedPayload.bytes, scheme, into: &out)
        writeDate(scheme, at: moment, token: token, into: &out)
    }

    /// The first of them.
    /// - Parameter payload: the body's hash, or `V4Scheme.unsignedPayload`.
    static func writePayload(_ payload: Span<UInt8>, _ scheme: V4Scheme, into out: inout ByteWriter) {
        out.append(field: scheme.fields.contentHash, payload)
    }

    /// The others.
    static func writeDate(_ scheme: V4Scheme, at moment: Int64, token: [UInt8]?, into out: inout ByteWriter) {
        out.append(scheme.fields.date)
        out.append(": ")
        ISO8601.writeBasic(moment, into: &out)
        out.append("\r\n")
        if let token { out.append(field: scheme.fields.token, token.span) }
    }

    /// - Parameters:
    ///   - canonical: of the request with all its fields, those of `writeFields` among them.
    ///   - scratch: room to work in; the string to sign is there afterwards.
    package static func write(
        for canonical: borrowing CanonicalRequest, with key: ScopedKey, into out: inout ByteWriter,
        using scratch: inout ByteWriter
    ) throws(IssueError) {
        let (fields, scheme) = (canonical.request.fields, key.scheme)
        guard let moment = ISO8601.parseBasic(fields.value(of: scheme.fields.date)) else {
            throw .unsignable("a request must have the field of its date, such as 20240106T233431Z")
        }
        let payload = fields.value(of: scheme.fields.contentHash)
        guard scheme.isPayload(payload) else {
            throw .unsignable(
                "the field of the body's hash must be UNSIGNED-PAYLOAD, or a SHA-256 if the vendor takes it")
        }
        scratch.reset()
        canonical.write(payload: payload, into: &scratch)
        write(try key.code(ofRequest: &scratch, at: moment), of: canonical, with: key, into: &out)
    }

    /// Writes it for a signature that has been made.
    static func write(
        _ code: Digest, of canonical: borrowing CanonicalRequest, with key: ScopedKey, into out: inout ByteWriter
    ) {
        let scheme = key.scheme
        out.append(scheme.algorithm)
        out.append(" Credential=")
        out.append(key.credential)
        if canonical.hasNames {
            out.append(scheme.authorization.separator)
            out.append(scheme.authorization.signedHeaders)
            out.append("=")
            canonical.writeNames(isEncoded: false, into: &out)
        }
        out.append(scheme.authorization.separator)
        out.append("Signature=")
        Hex.encode(code.bytes, into: &out)
    }
}
