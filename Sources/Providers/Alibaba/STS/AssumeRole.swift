import Access
import Bytes
import Crypto

/// What is asked of STS: a session of a role, narrowed by a policy (`AssumeRole`, version 2015-04-01). It is the same at
/// every try; `call` makes a new request of it, with a nonce and a time of its own.
package struct AssumeRole: SessionRequest {
    package let roleARN: [UInt8]
    package let sessionName: [UInt8]
    package let durationSeconds: Int64
    /// Nil for all that the role may do.
    package let policy: [UInt8]?
    package let externalID: [UInt8]?
    package let sourceIdentity: [UInt8]?
    /// How its calls are signed.
    private var scheme = STSScheme.acs3

    /// A parameter that the vendor would refuse.
    package enum Fault: Error, Sendable {
        case roleARN, sessionName, durationSeconds, policy, externalID, sourceIdentity
        /// Of `AssumeRoleWithOIDC`.
        case providerARN, token
    }

    package static let durations = SessionForm.durations

    package init(
        roleARN: [UInt8], sessionName: [UInt8], durationSeconds: Int64, policy: [UInt8]? = nil,
        externalID: [UInt8]? = nil, sourceIdentity: [UInt8]? = nil
    ) throws(Fault) {
        guard STSGrammar.isARN(roleARN, "role") else { throw .roleARN }
        guard SessionName.admits(sessionName) else { throw .sessionName }
        guard AssumeRole.durations.contains(durationSeconds) else { throw .durationSeconds }
        if let policy, !(1...SessionPolicy.maximumLength).contains(policy.count) { throw .policy }
        if let externalID, !AssumeRole.isExternalID(externalID) { throw .externalID }
        if let sourceIdentity, !AssumeRole.isSourceIdentity(sourceIdentity) { throw .sourceIdentity }
        self.roleARN = roleARN
        self.sessionName = sessionName
        self.durationSeconds = durationSeconds
        self.policy = policy
        self.externalID = externalID
        self.sourceIdentity = sourceIdentity
    }

    /// A session of an account's role, whose own parameters were checked when it was compiled.
    package init(
        _ account: STSAccount, sessionName: SessionName, durationSeconds: Int64, policy: [UInt8]
    ) throws(Fault) {
        guard AssumeRole.durations.contains(durationSeconds) else { throw .durationSeconds }
        guard (1...SessionPolicy.maximumLength).contains(policy.count) else { throw .policy }
        roleARN = account.roleARN
        self.sessionName = sessionName.text
        self.durationSeconds = durationSeconds
        self.policy = policy
        externalID = account.externalID
        sourceIdentity = account.sourceIdentity
        scheme = account.scheme
    }

    package func add(to tuple: inout TupleDigest) {
        tuple.append(roleARN)
        tuple.append(externalID)
        tuple.append(sourceIdentity)
        tuple.append(policy)
        tuple.append(sessionName)
        tuple.append(durationSeconds)
    }

    package var proof: CredentialProof { .ownKey }
    package var lifetime: Int64? { durationSeconds }

    package func exchange(
        for attempt: CredentialAttempt
    ) throws(CredentialCallFault) -> CredentialExchange {
        let own = try attempt.requireKey()
        var call: UpstreamCall
        do throws(CryptoError) {
            let key = try STSKey.kept(by: own, scheme)
            call = try self.call(to: attempt.authority, signedBy: key, nonce: attempt.nonce, at: attempt.now)
        } catch {
            throw CredentialCallFault("\(error)")
        }
        // The vendor takes a nonce once, so the next attempt needs another.
        call.isRepeatable = false
        return CredentialExchange(call) { [durationSeconds] answer, now throws(SessionFault) in
            .credential(try STSAnswer.read(answer, at: now, longest: durationSeconds))
        }
    }

    static func isExternalID(_ text: [UInt8]) -> Bool { externalIDBytes.contains(all: text, length: 2...1224) }

    static func isSourceIdentity(_ text: [UInt8]) -> Bool { sourceBytes.contains(all: text, length: 2...64) }

    /// Checks what a credential says of these; both vendors take the same.
    static func check(externalID: [UInt8]?, sourceIdentity: [UInt8]?) throws(FieldProblem) {
        if let externalID, !isExternalID(externalID) {
            throw FieldProblem("externalId", "must be 2 to 1,224 letters, digits and _ + = , . @ : / -")
        }
        if let sourceIdentity, !isSourceIdentity(sourceIdentity) {
            throw FieldProblem("sourceIdentity", "must be 2 to 64 letters, digits and _ + = , . @ -")
        }
    }

    private static let sourceBytes = ByteSet.dottedWord.union("+=,@")
    private static let externalIDBytes = sourceBytes.union(":/")

    /// One signed request.
    /// - Parameters:
    ///   - authority: the endpoint's host and port, exactly as they go on the wire.
    ///   - nonce: sixteen random bytes that no other request has.
    ///   - now: the service's clock, in seconds since 1970.
    package func call(
        to authority: [UInt8], signedBy key: STSKey, nonce: InlineArray<16, UInt8>, at now: Int64
    ) throws(CryptoError) -> UpstreamCall {
        switch key.scheme {
        case .acs3: try callACS3(to: authority, key, nonce, now)
        case .rpc: try callRPC(to: authority, key, nonce, now)
        }
    }

    /// The parameters of the action, in the order of their names.
    private var parameters: [NameValue] {
        var parameters = [NameValue("DurationSeconds", Array(text: String(durationSeconds)))]
        if let externalID { parameters.append(NameValue("ExternalId", externalID)) }
        if let policy { parameters.append(NameValue("Policy", policy)) }
        parameters.append(NameValue("RoleArn", roleARN))
        parameters.append(NameValue("RoleSessionName", sessionName))
        if let sourceIdentity { parameters.append(NameValue("SourceIdentity", sourceIdentity)) }
        return parameters
    }

    /// As the vendor's own SDK sends it: parameters in the query, which holds nothing secret, and no body.
    private func callACS3(
        to authority: [UInt8], _ key: STSKey, _ nonce: InlineArray<16, UInt8>, _ now: Int64
    ) throws(CryptoError) -> UpstreamCall {
        let empty: [UInt8] = []
        var headers = [
            NameValue("x-acs-action", "AssumeRole"), NameValue("x-acs-version", AssumeRole.version),
            NameValue("x-acs-date", ISO8601.write(now)),
            NameValue("x-acs-signature-nonce", AssumeRole.hex(nonce)),
            NameValue("x-acs-content-sha256", Hex.encode(try Digest(.sha256, of: empty.span).bytes.array)),
        ]
        if let token = key.securityToken {
            headers.append(NameValue("x-acs-accesskey-id", key.accessKeyID))
            headers.append(NameValue("x-acs-security-token", token))
        }
        var call = UpstreamCall(
            .post, authority: authority, path: [UInt8(ascii: "/")], query: parameters, headers: headers)
        let authorization = try ACS3Signature.authorization(for: call, accessKeyID: key.accessKeyID, key.code)
        // Not signed: a proxy on the way may change these.
        call.headers += [
            NameValue("Accept", "application/json"), NameValue("User-Agent", AssumeRole.userAgent),
            NameValue("Authorization", authorization),
        ]
        return call
    }

    /// All parameters in the form, so that the security token stands in no URL.
    private func callRPC(
        to authority: [UInt8], _ key: STSKey, _ nonce: InlineArray<16, UInt8>, _ now: Int64
    ) throws(CryptoError) -> UpstreamCall {
        var form = [
            NameValue("Action", "AssumeRole"), NameValue("Version", AssumeRole.version),
            NameValue("Format", "JSON"), NameValue("AccessKeyId", key.accessKeyID),
            NameValue("SignatureMethod", "HMAC-SHA1"), NameValue("SignatureVersion", "1.0"),
            NameValue("SignatureNonce", AssumeRole.hex(nonce)), NameValue("Timestamp", ISO8601.write(now)),
        ]
        form += parameters
        if let token = key.securityToken { form.append(NameValue("SecurityToken", token)) }
        form.append(NameValue("Signature", try RPCSignature.signature(over: .post, form, key.code)))
        return UpstreamCall(
            .post, authority: authority, path: [UInt8(ascii: "/")], headers: AssumeRole.formHeaders,
            body: QueryText.form(form))
    }

    static let version: StaticString = "2015-04-01"
    static let userAgent: StaticString = "Countersign"
    static let formHeaders = [
        NameValue("Content-Type", "application/x-www-form-urlencoded"),
        NameValue("Accept", "application/json"), NameValue("User-Agent", userAgent),
    ]

    static func hex(_ nonce: InlineArray<16, UInt8>) -> [UInt8] {
        [UInt8](atMost: 32) { Hex.encode(nonce.span, into: &$0) }
    }
}
