import Access
import Bytes
import Crypto

/// Version 1 of the signature of OSS's forms.
extension PostForm {
    /// Version 1: `Signature` is the standard base64 of the HMAC-SHA1 over the policy's base64.
    /// - Parameter scratch: room to work in; the policy is there afterwards.
    @discardableResult
    static func writeV1(
        _ policy: PostPolicy, _ scope: borrowing PostPolicy.Scope, by signer: OSSSigner.V1,
        into form: inout JSONObject, using scratch: inout ByteWriter
    ) throws(IssueError) -> Ranges {
        try write(policy, scope, SignatureFields(OSS.v4, token: signer.token), into: &form, using: &scratch) {
            policy, form throws(IssueError) in try signV1(policy, with: signer.key, into: &form)
        }
    }

    /// Adds the members that hold a policy of any form and its signature.
    @discardableResult
    static func signV1(
        _ policy: Span<UInt8>, with key: SigningKey, into form: inout JSONObject
    ) throws(IssueError) -> Ranges {
        let (encoded, code) = try add(policy, to: &form) { text throws(IssueError) in try key.sha1.code(of: text) }
        form.add("OSSAccessKeyId", key.accessKey)
        let signature = form.add(
            "Signature", text: { range(of: { Base64.standard.encode(code.bytes, into: &$0) }, in: &$0) })
        return Ranges(policy: encoded, signature: signature)
    }
}
