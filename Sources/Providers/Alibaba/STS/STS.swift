import Access
import Bytes

/// Alibaba Cloud STS.
package enum STS {
    /// What it is to the service.
    package static let description = ProviderDescription(
        name: "sts", title: "Alibaba Cloud STS",
        givesSessions: true, credentialFields: STSAccount.fields.descriptions,
        routes: [DistributeToken.route],
        accessKeyFault: { _ in nil })
}
