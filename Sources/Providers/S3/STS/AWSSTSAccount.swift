import Access
import Bytes
import Crypto

/// A credential of provider `aws-sts`, compiled: which sessions are asked for, where, and by whom.
package struct AWSSTSAccount: SessionSource {
    package let endpoints: [VendorEndpoint]
    package let tokenFile: [UInt8]?
    package let fingerprint: [UInt8]
    let call: AWSSTS.Call
    let region: [UInt8]
    let roleARN: [UInt8]?
    let externalID: [UInt8]?
    let sourceIdentity: [UInt8]?

    /// What an `aws-sts` credential may hold beside what credentials of every provider may.
    package struct Fields: FieldGroup {
        let call = Field(
            "call", .choice(AWSSTS.Call.self), default: .assumeRole,
            "How STS is asked: `assumeRole` for a role; `federationToken` for the user of the key itself; "
                + "`webIdentity` for a role, by a token instead of a key.")
        let region = Field(
            "region", .string, required: true, told: true,
            "The region, such as `eu-west-1`, of the buckets and of STS. Signatures name it.")
        let roleArn = Field(
            "roleArn", .string,
            "The role to assume: `arn:aws:iam::ACCOUNT:role/NAME`. MinIO needs none. "
                + "For `webIdentity` the default is the environment variable `\(Variable.roleARN.rawValue)`.")
        let endpoints = Field(
            "endpoints", .strings,
            "The endpoints of STS, such as `\"https://minio.example.com:9000\"`; \(VendorEndpoint.listMeaning) "
                + "The default is that of the region in AWS.")
        let s3Endpoint = Field(
            "s3Endpoint", .string, told: true, "The buckets' host, which clients are told where it is not that of AWS.")
        let partition = Field(
            "partition", .choice(AWSSTS.Partition.self),
            "The partition that the names of buckets have in policies. The default is that of `roleArn`, or else of the region in AWS."
        )
        let externalId = Field(
            "externalId", .string, "The external id that the role's owner requires, against confused deputies.")
        let sourceIdentity = Field(
            "sourceIdentity", .string, "The source identity of the session, which chains of roles keep.")
        let webIdentityTokenFile = Field(
            "webIdentityTokenFile", .string,
            "The file with the token, read again each time, for `webIdentity`. The default is the environment variable "
                + "`\(Variable.webIdentityTokenFile.rawValue)`.")
        let sessionToken = Field(
            "sessionToken", .secret,
            "The token of a temporary key, for `assumeRole` on AWS. Such sessions hold an hour at most.")
        let caFile = Field("caFile", .string, "PEM: certificates to trust instead of the system's.")
    }

    package static let fields = Fields()

    /// The environment variables of AWS's own SDKs.
    enum Variable: String {
        case roleARN = "AWS_ROLE_ARN"
        case webIdentityTokenFile = "AWS_WEB_IDENTITY_TOKEN_FILE"
    }

    static func standIns(for fields: Settings<Fields>) -> [(field: Field<[UInt8]?>, variable: String)] {
        guard fields.call == .webIdentity else { return [] }
        return [
            (AWSSTSAccount.fields.roleArn, Variable.roleARN.rawValue),
            (AWSSTSAccount.fields.webIdentityTokenFile, Variable.webIdentityTokenFile.rawValue),
        ]
    }

    static func keySource(of fields: Settings<Fields>) throws(FieldProblem) -> SessionKeySource {
        let pair = Providers.CredentialFields()
        let needsKey = fields.call != .webIdentity
        for half in [pair.accessKey, pair.secretKey] as [AnyField] {
            let isGiven = fields.values[half.description] != nil
            if needsKey, !isGiven { throw FieldProblem(half.name, "is needed for call \(fields.call.rawValue)") }
            if !needsKey, isGiven { throw FieldProblem(half.name, "is not for call webIdentity, which needs no key") }
        }
        if fields.sessionToken != nil, fields.call != .assumeRole {
            throw FieldProblem("sessionToken", "is for call assumeRole only: AWS takes only a permanent key for others")
        }
        return needsKey ? .fields : .fetched
    }

    /// - Parameters:
    ///   - fields: as the configuration has them, with what stands in for others, and the token's file resolved.
    ///   - key: nil for `webIdentity`.
    init(_ fields: Settings<Fields>, key: KeyPair?) throws(FieldProblem) {
        call = fields.call
        let region = fields.region ?? []
        guard ScopedKey.isName(region.span) else {
            throw FieldProblem("region", "must be of a-z 0-9 and -, such as eu-west-1")
        }
        self.region = region
        let endpoints = try AWSSTSAccount.endpoints(fields)
        self.endpoints = endpoints
        try AWSSTSAccount.check(fields)
        roleARN = fields.roleArn
        externalID = fields.externalId
        sourceIdentity = fields.sourceIdentity
        tokenFile = fields.webIdentityTokenFile
        do throws(CryptoError) {
            var digest = TupleDigest("countersign identity of AWS")
            digest.append(Array(text: call.rawValue))
            digest.append(region)
            digest.append(tokenFile)
            digest.append(endpoints.map { Array(text: $0.isSecure ? "https://" : "http://") + $0.authority })
            digest.append(try key.map { pair throws(CryptoError) in try pair.fingerprint() })
            fingerprint = try digest.digest().bytes.array
        } catch {
            throw FieldProblem("secretKey", "cannot be used: \(error)")
        }
    }

    /// How long sessions would hold with which the service itself signs; it signs with none of these.
    package var signingLifetime: Int64 { 3600 }
    package var longestName: Int { call.name.length }

    package func request(
        named name: SessionName, lasting seconds: Int64, allowing policy: [UInt8]
    ) throws(SessionRequestFault) -> any SessionRequest {
        guard SessionForm.durations.contains(seconds) else { throw .parameter("DurationSeconds") }
        guard (1...SessionPolicy.maximumLength).contains(policy.count) else { throw .parameter("Policy") }
        return AWSSessionRequest(account: self, name: name.text, seconds: seconds, policy: policy)
    }

    /// The partition of a credential's buckets.
    static func partition(_ fields: FieldValues) -> AWSSTS.Partition {
        let settings = Settings(fields, of: AWSSTSAccount.fields)
        return settings.partition
            ?? settings.roleArn.flatMap { AWSSTS.Partition(ofRole: $0) }
            ?? (settings.endpoints == nil ? AWSSTS.Partition(ofRegion: settings.region ?? []) : .aws)
    }

    private static func endpoints(_ fields: Settings<Fields>) throws(FieldProblem) -> [VendorEndpoint] {
        let isSandbox = Settings(fields.values, of: Providers.CredentialFields()).sandbox
        let sample = "\"http://127.0.0.1:9000\""
        guard let list = fields.endpoints else {
            if isSandbox { throw FieldProblem("endpoints", "are needed with sandbox: true, such as \(sample)") }
            let region = fields.region ?? []
            let suffix = AWSSTS.Partition(ofRegion: region) == .china ? ".cn" : ""
            return try VendorEndpoint.list(
                [Array(text: "sts.") + region + Array(text: ".amazonaws.com\(suffix)")], field: "region")
        }
        let endpoints = try VendorEndpoint.list(list, field: "endpoints")
        guard !isSandbox || endpoints.allSatisfy(\.isLoopback) else {
            throw FieldProblem("endpoints", "must be on this machine with sandbox: true, such as \(sample)")
        }
        return endpoints
    }

    private static func check(_ fields: Settings<Fields>) throws(FieldProblem) {
        let isAWS = fields.endpoints == nil
        let roleWords = "must be arn:aws:iam::ACCOUNT:role/NAME"
        if let role = fields.roleArn {
            guard let partition = AWSSTS.Partition(ofRole: role) else { throw FieldProblem("roleArn", roleWords) }
            guard fields.call != .federationToken else {
                throw FieldProblem("roleArn", "is not for call federationToken, whose sessions are of the key's user")
            }
            if let given = fields.partition, given != partition {
                throw FieldProblem("partition", "must be that of roleArn, \(partition.rawValue)")
            }
        } else if isAWS, fields.call != .federationToken {
            throw FieldProblem("roleArn", "is needed where AWS is asked; it \(roleWords)")
        }
        for (field, value) in [("externalId", fields.externalId), ("sourceIdentity", fields.sourceIdentity)] {
            if value != nil, fields.call != .assumeRole { throw FieldProblem(field, "is for call assumeRole only") }
        }
        try AssumeRole.check(externalID: fields.externalId, sourceIdentity: fields.sourceIdentity)
        switch (fields.call, fields.webIdentityTokenFile) {
        case (.webIdentity, nil):
            throw FieldProblem(
                "webIdentityTokenFile",
                "is needed for call webIdentity, or \(Variable.webIdentityTokenFile.rawValue) in the environment")
        case (.assumeRole, .some), (.federationToken, .some):
            throw FieldProblem("webIdentityTokenFile", "is for call webIdentity only")
        case (.webIdentity, .some), (.assumeRole, nil), (.federationToken, nil): break
        }
        let fault = BaseURL.endpointFault(
            fields.s3Endpoint, isSandbox: Settings(fields.values, of: Providers.CredentialFields()).sandbox,
            sample: "http://s3.localhost:9000")
        if let fault { throw FieldProblem("s3Endpoint", fault) }
    }
}
