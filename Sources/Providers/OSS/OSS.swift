import Access
import Bytes

/// Alibaba Cloud OSS.
enum OSS {
    static let description = ProviderDescription(
        name: "oss", title: "Alibaba Cloud OSS",
        givesSessions: false, credentialFields: [],
        routes: [RemoteSignature.route],
        accessKeyFault: { key in
            // The iOS and Android SDKs split the authorization at its colon and want two parts.
            key.contains(UInt8(ascii: ":")) ? "must not contain : since clients split authorizations there" : nil
        })

    /// The longest object key, in bytes.
    static let maximumKeyLength = 1023
    /// How long the vendor takes a dated signature, in seconds.
    static let dateTolerance: Int64 = 15 * 60
}
