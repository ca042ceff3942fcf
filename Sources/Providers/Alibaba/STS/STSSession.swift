import Access
import Bytes
import Crypto

/// A credential that is wanted: what it is remembered under, and how it is asked for.
///
/// It is a class so that handing on a remembered one copies nothing.
package final class STSSession: Sendable {
    package let key: CredentialKey
    package let request: AssumeRole
    /// What callers are told it is for; none where no caller gets it.
    package let scope: JSONMembers

    init(_ key: CredentialKey, _ request: AssumeRole, scope: JSONMembers = .none) {
        self.key = key
        self.request = request
        self.scope = scope
    }
}

/// Why no session can be asked for.
package enum STSSessionFault: Error, Sendable {
    /// The permit holds for less than the vendor's shortest session.
    case tooShort
    case policy(SessionPolicy.Fault)
    case request(AssumeRole.Fault)
    case crypto(CryptoError)
}

extension STSSession {
    /// The session that signs for a grant. All callers of the grant share it, since none of them is given its secret.
    /// - Parameter policy: what it may do, as JSON.
    /// - Returns: nil for a policy that the vendor would refuse.
    package convenience init?(
        signingFor grant: Grant, allowing policy: [UInt8], of account: STSAccount
    ) throws(CryptoError) {
        let name = try SessionName(Span(), sharedBy: grant.name)
        let request: AssumeRole
        do throws(AssumeRole.Fault) {
            request = try AssumeRole(
                account, sessionName: name, durationSeconds: account.signingLifetime, policy: policy)
        } catch {
            return nil
        }
        self.init(try CredentialKey(account, request, for: nil), request)
    }
}

extension STSCredential {
    /// The key pair, ready to sign.
    package func signingKey() throws(CryptoError) -> SigningKey {
        try SigningKey(accessKey: accessKeyID, secret: secret, securityToken: securityToken)
    }
}
