import Access
import Bytes
import Providers

/// A temporary key, as `/s3/credentials` and `/s3/sts` give it. Its secret and its token are not told.
enum InspectedS3Credential {
    static let inspector = Inspector(
        "AWS session credential", "An answer of `/s3/credentials` or `/s3/sts`.",
        read: { input, _, now in
            guard case .object(let answer) = input.content else { return nil }
            let credential = answer["credentials"] ?? answer["Credentials"] ?? answer
            guard credential["SecretAccessKey"] != nil || credential["secretAccessKey"] != nil else { return nil }
            return inspect(credential, now)
        })

    private static func inspect(_ credential: JSONValue, _ now: Int64) -> Inspection {
        var inspection = Inspection(inspector.kind)
        func text(_ names: String...) -> [UInt8]? { names.lazy.compactMap { credential.text($0) }.first }
        guard let accessKey = text("AccessKeyId", "accessKeyId"),
            let secret = text("SecretAccessKey", "secretAccessKey"),
            let token = text("SessionToken", "sessionToken", "Token"),
            let expiration = text("Expiration", "expiration")
        else {
            inspection.fails("form", "AccessKeyId, SecretAccessKey, SessionToken and Expiration must be there, as text")
            return inspection
        }
        inspection.tell("access key", accessKey)
        inspection.tellToken(token)
        guard let end = ISO8601.parseInternet(expiration.span) else {
            inspection.fails("form", "Expiration must be such as 2015-11-03T09:52:59Z")
            return inspection
        }
        if SessionCredential(accessKeyID: accessKey, secret: secret, securityToken: token, expiresAt: end) == nil {
            inspection.fails(
                "form", "access key, secret and token must be visible ASCII, and no longer than a vendor's")
        }
        if accessKey.starts(with: "AKIA".utf8) {
            inspection.fails("access key", "one that begins with AKIA is a permanent key's")
        }
        inspection.leavesOpen("token", "only the vendor can read what it allows")
        inspection.ends(at: end, now: now)
        return inspection
    }
}
