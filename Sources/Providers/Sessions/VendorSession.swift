import Access
import Bytes
import Crypto

/// A credential that is wanted: what it is remembered under, and how it is asked for.
///
/// It is a class so that handing on a remembered one copies nothing.
package final class VendorSession: Sendable {
    package let key: CredentialKey
    package let request: any SessionRequest
    /// What callers are told it is for; none where no caller gets it.
    package let scope: JSONMembers

    init(_ key: CredentialKey, _ request: any SessionRequest, scope: JSONMembers = .none) {
        self.key = key
        self.request = request
        self.scope = scope
    }
}

/// Why no session can be asked for.
package enum SessionRequestFault: Error, Sendable {
    /// The permit holds for less than the vendor's shortest session.
    case tooShort
    case policy(SessionPolicy.Fault)
    /// The vendor would refuse this parameter.
    case parameter(String)
    case crypto(CryptoError)
}

extension VendorSession {
    /// The session that signs for a grant. All callers of the grant share it, since none of them is given its secret.
    /// - Parameter policy: what it may do, as JSON.
    /// - Returns: nil for a policy that the vendor would refuse.
    package convenience init?(
        signingFor grant: Grant, allowing policy: [UInt8], of source: any SessionSource
    ) throws(CryptoError) {
        let name = try SessionName(Span(), sharedBy: grant.name, atMost: source.longestName)
        let request: any SessionRequest
        do throws(SessionRequestFault) {
            request = try source.request(named: name, lasting: source.signingLifetime, allowing: policy)
        } catch {
            return nil
        }
        self.init(try CredentialKey(source, request, for: nil), request)
    }
}
