import Access
import Bytes
import Providers

/// A temporary key, as `/distribute-token.json` and STS itself give it. Its secret and its token are not told.
enum InspectedCredential {
    static let inspector = Inspector(
        "STS credential", "An answer with `AccessKeyId`, `SecurityToken` and `Expiration`.",
        read: { input, _, now in
            guard case .object(let answer) = input.content else { return nil }
            // STS has it within an answer of its own.
            let credential = answer["Credentials"] ?? answer
            guard credential["SecurityToken"] != nil || credential["AccessKeySecret"] != nil else { return nil }
            return inspect(credential, now)
        })

    private static func inspect(_ credential: JSONValue, _ now: Int64) -> Inspection {
        var inspection = Inspection(inspector.kind)
        guard let accessKey = credential.text("AccessKeyId"), let secret = credential.text("AccessKeySecret"),
            let token = credential.text("SecurityToken"), let expiration = credential.text("Expiration")
        else {
            inspection.fails(
                "form", "AccessKeyId, AccessKeySecret, SecurityToken and Expiration must be there, as text")
            return inspection
        }
        inspection.tell("access key", accessKey)
        inspection.tellToken(token)
        guard let end = ISO8601.parse(expiration.span) else {
            inspection.fails("form", "Expiration must be such as 2015-11-03T09:52:59Z: clients read no other form")
            return inspection
        }
        if SessionCredential(accessKeyID: accessKey, secret: secret, securityToken: token, expiresAt: end) == nil {
            inspection.fails(
                "form", "access key, secret and token must be visible ASCII, and no longer than the vendor's")
        }
        if accessKey.starts(with: "STS.SANDBOX".utf8) {
            inspection.tell("from", "the sandbox: it opens nothing at the vendor's")
        } else if !accessKey.starts(with: "STS.".utf8) {
            inspection.fails("access key", "a temporary key's begins with STS.")
        }
        inspection.leavesOpen("token", "only the vendor can read what it allows")
        inspection.ends(at: end, now: now)
        return inspection
    }
}
