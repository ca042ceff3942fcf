import Access
import Bytes

/// Who the service is when it asks STS.
extension STSAccount {
    /// The environment variables of Alibaba's own SDKs.
    enum Variable: String, Sendable {
        case accessKeyID = "ALIBABA_CLOUD_ACCESS_KEY_ID"
        case accessKeySecret = "ALIBABA_CLOUD_ACCESS_KEY_SECRET"
        case securityToken = "ALIBABA_CLOUD_SECURITY_TOKEN"
        case roleARN = "ALIBABA_CLOUD_ROLE_ARN"
        case oidcProviderARN = "ALIBABA_CLOUD_OIDC_PROVIDER_ARN"
        case oidcTokenFile = "ALIBABA_CLOUD_OIDC_TOKEN_FILE"
    }

    /// What stands in for the fields of identity `oidc` that are not given.
    private static let standIns: [(field: Field<[UInt8]?>, variable: Variable)] = [
        (fields.oidcRoleArn, .roleARN), (fields.oidcProviderArn, .oidcProviderARN),
        (fields.oidcTokenFile, .oidcTokenFile),
    ]

    /// The variables that count, since they stand in for no field of another identity.
    static func standIns(for fields: Settings<Fields>) -> [(field: Field<[UInt8]?>, variable: String)] {
        fields.identity == .oidc ? standIns.map { ($0.field, $0.variable.rawValue) } : []
    }

    /// Finds out which key a credential's fields mean, and that no other is given.
    static func keySource(of fields: Settings<Fields>) throws(FieldProblem) -> SessionKeySource {
        // Where they are wrong, that is said before a key is missed.
        _ = try endpoints(fields)
        let kind = fields.identity
        let pair = CredentialFields()
        if kind != .key, Settings(fields.values, of: pair).sandbox {
            throw FieldProblem("identity", "must be key with sandbox: true, since no real key goes to the sandbox")
        }
        for half in [pair.accessKey, pair.secretKey] as [AnyField] {
            let isGiven = fields.values[half.description] != nil
            if kind == .key, !isGiven { throw FieldProblem(half.name, "is needed for identity key") }
            if kind != .key, isGiven { throw FieldProblem(half.name, "is for identity key only") }
        }
        return switch kind {
        case .key: .fields
        case .environment: .environment
        case .oidc, .ecs: .fetched
        }
    }

    static func identity(_ fields: Settings<Fields>) throws(FieldProblem) -> Identity {
        let kind = fields.identity
        for (field, variable) in standIns {
            let isGiven = fields.values[field] != nil
            if kind == .oidc, !isGiven {
                throw FieldProblem(
                    field.name, "is needed for identity oidc, or \(variable.rawValue) in the environment")
            }
            if kind != .oidc, isGiven { throw FieldProblem(field.name, "is for identity oidc only") }
        }
        if kind != .ecs, fields.ecsRole != nil { throw FieldProblem("ecsRole", "is for identity ecs only") }
        switch kind {
        case .key: return .key
        case .environment: return .environment
        case .oidc:
            guard let role = fields.oidcRoleArn, STSGrammar.isARN(role, "role") else {
                throw FieldProblem("oidcRoleArn", "must be acs:ram::ACCOUNT:role/NAME")
            }
            guard let provider = fields.oidcProviderArn, STSGrammar.isARN(provider, "oidc-provider") else {
                throw FieldProblem("oidcProviderArn", "must be acs:ram::ACCOUNT:oidc-provider/NAME")
            }
            return .oidc(role: role, provider: provider, tokenFile: fields.oidcTokenFile ?? [])
        case .ecs:
            let role = fields.ecsRole
            if let role, !STSGrammar.isRoleName(role) {
                throw FieldProblem("ecsRole", "must be a role's name of letters, digits and . _ -")
            }
            return .ecs(role: role)
        }
    }
}
