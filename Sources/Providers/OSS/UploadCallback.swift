import Bytes
import Crypto

/// Whether a callback comes from OSS, and says what OSS said: its Authorization field is the base64 of the vendor's RSA
/// signature, by MD5, over path, query and body (OSS API reference, "Callback").
enum UploadCallback {
    enum Verdict: Equatable {
        case genuine
        case refused(Fault)
    }

    enum Fault: Equatable {
        /// The field is no base64, or the path could be read in two ways.
        case malformed
        case wrongSignature
    }

    /// - Parameters:
    ///   - authorization: the Authorization field's value.
    ///   - path: of the callback's URL, as it is on the request line.
    ///   - query: without its `?`; nil where the request line has none.
    ///   - publicKey: the vendor's, from where `CallbackKeyURL` says.
    ///   - scratch: room to work in.
    static func judge(
        _ authorization: Span<UInt8>, path: Span<UInt8>, query: Span<UInt8>?, body: Span<UInt8>,
        by publicKey: RSAPublicKey, using scratch: inout ByteWriter
    ) throws(CryptoError) -> Verdict {
        guard let signature = Base64.standard.decode(authorization), !signature.isEmpty else {
            return .refused(.malformed)
        }
        scratch.reset()
        guard writeText(path: path, query: query, body: body, into: &scratch) else { return .refused(.malformed) }
        let isGenuine = try publicKey.verifies(signature.span, over: scratch.bytes, .md5)
        return isGenuine ? .genuine : .refused(.wrongSignature)
    }

    /// Writes the text that is signed: the path decoded, the query as it is, a line feed, the body.
    /// - Returns: false for a path that does not end where it seems to, or that the vendor's own samples decode in two ways.
    private static func writeText(
        path: Span<UInt8>, query: Span<UInt8>?, body: Span<UInt8>, into out: inout ByteWriter
    ) -> Bool {
        guard path.firstIndex(of: UInt8(ascii: "+")) == nil, Percent.decode(path, plusIsSpace: false, into: &out) else {
            return false
        }
        for index in 0..<out.count where out.bytes[index] < 0x20 || out.bytes[index] == UInt8(ascii: "?") {
            return false
        }
        if let query {
            out.append(UInt8(ascii: "?"))
            out.append(query)
        }
        out.append(UInt8(ascii: "\n"))
        out.append(body)
        return true
    }
}
