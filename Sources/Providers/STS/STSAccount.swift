import Access
import Bytes
import Crypto

/// A credential of provider `sts`, compiled: whose role is assumed, where, and by whom.
package struct STSAccount: Sendable {
    package enum Endpoints: Sendable {
        /// The stand-in that the service brings along.
        case sandbox
        /// Tried in this order.
        case hosts([STSEndpoint])
    }

    /// Where the service's own key comes from.
    package enum Identity: Sendable {
        /// The credential's `accessKey` and `secretKey`.
        case key
        /// The environment variables of Alibaba's SDKs.
        case environment
        /// A cluster that vouches for the service (RRSA); `role` is the service's own.
        case oidc(role: [UInt8], provider: [UInt8], tokenFile: [UInt8])
        /// The role of the ECS instance; nil for whichever it has.
        case ecs(role: [UInt8]?)

        /// What tells it from other identities, in a `CredentialKey`.
        fileprivate var parts: [[UInt8]] {
            switch self {
            case .key: [Array(text: "key")]
            case .environment: [Array(text: "environment")]
            case .oidc(let role, let provider, let tokenFile): [Array(text: "oidc"), role, provider, tokenFile]
            case .ecs(let role): [Array(text: "ecs")] + (role.map { [$0] } ?? [])
            }
        }
    }

    package let roleARN: [UInt8]
    package let endpoints: Endpoints
    package let scheme: STSScheme
    package let externalID: [UInt8]?
    package let sourceIdentity: [UInt8]?
    package let identity: Identity
    /// Whose certificates are trusted instead of the system's.
    package let caFile: [UInt8]?
    /// Different for different identities, keys and endpoints; tells nothing of the secret.
    package let fingerprint: [UInt8]

    /// What an `sts` credential may hold beside `provider`, `accessKey` and `secretKey`.
    static let fields: [FieldDescription] = [
        FieldDescription("roleArn", .string, required: true, "The role that is assumed: acs:ram::ACCOUNT:role/NAME."),
        FieldDescription(
            "endpoints", .strings, "Where STS is asked, the first that answers; \"sandbox\" for the stand-in."),
        FieldDescription("region", .string, "The region whose endpoint is asked, instead of endpoints."),
        FieldDescription(
            "signature", .choice(["acs3", "rpc"]), standard: "\"acs3\"", "How calls are signed; rpc for old clouds."),
        FieldDescription("caFile", .string, "Certificates to trust instead of the system's."),
        FieldDescription("externalId", .string, "What the role's owner wants to hear, against confused deputies."),
        FieldDescription("sourceIdentity", .string, "Who is behind the session, through chains of roles."),
        FieldDescription(
            "identity", .choice(["key", "environment", "oidc", "ecs"]), standard: "\"key\"",
            "Where the service's own key comes from: accessKey and secretKey, environment variables, RRSA, ECS."),
        FieldDescription("oidcRoleArn", .string, "The service's own role, for identity oidc."),
        FieldDescription("oidcProviderArn", .string, "The cluster's identity provider, for identity oidc."),
        FieldDescription("oidcTokenFile", .string, "The file with the token, for identity oidc; read anew each time."),
        FieldDescription("ecsRole", .string, "The instance's role, for identity ecs; it is asked for when not given."),
    ]

    /// - Parameter key: the credential's own pair, where its identity is that.
    package init(_ fields: FieldValues, key: (accessKeyID: [UInt8], secret: Secret)?) throws(FieldProblem) {
        guard let roleARN = fields.string("roleArn"), VendorText.isARN(roleARN, "role") else {
            throw FieldProblem("roleArn", "must be acs:ram::ACCOUNT:role/NAME")
        }
        self.roleARN = roleARN
        endpoints = try STSAccount.endpoints(fields)
        scheme = fields.string("signature") == Array(text: "rpc") ? .rpc : .acs3
        externalID = fields.string("externalId")
        if let externalID, !AssumeRole.isExternalID(externalID) {
            throw FieldProblem("externalId", "must be 2 to 1,224 letters, digits and _ + = , . @ : / -")
        }
        sourceIdentity = fields.string("sourceIdentity")
        if let sourceIdentity, !AssumeRole.isSourceIdentity(sourceIdentity) {
            throw FieldProblem("sourceIdentity", "must be 2 to 64 letters, digits and _ + = , . @ -")
        }
        identity = try STSAccount.identity(fields)
        caFile = fields.string("caFile")
        do throws(CryptoError) {
            var digest = TupleDigest("countersign identity")
            digest.append(identity.parts)
            digest.append(STSAccount.parts(of: endpoints))
            digest.append(try key.map { pair throws(CryptoError) in try STSAccount.fingerprint(pair) })
            fingerprint = try digest.digest().bytes.array
        } catch {
            throw FieldProblem("secretKey", "cannot be used: \(error)")
        }
    }

    private static func endpoints(_ fields: FieldValues) throws(FieldProblem) -> Endpoints {
        guard let list = fields.strings("endpoints") else {
            return .hosts([
                try endpoint("region") { () throws(STSEndpoint.Fault) in
                    try STSEndpoint(region: fields.string("region"))
                }
            ])
        }
        guard fields.string("region") == nil else { throw FieldProblem("region", "cannot stand beside endpoints") }
        let sandbox = Array(text: "sandbox")
        if list.contains(sandbox) {
            guard list.count == 1 else { throw FieldProblem("endpoints", "cannot hold other endpoints beside sandbox") }
            return .sandbox
        }
        guard !list.isEmpty else { throw FieldProblem("endpoints", "must hold at least one endpoint") }
        var endpoints: [STSEndpoint] = []
        for text in list {
            let endpoint = try endpoint("endpoints") { () throws(STSEndpoint.Fault) in try STSEndpoint(text) }
            guard !endpoints.contains(endpoint) else { throw FieldProblem("endpoints", "names an endpoint twice") }
            endpoints.append(endpoint)
        }
        return .hosts(endpoints)
    }

    /// What tells endpoints apart, their order included.
    private static func parts(of endpoints: Endpoints) -> [[UInt8]] {
        switch endpoints {
        case .sandbox: []
        case .hosts(let list):
            list.map { Array(text: $0.isSecure ? "https://" : "http://") + $0.authority }
        }
    }

    private static func endpoint(
        _ field: String, _ make: () throws(STSEndpoint.Fault) -> STSEndpoint
    ) throws(FieldProblem) -> STSEndpoint {
        do throws(STSEndpoint.Fault) { return try make() } catch { throw FieldProblem(field, error.reason.description) }
    }

    private static func identity(_ fields: FieldValues) throws(FieldProblem) -> Identity {
        let kind = fields.string("identity")?.text ?? "key"
        for name in ["oidcRoleArn", "oidcProviderArn", "oidcTokenFile"] {
            if kind == "oidc", fields[name] == nil { throw FieldProblem(name, "is needed for identity oidc") }
            if kind != "oidc", fields[name] != nil { throw FieldProblem(name, "is for identity oidc only") }
        }
        if kind != "ecs", fields["ecsRole"] != nil { throw FieldProblem("ecsRole", "is for identity ecs only") }
        switch kind {
        case "environment": return .environment
        case "oidc":
            guard let role = fields.string("oidcRoleArn"), VendorText.isARN(role, "role") else {
                throw FieldProblem("oidcRoleArn", "must be acs:ram::ACCOUNT:role/NAME")
            }
            guard let provider = fields.string("oidcProviderArn"), VendorText.isARN(provider, "oidc-provider") else {
                throw FieldProblem("oidcProviderArn", "must be acs:ram::ACCOUNT:oidc-provider/NAME")
            }
            return .oidc(role: role, provider: provider, tokenFile: fields.string("oidcTokenFile") ?? [])
        case "ecs":
            let role = fields.string("ecsRole")
            if let role, !VendorText.isRoleName(role) {
                throw FieldProblem("ecsRole", "must be a role's name of letters, digits and . _ -")
            }
            return .ecs(role: role)
        default: return .key
        }
    }

    private static func fingerprint(_ key: (accessKeyID: [UInt8], secret: Secret)) throws(CryptoError) -> [UInt8] {
        // Begins as no string to sign of the vendor's does.
        let text = Array(text: "countersign fingerprint\n") + key.accessKeyID
        return try HMACKey(.sha256, key.secret).sign(text.span).bytes.array
    }
}
