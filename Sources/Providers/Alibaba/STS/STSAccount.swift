import Access
import Bytes
import Crypto

/// A credential of provider `sts`, compiled: whose role is assumed, where, and by whom.
package struct STSAccount: SessionSource {
    /// Where the service's own key comes from.
    package enum Identity: Sendable, Equatable {
        /// The credential's `accessKey` and `secretKey`.
        case key
        /// The environment variables of Alibaba's SDKs.
        case environment
        /// A cluster that vouches for the service (RRSA); `role` is the service's own.
        case oidc(role: [UInt8], provider: [UInt8], tokenFile: [UInt8])
        /// The role of the ECS instance; nil for whichever it has.
        case ecs(role: [UInt8]?)

        /// What tells it from other identities, in a `CredentialKey`.
        var parts: [[UInt8]] {
            switch self {
            case .key: [Array(text: "key")]
            case .environment: [Array(text: "environment")]
            case .oidc(let role, let provider, let tokenFile): [Array(text: "oidc"), role, provider, tokenFile]
            case .ecs(let role): [Array(text: "ecs")] + (role.map { [$0] } ?? [])
            }
        }
    }

    package let roleARN: [UInt8]
    /// Tried in this order.
    package let endpoints: [VendorEndpoint]
    package let scheme: STSScheme
    package let externalID: [UInt8]?
    package let sourceIdentity: [UInt8]?
    package let identity: Identity
    /// How long the sessions hold with which the service itself signs, in seconds.
    package let signingLifetime: Int64
    /// Different for different identities, keys and endpoints; tells nothing of the secret.
    package let fingerprint: [UInt8]

    /// What an `sts` credential may hold beside what credentials of every provider may.
    package struct Fields: FieldGroup {
        package let roleArn = Field(
            "roleArn", .string, required: true, "The role to assume: acs:ram::ACCOUNT:role/NAME.")
        package let endpoints = Field(
            "endpoints", .strings,
            "The endpoints of STS, such as `\"https://sts.cn-hangzhou.aliyuncs.com\"`; the first one that answers is used. "
                + "With `sandbox: true`, the address of a `countersign-sandbox`, such as `\"http://127.0.0.1:8090\"`.")
        package let region = Field(
            "region", .string, told: true,
            "The buckets' region, such as `cn-hangzhou`. Without `endpoints`, the service asks the region's STS; "
                + "without `region`, the global one.")
        package let ossEndpoint = Field(
            "ossEndpoint", .string, told: true,
            "The buckets' host, for requests that sessions sign here. The default is the region's public host; "
                + "with `sandbox: true` it may be that of a `countersign-sandbox`, such as `http://oss.localhost:8090`."
        )
        package let signingLifetime = Field(
            "signingLifetime", .duration(900_000...43_200_000), default: 3_600_000,
            "The lifetime of the sessions that sign here, and the longest lifetime of what they sign. The role must allow it."
        )
        package let signature = Field(
            "signature", .choice(STSScheme.self), default: .acs3, "How calls to STS are signed; `rpc` for old clouds.")
        package let caFile = Field(
            "caFile", .string, "PEM: certificates to trust instead of the system's.")
        package let externalId = Field(
            "externalId", .string, "The external id that the role's owner requires, against confused deputies.")
        package let sourceIdentity = Field(
            "sourceIdentity", .string, "The source identity of the session, which chains of roles keep.")
        package let identity = Field(
            "identity", .choice(IdentityKind.self), default: .key,
            "The source of the service's own key: `accessKey` and `secretKey`, the environment, RRSA, or ECS.")
        package let oidcRoleArn = Field(
            "oidcRoleArn", .string,
            "The service's own role, for identity oidc. The default is the environment variable `\(Variable.roleARN.rawValue)`."
        )
        package let oidcProviderArn = Field(
            "oidcProviderArn", .string,
            "The cluster's identity provider, for identity oidc. The default is the environment variable `\(Variable.oidcProviderARN.rawValue)`."
        )
        package let oidcTokenFile = Field(
            "oidcTokenFile", .string,
            "The file with the token, read again each time, for identity oidc. The default is the environment variable "
                + "`\(Variable.oidcTokenFile.rawValue)`.")
        package let ecsRole = Field(
            "ecsRole", .string, "The instance's role, for identity ecs. By default the service asks the instance.")
    }

    package static let fields = Fields()

    package enum IdentityKind: String, CaseIterable, Sendable {
        case key, environment, oidc, ecs
    }

    /// - Parameters:
    ///   - fields: as the configuration has them, with what stands in for those of identity `oidc`, and its file resolved.
    ///   - key: the key that `keySource` tells of; nil for one that is fetched.
    package init(_ fields: Settings<Fields>, key: KeyPair?) throws(FieldProblem) {
        guard let roleARN = fields.roleArn, STSGrammar.isARN(roleARN, "role") else {
            throw FieldProblem("roleArn", "must be acs:ram::ACCOUNT:role/NAME")
        }
        self.roleARN = roleARN
        if let region = fields.region, !VendorEndpoint.isRegion(region) {
            throw FieldProblem("region", "must be a region such as cn-hangzhou, without oss-")
        }
        if let fault = OSS.endpointFault(fields.values, fields.ossEndpoint) { throw FieldProblem("ossEndpoint", fault) }
        endpoints = try STSAccount.endpoints(fields)
        signingLifetime = fields.signingLifetime / 1000
        scheme = fields.signature
        externalID = fields.externalId
        sourceIdentity = fields.sourceIdentity
        try AssumeRole.check(externalID: externalID, sourceIdentity: sourceIdentity)
        identity = try STSAccount.identity(fields)
        if let token = key?.securityToken, !SessionCredential.isPlain(token, length: 1...16_384) {
            throw FieldProblem(
                "identity", "\(Variable.securityToken.rawValue) must be at most 16,384 visible ASCII characters")
        }
        do throws(CryptoError) {
            var digest = TupleDigest("countersign identity")
            digest.append(identity.parts)
            // Their order included.
            digest.append(endpoints.map { Array(text: $0.isSecure ? "https://" : "http://") + $0.authority })
            digest.append(try key.map { pair throws(CryptoError) in try pair.fingerprint() })
            fingerprint = try digest.digest().bytes.array
        } catch {
            throw FieldProblem("secretKey", "cannot be used: \(error)")
        }
    }

    package var tokenFile: [UInt8]? { if case .oidc(_, _, let tokenFile) = identity { tokenFile } else { nil } }

    package func request(
        named name: SessionName, lasting seconds: Int64, allowing policy: [UInt8]
    ) throws(SessionRequestFault) -> any SessionRequest {
        do throws(AssumeRole.Fault) {
            return try AssumeRole(self, sessionName: name, durationSeconds: seconds, policy: policy)
        } catch {
            throw .parameter("\(error)")
        }
    }

    package var ownKey: OwnKeySource? {
        switch identity {
        case .key, .environment: nil
        case .oidc(let role, let provider, let tokenFile):
            OwnKeySource(
                request: AssumeRoleWithOIDC(ofService: role, provider, tokenFile: tokenFile), endpoint: nil)
        case .ecs(let role):
            OwnKeySource(request: InstanceMetadata.Key(role: role), endpoint: InstanceMetadata.endpoint)
        }
    }

    static func endpoints(_ fields: Settings<Fields>) throws(FieldProblem) -> [VendorEndpoint] {
        let isSandbox = Settings(fields.values, of: CredentialFields()).sandbox
        guard let list = fields.endpoints else {
            if isSandbox { throw FieldProblem("endpoints", "are needed with sandbox: true, such as \(sandboxExample)") }
            return [
                try endpoint("region") { () throws(VendorEndpoint.Fault) in
                    try VendorEndpoint(region: fields.region)
                }
            ]
        }
        guard !list.isEmpty else { throw FieldProblem("endpoints", "must hold at least one endpoint") }
        var endpoints: [VendorEndpoint] = []
        for text in list {
            if text.span.equals(ignoringCase: "sandbox") {
                throw FieldProblem(
                    "endpoints",
                    "must be where a countersign-sandbox listens, such as \(sandboxExample), with sandbox: true and the "
                        + "accessKey and secretKey of one of its accounts")
            }
            let endpoint = try endpoint("endpoints") { () throws(VendorEndpoint.Fault) in try VendorEndpoint(text) }
            guard !isSandbox || endpoint.isLoopback else {
                throw FieldProblem("endpoints", "must be on this machine with sandbox: true, such as \(sandboxExample)")
            }
            guard !endpoints.contains(endpoint) else { throw FieldProblem("endpoints", "names an endpoint twice") }
            endpoints.append(endpoint)
        }
        return endpoints
    }

    private static let sandboxExample = "\"http://127.0.0.1:8090\""

    private static func endpoint(
        _ field: String, _ make: () throws(VendorEndpoint.Fault) -> VendorEndpoint
    ) throws(FieldProblem) -> VendorEndpoint {
        do throws(VendorEndpoint.Fault) { return try make() } catch {
            throw FieldProblem(field, error.reason.description)
        }
    }
}
