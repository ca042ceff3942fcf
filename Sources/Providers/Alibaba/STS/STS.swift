import Access
import Bytes

/// Alibaba Cloud STS.
package enum STS {
    /// What it is to the service.
    package static let description = ProviderDescription(
        name: "sts", title: "Alibaba Cloud STS",
        givesSessions: true, credentialFields: STSAccount.fields.descriptions,
        routes: [DistributeToken.route],
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
        })
}
