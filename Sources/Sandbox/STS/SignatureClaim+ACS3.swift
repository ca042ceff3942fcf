import Bytes
import Crypto

// The ACS3-HMAC-SHA256 signature: method, path, query, the fields that it names, and the body's digest.
extension SignatureClaim {
    init(acs3 request: SandboxRequest, _ method: [UInt8], _ parameters: QueryItems) throws(STSComplaint) {
        let authorization = try ACS3Authorization(request)
        func field(_ name: StaticString, _ parameter: String) throws(STSComplaint) -> [UInt8] {
            guard let value = request.value(of: name), !value.isEmpty else {
                throw .missing(parameter, as: name.description)
            }
            return value
        }
        let action = try field("x-acs-action", "Action")
        let version = try field("x-acs-version", "Version")
        let date = try field("x-acs-date", "Timestamp")
        let nonce = try field("x-acs-signature-nonce", "SignatureNonce")
        let hash = try field("x-acs-content-sha256", "ContentSha256")
        try authorization.requireCoverage(of: request)
        guard hash == (try SignatureClaim.hash(request.body)) else {
            throw .wrongSignature("x-acs-content-sha256 is not the SHA-256 of the body.")
        }
        let canonicalRequest = try authorization.canonicalRequest(of: request, method, contentHash: hash)
        if let keyID = request.value(of: "x-acs-accesskey-id"), keyID != authorization.accessKeyID {
            throw .wrongSignature("x-acs-accesskey-id is not the key of the Authorization field.")
        }
        self.init(
            scheme: .acs3, action: action, version: version, accessKeyID: authorization.accessKeyID,
            securityToken: request.value(of: "x-acs-security-token"), nonce: nonce, date: date,
            signature: authorization.signature,
            stringToSign: Array("ACS3-HMAC-SHA256\n".utf8) + (try SignatureClaim.hash(canonicalRequest)),
            canonicalRequest: canonicalRequest, parameters: parameters)
    }

    /// SHA-256 in lower-case hexadecimal.
    private static func hash(_ bytes: [UInt8]) throws(STSComplaint) -> [UInt8] {
        do throws(CryptoError) { return Hex.encode(try Digest(.sha256, of: bytes.span).bytes.array) } catch {
            throw .internalError
        }
    }
}
