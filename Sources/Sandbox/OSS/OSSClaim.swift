import Bytes
import Crypto

/// What a signed request claims, and what must have been signed for it to be true: each way of signing comes down to this.
struct OSSClaim {
    enum Scheme {
        /// HMAC-SHA1 under the secret, with the signature in base64.
        case v1
        /// HMAC-SHA256 under a key that is derived for a day, a region and a product, with the signature in hexadecimal.
        case v4(OSSScope)
    }

    let scheme: Scheme
    let accessKeyID: [UInt8]
    let securityToken: [UInt8]?
    /// As it was sent.
    let signature: [UInt8]
    /// Made from the request as it was received.
    let stringToSign: [UInt8]
    /// The text behind the string to sign, where that is only a digest.
    var canonicalRequest: [UInt8]?

    /// How far a client's clock may be off, in seconds.
    static let skew: Int64 = 900

    /// Whether the holder of `secret` signed this.
    func isSigned(with secret: Secret) throws(CryptoError) -> Bool {
        let expected: [UInt8]
        switch scheme {
        case .v1:
            expected = Base64.standard.encode(try HMACKey(.sha1, secret).sign(stringToSign.span).bytes.array)
        case .v4(let scope):
            expected = Hex.encode(try scope.key(secret).sign(stringToSign.span).bytes.array)
        }
        // As text, so that no second spelling of the same signature passes.
        return Secret(expected).constantTimeEquals(Secret(signature))
    }

    /// What the vendor tells a client whose signature is wrong, so that both sides can be compared; no secret is in it.
    var refusal: OSSError {
        var error = OSSError.wrongSignature.with("OSSAccessKeyId", accessKeyID).with("SignatureProvided", signature)
            .with("StringToSign", stringToSign).with("StringToSignBytes", OSSClaim.bytes(stringToSign))
        if let canonicalRequest {
            error = error.with("CanonicalRequest", canonicalRequest)
                .with("CanonicalRequestBytes", OSSClaim.bytes(canonicalRequest))
        }
        return error
    }

    /// Each byte as two digits and a space.
    private static func bytes(_ text: [UInt8]) -> [UInt8] {
        text.reduce(into: []) { $0 += Hex.encode([$1]).map(\.uppercasedASCII) + [UInt8(ascii: " ")] }
    }
}

extension OSSClaim {
    /// - Returns: nil where the request is not signed.
    init?(_ request: OSSRequest, at now: Int64) throws(OSSError) {
        // A signature of version 1 covers one value of each; the second would be nobody's.
        for name in ["content-type", "content-md5", "date", "x-oss-date"] as [StaticString]
        where request.head.has(name) && request.head.value(of: name) == nil {
            throw .invalidArgument("The field \(name) is given more than once.")
        }
        let authorization = request.head.value(of: "authorization")
        let isURL =
            ["OSSAccessKeyId", "x-oss-signature-version", "x-oss-credential", "x-oss-signature"]
            .contains { request.has($0) } || request.has("Signature") && request.has("Expires")
        guard request.head.has("authorization") else {
            guard isURL else { return nil }
            if request.has("x-oss-signature-version") {
                self = try OSSClaim(v4URL: request, at: now)
            } else {
                self = try OSSClaim(v1URL: request, at: now)
            }
            return
        }
        guard let authorization, !isURL else {
            throw .invalidArgument("Only one way of authentication is allowed: in the header or in the URL.")
        }
        if authorization.starts(with: "OSS4-HMAC-SHA256 ".utf8) {
            self = try OSSClaim(v4: request, authorization, at: now)
        } else if authorization.starts(with: "OSS ".utf8) {
            self = try OSSClaim(v1: request, authorization, at: now)
        } else {
            throw .invalidArgument("Authorization header is invalid.")
        }
    }
}
