import Access
import Bytes

/// Alibaba Cloud STS.
enum STS {
    static let description = ProviderDescription(
        name: "sts", title: "Alibaba Cloud STS",
        credentialFields: STSAccount.fields,
        routes: [DistributeToken.route],
        accessKeyFault: { key in
            VendorText.isPlain(key, length: 1...128) ? nil : "must be 1 to 128 visible ASCII characters"
        })
}
