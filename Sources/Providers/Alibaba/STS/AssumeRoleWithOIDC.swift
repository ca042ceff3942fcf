import Bytes

/// What is asked of STS where the service runs in a cluster that vouches for it (RRSA): a key for itself in return for an
/// OIDC token. The request is not signed; the token, read anew for each, is what proves.
package struct AssumeRoleWithOIDC: CredentialRequest {
    private let roleARN, providerARN, sessionName: [UInt8]
    private let durationSeconds: Int64
    package let proof: CredentialProof
    package var lifetime: Int64? { nil }

    package init(
        roleARN: [UInt8], providerARN: [UInt8], sessionName: [UInt8], durationSeconds: Int64
    ) throws(AssumeRole.Fault) {
        guard STSGrammar.isARN(roleARN, "role") else { throw .roleARN }
        guard STSGrammar.isARN(providerARN, "oidc-provider") else { throw .providerARN }
        guard SessionName.admits(sessionName) else { throw .sessionName }
        guard AssumeRole.durations.contains(durationSeconds) else { throw .durationSeconds }
        self.roleARN = roleARN
        self.providerARN = providerARN
        self.sessionName = sessionName
        self.durationSeconds = durationSeconds
        proof = .tokenFile([])
    }

    /// What the service itself is to the vendor; role and provider were checked when the account was compiled.
    init(ofService roleARN: [UInt8], _ providerARN: [UInt8], tokenFile: [UInt8]) {
        self.roleARN = roleARN
        self.providerARN = providerARN
        sessionName = Array(text: "countersign")
        durationSeconds = 3600
        proof = .tokenFile(tokenFile)
    }

    package func exchange(
        for attempt: CredentialAttempt
    ) throws(CredentialCallFault) -> CredentialExchange {
        var call: UpstreamCall
        do throws(AssumeRole.Fault) {
            call = try self.call(to: attempt.authority, token: attempt.token, nonce: attempt.nonce, at: attempt.now)
        } catch {
            throw CredentialCallFault("the service's own role cannot be asked for: \(error)")
        }
        // The vendor takes a nonce once, so the next attempt needs another.
        call.isRepeatable = false
        return CredentialExchange(call) { answer, now throws(SessionFault) in
            .credential(try STSAnswer.read(answer, at: now))
        }
    }

    /// One request, the token in its body.
    /// - Parameter token: as its file has it, without a line end.
    package func call(
        to authority: [UInt8], token: [UInt8], nonce: InlineArray<16, UInt8>, at now: Int64
    ) throws(AssumeRole.Fault) -> UpstreamCall {
        guard SessionCredential.isPlain(token, length: 1...20_000) else { throw .token }
        let query = [
            NameValue("Action", "AssumeRoleWithOIDC"), NameValue("Format", "JSON"),
            NameValue("SignatureNonce", AssumeRole.hex(nonce)), NameValue("Timestamp", ISO8601.write(now)),
            NameValue("Version", AssumeRole.version),
        ]
        let form = [
            NameValue("DurationSeconds", Array(text: String(durationSeconds))),
            NameValue("OIDCProviderArn", providerARN), NameValue("OIDCToken", token),
            NameValue("RoleArn", roleARN), NameValue("RoleSessionName", sessionName),
        ]
        return UpstreamCall(
            .post, authority: authority, path: [UInt8(ascii: "/")], query: query, headers: AssumeRole.formHeaders,
            body: QueryText.form(form))
    }
}
