import Access
import Bytes

/// Alibaba Cloud STS.
enum STS {
    static let description = ProviderDescription(
        name: "sts", title: "Alibaba Cloud STS",
        givesSessions: true, credentialFields: STSAccount.fields.descriptions,
        routes: [DistributeToken.route],
        inspectors: [InspectedCredential.inspector, InspectedACS3.inspector],
        accessKeyFault: { _ in nil })
}
