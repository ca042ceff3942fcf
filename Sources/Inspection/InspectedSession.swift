import Access
import Bytes
import Providers

/// A temporary key of a vendor, as anybody may have been given it. Its secret and its token are not told.
struct InspectedSession {
    /// The names of its parts, in each spelling that there is.
    let accessKey, secret, token, expiration: [String]
    /// When it ends, as its clients read that.
    let end: @Sendable (Span<UInt8>) -> Int64?
    /// What is wrong with another end.
    let endFault: String
    /// What is noted of the access key.
    let judge: @Sendable (_ accessKey: [UInt8], inout Inspection) -> Void

    func inspect(_ credential: JSONValue, as kind: String, at now: Int64) -> Inspection {
        var inspection = Inspection(kind)
        func text(_ names: [String]) -> [UInt8]? { names.lazy.compactMap { credential.text($0) }.first }
        guard let key = text(accessKey), let secret = text(secret), let token = text(token),
            let expiration = text(expiration)
        else {
            let names = [accessKey, self.secret, self.token, self.expiration].map { $0[0] }
            inspection.fails(
                "form", "\(names.dropLast().joined(separator: ", ")) and \(names[3]) must be there, as text")
            return inspection
        }
        inspection.tell("access key", key)
        inspection.tellToken(token)
        guard let end = end(expiration.span) else {
            inspection.fails("form", "Expiration must be such as 2015-11-03T09:52:59Z\(endFault)")
            return inspection
        }
        if SessionCredential(accessKeyID: key, secret: secret, securityToken: token, expiresAt: end) == nil {
            inspection.fails(
                "form", "access key, secret and token must be visible ASCII, and no longer than a vendor's")
        }
        judge(key, &inspection)
        inspection.leavesOpen("token", "only the vendor can read what it allows")
        inspection.ends(at: end, now: now)
        return inspection
    }
}
