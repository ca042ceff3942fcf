import Bytes
import Crypto

/// Who has signed a request, and what they may do.
struct OSSCaller {
    let accessKeyID: [UInt8]
    /// The account whose objects they are.
    let account: [UInt8]
    /// nil for the account's own keys and for sessions without a policy, which may do everything.
    let policy: IssuedSessionPolicy?

    /// The region in names of resources; the sandbox stands for all.
    private static let region = "oss-cn-hangzhou"

    /// Refuses what the session's policy does not allow.
    /// - Parameters:
    ///   - action: `oss:PutObject`
    ///   - path: `bucket/key`, `bucket` or `*`.
    func require(_ action: StaticString, on path: [UInt8], _ context: [NameValue]) throws(OSSError) {
        guard let policy else { return }
        let resource = Array("acs:oss:\(OSSCaller.region):\(account.text):".utf8) + path
        let verdict = policy.judge(
            IssuedSessionPolicy.Question(action: action.array, resource: resource, context: context))
        guard verdict != .allowed else { return }
        throw .accessDenied("You have no right to access this object because of STS session policy.")
            .with("AuthAction", action.array).with("AuthResource", resource)
            .with("NoPermissionType", Array((verdict == .explicitDeny ? "ExplicitDeny" : "ImplicitDeny").utf8))
    }
}

/// The keys that may call OSS: the account's own, and those of sessions that the sandbox's STS gave out.
struct OSSAccounts: Sendable {
    let accounts: VendorAccounts
    /// What STS gave out under an access key.
    let session: @Sendable ([UInt8]) -> IssuedCredential?

    /// The account that the own keys belong to.
    static let account = Array("1234567890123456".utf8)

    /// Checks who signed, and that it was this.
    func caller(of claim: OSSClaim, at now: Int64) throws(OSSError) -> OSSCaller {
        if let secret = accounts.secret(of: claim.accessKeyID) {
            guard claim.securityToken == nil else { throw .foreignToken }
            try OSSAccounts.require(claim, isSignedWith: secret)
            return OSSCaller(accessKeyID: claim.accessKeyID, account: OSSAccounts.account, policy: nil)
        }
        // Without its token the key of a session is none.
        guard let session = session(claim.accessKeyID), let token = claim.securityToken else {
            throw .unknownKey(claim.accessKeyID)
        }
        guard Secret(token).constantTimeEquals(Secret(session.securityToken)) else { throw .foreignToken }
        try OSSAccounts.require(claim, isSignedWith: session.secret)
        guard now < session.expiration else { throw .expiredToken }
        return OSSCaller(accessKeyID: claim.accessKeyID, account: session.account, policy: session.policy)
    }

    private static func require(_ claim: OSSClaim, isSignedWith secret: Secret) throws(OSSError) {
        let isSigned: Bool
        do throws(CryptoError) { isSigned = try claim.isSigned(with: secret) } catch { throw .internalError }
        guard isSigned else { throw claim.refusal }
    }
}
