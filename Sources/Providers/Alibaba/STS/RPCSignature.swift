import Bytes
import Crypto

/// Alibaba Cloud's older signature, RPC 1.0, for private clouds that know no other: HMAC-SHA1 over the method and all
/// parameters, under the secret with `&` appended.
enum RPCSignature {
    /// The key that signs.
    static func key(_ secret: Secret) throws(CryptoError) -> HMACKey {
        try HMACKey(.sha1, secret, suffix: [UInt8(ascii: "&")])
    }

    /// The value of the parameter `Signature`, in base64.
    /// - Parameter parameters: those of query and form together.
    static func signature(
        over method: UpstreamCall.Method, _ parameters: [NameValue], _ key: HMACKey
    ) throws(CryptoError) -> [UInt8] {
        let text = stringToSign(method, parameters)
        let code = try key.sign(text.span)
        return [UInt8](atMost: 28) { Base64.standard.encode(code.bytes, into: &$0) }
    }

    static func stringToSign(_ method: UpstreamCall.Method, _ parameters: [NameValue]) -> [UInt8] {
        let canonical = QueryText.form(QueryText.sorted(parameters))
        var text = ByteWriter(capacity: canonical.count * 2)
        text.append(method.name)
        text.append("&%2F&")
        Percent.encode(canonical.span, into: &text)
        return text.array
    }
}
