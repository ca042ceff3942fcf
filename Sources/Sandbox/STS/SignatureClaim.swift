import Bytes
import Crypto

/// What a signed request claims, and what must have been signed for it to be true: either scheme comes down to this.
struct SignatureClaim {
    enum Scheme {
        /// ACS3-HMAC-SHA256, with the signature in hexadecimal.
        case acs3
        /// RPC 1.0: HMAC-SHA1 under the secret and `&`, with the signature in base64.
        case rpc
    }

    let scheme: Scheme
    let action: [UInt8]
    let version: [UInt8]
    let accessKeyID: [UInt8]
    let securityToken: [UInt8]?
    let nonce: [UInt8]
    let date: [UInt8]
    /// As it was sent.
    let signature: [UInt8]
    /// Made from the request as it was received.
    let stringToSign: [UInt8]
    /// The text behind the string to sign, where that is only a digest.
    let canonicalRequest: [UInt8]?
    let parameters: QueryItems
}

extension SignatureClaim {
    /// Reads a request signed in either way.
    init(_ request: SandboxRequest) throws(STSComplaint) {
        let method = request.method
        guard request.isMethod("GET") || request.isMethod("POST") else { throw .unsupportedMethod }
        guard request.path.elementsEqual("/".utf8) else { throw .unknownAction }
        let parameters = try QueryItems(request)
        // The vendor's older SDK sends the fields of ACS3 beside the parameters of RPC; only one of them authorises.
        let isRPC = parameters["Signature"] != nil || parameters["AccessKeyId"] != nil
        if request.has("authorization") || !isRPC && request.has("x-acs-action") {
            try self.init(acs3: request, method, parameters)
        } else {
            try self.init(rpc: method, parameters)
        }
    }

    /// Whether the holder of `secret` signed this.
    func isSigned(with secret: Secret) throws(CryptoError) -> Bool {
        let expected: [UInt8]
        switch scheme {
        case .acs3: expected = Hex.encode(try HMACKey(.sha256, secret).sign(stringToSign.span).bytes.array)
        case .rpc:
            let key = try HMACKey(.sha1, secret, suffix: [UInt8(ascii: "&")])
            expected = Base64.standard.encode(try key.sign(stringToSign.span).bytes.array)
        }
        // As text, so that no second spelling of the same signature passes.
        return Secret(expected).constantTimeEquals(Secret(signature))
    }

    /// What the vendor tells a caller whose signature is wrong, so that both sides can be compared; no secret is in it.
    var explanation: String {
        guard let canonicalRequest else { return "server string to sign is:\(stringToSign.text)" }
        return "server StringToSign is [\(stringToSign.text)] server CanonicalRequest is [\(canonicalRequest.text)]"
    }
}
