import Bytes

// The RPC 1.0 signature: parameters in query and form are signed together.
extension SignatureClaim {
    init(rpc method: [UInt8], _ parameters: QueryItems) throws(STSComplaint) {
        func required(_ name: String) throws(STSComplaint) -> [UInt8] {
            guard let value = parameters[name], !value.isEmpty else { throw .missing(name) }
            return value
        }
        let action = try required("Action")
        let version = try required("Version")
        let accessKeyID = try required("AccessKeyId")
        let signature = try required("Signature")
        guard try required("SignatureMethod").elementsEqual("HMAC-SHA1".utf8) else { throw .wrongSignatureMethod }
        guard try required("SignatureVersion").elementsEqual("1.0".utf8) else { throw .wrongSignatureVersion }
        // One of the vendor's SDKs sends it, and sends it empty.
        guard parameters["SignatureType"]?.isEmpty ?? true else { throw .wrongSignatureType }
        let nonce = try required("SignatureNonce")
        let date = try required("Timestamp")
        // Without it the vendor answers XML, which the sandbox cannot.
        guard let format = parameters["Format"], format.elementsEqual("JSON".utf8) else { throw .wrongFormat }
        let signed = parameters.all.filter { !$0.name.elementsEqual("Signature".utf8) }
        self.init(
            scheme: .rpc, action: action, version: version, accessKeyID: accessKeyID,
            securityToken: parameters["SecurityToken"], nonce: nonce, date: date, signature: signature,
            stringToSign: method + Array("&%2F&".utf8) + QueryItems.encode(QueryItems.canonical(signed)),
            canonicalRequest: nil, parameters: parameters)
    }
}
