@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// A request to or from Qiniu as text; each part may be changed after it has been signed.
struct ManagementSample {
    var method = "POST"
    var target = "/qiniu/callback?from=media"
    var host = "app.example.com"
    var contentType = "application/x-www-form-urlencoded"
    /// Field lines, capitalised; CR LF behind each.
    var fields = "X-Qiniu-Date: 20231114T221320Z\r\nX-Qiniu-Abc: 1\r\n"
    var body = "key=a%2Fb.jpg&size=1500"

    func with(_ change: (inout ManagementSample) -> Void) -> ManagementSample {
        var changed = self
        change(&changed)
        return changed
    }

    func withRequest<Result>(_ use: (borrowing ManagementRequest) throws -> Result) throws -> Result {
        let (method, target, host) = (Array(method.utf8), Array(target.utf8), Array(host.utf8))
        let (contentType, fields, body) = (Array(contentType.utf8), Array(fields.utf8), Array(body.utf8))
        let request = try ManagementRequest(
            method: method.span, target: target.span, host: host.span, contentType: contentType.span,
            fieldLines: fields.span, body: body.span)
        return try use(request)
    }

    /// Our signer's.
    func authorization(_ signature: ManagementSignature, _ key: SigningKey) throws -> String {
        try withRequest { request in
            var out = ByteWriter()
            var scratch = ByteWriter()
            try signature.write(for: request, with: key, into: &out, using: &scratch)
            return out.array.text
        }
    }

    /// What is made of it as a callback with this Authorization field.
    func judged(_ authorization: String, _ key: SigningKey) throws -> CallbackSignature.Verdict {
        let authorization = Array(authorization.utf8)
        return try withRequest { request in
            var scratch = ByteWriter()
            let claim: CallbackSignature.Claim
            do throws(CallbackSignature.Fault) {
                claim = try CallbackSignature.claim(in: authorization.span, of: key)
            } catch {
                return .refused(error)
            }
            return try CallbackSignature.judge(claim, of: request, with: key, using: &scratch)
        }
    }

    /// The text that our signer signs.
    func text(_ signature: ManagementSignature) throws -> String {
        try withRequest { request in
            var out = ByteWriter()
            signature.writeText(of: request, into: &out)
            return out.array.text
        }
    }
}
