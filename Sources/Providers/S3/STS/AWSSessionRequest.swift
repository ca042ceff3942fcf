import Access
import Bytes
import Crypto

/// What is asked of AWS's STS: a session, narrowed by a policy (AWS STS API reference, version 2011-06-15).
struct AWSSessionRequest: SessionRequest {
    let account: AWSSTSAccount
    let name: [UInt8]
    let seconds: Int64
    let policy: [UInt8]?

    var lifetime: Int64? { seconds }
    var proof: CredentialProof { account.tokenFile.map { .tokenFile($0) } ?? .ownKey }

    func add(to tuple: inout TupleDigest) {
        tuple.append(account.roleARN)
        tuple.append(account.externalID)
        tuple.append(account.sourceIdentity)
        tuple.append(policy)
        tuple.append(name)
        tuple.append(seconds)
    }

    func exchange(for attempt: CredentialAttempt) throws(CredentialCallFault) -> CredentialExchange {
        let call =
            account.call == .webIdentity
            ? try callWithToken(attempt) : try callWithKey(attempt.requireKey(), attempt)
        return CredentialExchange(call) { [seconds, call = account.call] answer, now throws(SessionFault) in
            .credential(try AWSSTSAnswer.read(answer, to: call, at: now, longest: seconds))
        }
    }

    private func callWithToken(_ attempt: CredentialAttempt) throws(CredentialCallFault) -> UpstreamCall {
        guard SessionCredential.isPlain(attempt.token, length: 4...20_000) else {
            throw CredentialCallFault("the web identity's token must be 4 to 20,000 visible ASCII characters")
        }
        return UpstreamCall(
            .post, authority: attempt.authority, path: [UInt8(ascii: "/")],
            headers: [NameValue("Content-Type", AWSSignature.formType)] + AWSSessionRequest.unsigned,
            body: QueryText.form(parameters + [NameValue("WebIdentityToken", attempt.token)]))
    }

    private func callWithKey(
        _ key: SigningKey, _ attempt: CredentialAttempt
    ) throws(CredentialCallFault) -> UpstreamCall {
        do throws(IssueError) {
            var call = try AWSSignature.signed(
                QueryText.form(parameters), to: attempt.authority, region: account.region, with: key, at: attempt.now)
            call.headers += AWSSessionRequest.unsigned
            return call
        } catch {
            throw CredentialCallFault("\(error)")
        }
    }

    /// In the order of AWS's SDKs.
    private var parameters: [NameValue] {
        var parameters = [
            NameValue("Action", account.call.action), NameValue("Version", AWSSTS.version),
        ]
        if let role = account.roleARN { parameters.append(NameValue("RoleArn", role)) }
        parameters.append(NameValue(account.call.name.parameter, name))
        parameters.append(NameValue("DurationSeconds", Array(text: String(seconds))))
        if let policy { parameters.append(NameValue("Policy", policy)) }
        if let external = account.externalID { parameters.append(NameValue("ExternalId", external)) }
        if let identity = account.sourceIdentity { parameters.append(NameValue("SourceIdentity", identity)) }
        return parameters
    }

    /// A proxy on the way may change these.
    private static let unsigned = [
        NameValue("Accept", "application/xml"), NameValue("User-Agent", AssumeRole.userAgent),
    ]
}

/// The signature of calls to STS: version 4, of the service `sts`, over a form.
enum AWSSignature {
    static let formType: StaticString = "application/x-www-form-urlencoded; charset=utf-8"

    /// A signed POST to `/`.
    /// - Parameter moment: seconds since 1970.
    static func signed(
        _ body: [UInt8], to authority: [UInt8], region: [UInt8], with key: SigningKey, at moment: Int64
    ) throws(IssueError) -> UpstreamCall {
        let scoped = try ScopedKey(key, S3.v4(.path), region: region, product: StaticString("sts").array, at: moment)
        let signer = V4Signer(scoped, at: moment, token: key.securityToken)
        var call = UpstreamCall(
            .post, authority: authority, path: [UInt8(ascii: "/")],
            headers: [NameValue("Content-Type", formType)] + signer.headers, body: body)
        let hash: [UInt8]
        do throws(CryptoError) { hash = Hex.encode(try Digest(.sha256, of: body.span).bytes.array) } catch {
            throw .crypto(error)
        }
        try call.sign(payload: hash.span, by: signer)
        return call
    }
}
