import Bytes
import Crypto

/// Alibaba Cloud's signature version 3, ACS3-HMAC-SHA256: over method, path, query, all headers that the call has by then,
/// and body. There is no derived key and no scope; date and nonce are headers.
package enum ACS3Signature {
    /// The value of the Authorization field: every header of `call` is signed, and the host as it goes on the wire.
    package static func authorization(
        for call: UpstreamCall, accessKeyID: [UInt8], _ key: HMACKey
    ) throws(CryptoError) -> [UInt8] {
        let headers = signedHeaders(of: call)
        var text = ByteWriter(capacity: 1024)
        try writeCanonical(call, headers, into: &text)
        let digest = try Digest(.sha256, of: text.bytes)
        text.reset()
        text.append("ACS3-HMAC-SHA256\n")
        Hex.encode(digest.bytes, into: &text)
        let code = try key.sign(text.bytes)
        text.reset()
        text.append("ACS3-HMAC-SHA256 Credential=")
        text.append(accessKeyID)
        text.append(",SignedHeaders=")
        writeNames(of: headers, into: &text)
        text.append(",Signature=")
        Hex.encode(code.bytes, into: &text)
        return text.array
    }

    /// The text whose digest is signed.
    static func canonicalRequest(_ call: UpstreamCall) throws(CryptoError) -> [UInt8] {
        var text = ByteWriter(capacity: 1024)
        try writeCanonical(call, signedHeaders(of: call), into: &text)
        return text.array
    }

    private static func writeCanonical(
        _ call: UpstreamCall, _ headers: [NameValue], into text: inout ByteWriter
    ) throws(CryptoError) {
        text.append(call.method.name)
        text.append(UInt8(ascii: "\n"))
        text.append(call.path)
        text.append(UInt8(ascii: "\n"))
        QueryText.write(QueryText.sorted(call.query), into: &text)
        text.append(UInt8(ascii: "\n"))
        for header in headers {
            text.append(header.name)
            text.append(UInt8(ascii: ":"))
            text.append(header.value)
            text.append(UInt8(ascii: "\n"))
        }
        text.append(UInt8(ascii: "\n"))
        writeNames(of: headers, into: &text)
        text.append(UInt8(ascii: "\n"))
        Hex.encode(try Digest(.sha256, of: call.body.span).bytes, into: &text)
    }

    private static func signedHeaders(of call: UpstreamCall) -> [NameValue] {
        QueryText.sorted(
            [NameValue("host", call.authority)]
                + call.headers.map { NameValue($0.name.map(\.lowercasedASCII), $0.value) })
    }

    private static func writeNames(of headers: [NameValue], into text: inout ByteWriter) {
        for (index, header) in headers.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ";")) }
            text.append(header.name)
        }
    }
}
