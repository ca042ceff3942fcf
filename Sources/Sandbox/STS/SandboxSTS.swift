import Bytes
import Crypto
import HTTP

/// A small STS for trying the service without an account: it asks of a request what the vendor documents, and answers
/// `AssumeRole` with credentials that open nothing.
///
/// It holds what it has seen and given out, within bounds, and nothing else: bytes and a time go in, bytes come out.
package struct SandboxSTS: ~Copyable {
    package struct Settings: Sendable {
        /// Who may call.
        package var callers: [SandboxCaller]
        /// The roles that exist, as `acs:ram::<account>:role/<name>`; every caller may assume each of them.
        package var roles: [[UInt8]]
        /// The longest session, in seconds, as a role's `MaxSessionDuration` sets it.
        package var maximumDuration: Int64 = 43_200
        /// How many nonces are remembered; more within half an hour are refused as too many calls.
        package var nonces = 65_536
        /// How many of the newest credentials are remembered.
        package var credentials = 4_096

        package init(callers: [SandboxCaller], roles: [[UInt8]]) {
            self.callers = callers
            self.roles = roles
        }
    }

    /// What goes back to the caller.
    package struct Answer: Sendable {
        package let status: Int
        /// JSON.
        package let body: [UInt8]
    }

    /// How far a caller's clock may be off, in seconds.
    static let skew: Int64 = 900

    private let settings: Settings
    private(set) var nonces: NonceMemory
    private(set) var issued: IssuedCredentials

    package init(_ settings: Settings) {
        self.settings = settings
        nonces = NonceMemory(capacity: settings.nonces)
        issued = IssuedCredentials(capacity: settings.credentials)
    }

    /// What was given out under an access key, if it is still remembered; it may have ended.
    func session(_ accessKeyID: [UInt8]) -> IssuedCredential? { issued[accessKeyID] }

    /// Answers one request.
    /// - Parameter now: the sandbox's clock, in seconds since 1970.
    package mutating func answer(_ request: SandboxRequest, at now: Int64) -> Answer {
        let requestID = SandboxSTS.requestID()
        do throws(STSComplaint) {
            let claim = try SignatureClaim(request)
            guard claim.action.elementsEqual("AssumeRole".utf8) else { throw .unknownAction }
            guard claim.version.elementsEqual("2015-04-01".utf8) else { throw .wrongVersion }
            let isTemporary = try verify(claim, at: now)
            let session = try SessionRequest(claim.parameters, maximumDuration: settings.maximumDuration)
            guard settings.roles.contains(session.roleARN) else { throw .unknownRole }
            // No role of the sandbox trusts another, so that a session cannot widen itself.
            guard !isTemporary else { throw .noPermission }
            return try issue(session, requestID, at: now)
        } catch {
            return SandboxSTS.refuse(error, requestID, host: request.host)
        }
    }

    /// Checks who signed, when, that it was this request, and that it comes for the first time.
    /// - Returns: whether the caller's credentials are ones that the sandbox gave out.
    private mutating func verify(_ claim: SignatureClaim, at now: Int64) throws(STSComplaint) -> Bool {
        guard let time = ISO8601.parse(claim.date.span) else { throw .malformedTime }
        guard (now - SandboxSTS.skew...now + SandboxSTS.skew).contains(time) else { throw .expiredTime }
        let (caller, credential) = try caller(of: claim)
        let isSigned: Bool
        do throws(CryptoError) { isSigned = try claim.isSigned(with: caller.secret) } catch { throw .internalError }
        guard isSigned else { throw .wrongSignature(claim.explanation) }
        if let credential, credential.expiration <= now { throw .expiredToken }
        // Only now, so that nobody but a caller fills the memory.
        let verdict: NonceMemory.Verdict
        do throws(CryptoError) {
            verdict = try nonces.take(claim.nonce, of: claim.accessKeyID, until: time + SandboxSTS.skew, at: now)
        } catch { throw .internalError }
        switch verdict {
        case .fresh: return credential != nil
        case .used: throw .usedNonce
        case .full: throw .throttled
        }
    }

    private func caller(of claim: SignatureClaim) throws(STSComplaint) -> (SandboxCaller, IssuedCredential?) {
        let credential = issued[claim.accessKeyID]
        let caller: SandboxCaller
        if let known = settings.callers.first(where: { $0.accessKeyID == claim.accessKeyID }) {
            caller = known
        } else if let credential {
            caller = SandboxCaller(
                accessKeyID: credential.accessKeyID, secret: credential.secret, securityToken: credential.securityToken)
        } else {
            throw .unknownKey
        }
        if caller.securityToken != nil, claim.securityToken == nil { throw .missing("SecurityToken") }
        guard caller.securityToken == claim.securityToken else { throw .foreignToken }
        return (caller, credential)
    }

    // MARK: Answers

    private mutating func issue(
        _ session: SessionRequest, _ requestID: [UInt8], at now: Int64
    ) throws(STSComplaint) -> Answer {
        let expiration = now + session.durationSeconds
        var body = ByteWriter(capacity: 2048)
        do throws(CryptoError) {
            let accessKeyID = Array("STS.SANDBOX".utf8) + (try SecureRandom.alphanumerics(20))
            let secret = try SecureRandom.alphanumerics(44)
            // As long as the vendor's, and with the characters that clients must encode.
            let token = Array("CAIS".utf8) + Base64.standard.encode(try SecureRandom.bytes(384))
            let roleID = try SandboxSTS.roleID(session.roleARN)
            issued.keep(
                IssuedCredential(
                    accessKeyID: accessKeyID, secret: Secret(secret), securityToken: token, expiration: expiration,
                    account: session.account, policy: session.policy))
            body.append(object: { json in
                json.add("RequestId", requestID)
                json.add(
                    "AssumedRoleUser",
                    object: { json in
                        json.add("Arn", session.roleARN + [UInt8(ascii: "/")] + session.sessionName)
                        json.add("AssumedRoleId", roleID + [UInt8(ascii: ":")] + session.sessionName)
                    })
                json.add(
                    "Credentials",
                    object: { json in
                        json.add("AccessKeyId", accessKeyID)
                        json.add("AccessKeySecret", secret)
                        json.add("SecurityToken", token)
                        json.add("Expiration", time: expiration)
                    })
                if let sourceIdentity = session.sourceIdentity { json.add("SourceIdentity", sourceIdentity) }
            })
        } catch {
            throw .internalError
        }
        return Answer(status: 200, body: body.array)
    }

    /// The answer to what is no acceptable request at all.
    static func refuse(_ complaint: STSComplaint) -> Answer { refuse(complaint, requestID(), host: []) }

    private static func refuse(_ complaint: STSComplaint, _ requestID: [UInt8], host: [UInt8]) -> Answer {
        var body = ByteWriter(capacity: 1024)
        body.append(object: { json in
            json.add("RequestId", requestID)
            json.add("HostId", UTF8Text.isWellFormed(host.span) ? host : [])
            json.add("Code", complaint.code)
            json.add("Message", complaint.message)
            json.add(
                "Recommend",
                "https://api.alibabacloud.com/troubleshoot?q=\(complaint.code)&product=Sts&requestId=" + requestID.text)
        })
        return Answer(status: complaint.status, body: body.array)
    }

    /// Not worth refusing a request for, should there be no random bytes.
    private static func requestID() -> [UInt8] {
        (try? RandomText.requestID()) ?? Array("00000000-0000-4000-8000-000000000000".utf8)
    }

    /// A number of eighteen digits that is always the same for a role.
    private static func roleID(_ roleARN: [UInt8]) throws(CryptoError) -> [UInt8] {
        let digest = try Digest(.sha256, of: roleARN.span).bytes.array
        return [UInt8(ascii: "3")] + digest.prefix(17).map { UInt8(ascii: "0") + $0 % 10 }
    }
}
