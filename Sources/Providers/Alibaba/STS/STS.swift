import Access
import Bytes
import Crypto

/// Alibaba Cloud STS.
package enum STS {
    /// What it is to the service.
    package static let description = ProviderDescription(
        name: "sts", title: "Alibaba Cloud STS",
        credentialFields: STSAccount.fields.descriptions,
        routes: [DistributeToken.route],
        accessKeyFault: { _ in nil },
        sessions: SessionDescription(
            standIns: { STSAccount.standIns(for: Settings($0, of: STSAccount.fields)) },
            keySource: { fields throws(FieldProblem) in
                try STSAccount.keySource(of: Settings(fields, of: STSAccount.fields))
            },
            keyVariables: (
                STSAccount.Variable.accessKeyID.rawValue, STSAccount.Variable.accessKeySecret.rawValue,
                STSAccount.Variable.securityToken.rawValue
            ),
            tokenFile: STSAccount.fields.oidcTokenFile, caFile: STSAccount.fields.caFile,
            makeSource: { fields, key throws(FieldProblem) in
                try STSAccount(Settings(fields, of: STSAccount.fields), key: key)
            },
            sandboxDoubt: { fields in
                fields[STSAccount.fields.ossEndpoint] != nil
                    ? nil
                    : "has no ossEndpoint, so answers do not name the sandbox's host to clients; "
                        + "set it, such as \"http://oss.localhost:8090\""
            }))
}
