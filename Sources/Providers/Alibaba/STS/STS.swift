import Access
import Bytes
import Crypto

/// Alibaba Cloud STS.
package enum STS {
    /// What it is to the service.
    package static let description = ProviderDescription(
        name: "sts", title: "Alibaba Cloud STS",
        credentialFields: STSAccount.fields.descriptions, endpoint: STSAccount.fields.ossEndpoint,
        routes: [DistributeToken.route],
        sample: sample,
        accessKeyFault: { _ in nil },
        revocations: { fields in
            // A session has what its role has at the moment of a request: alibabacloud.com/help/en/ram/support/faq-about-ram-roles-and-sts-tokens.
            let arn = fields[STSAccount.fields.roleArn]?.text ?? ""
            let role = arn.split(separator: "/").last.map(String.init) ?? "ROLE"
            return [
                Revocation(
                    "the policies of the role \(role)",
                    by: "aliyun ram ListPoliciesForRole --RoleName \(role), then for each of them "
                        + "aliyun ram DetachPolicyFromRole --RoleName \(role) --PolicyType TYPE --PolicyName POLICY",
                    "all sessions of the role, and what they have signed, whoever has got them")
            ]
        },
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
