import Access
import Bytes

/// NetEase Object Storage.
enum NOS {
    static let description = ProviderDescription(
        name: "nos", title: "NetEase NOS",
        givesSessions: false, credentialFields: [],
        routes: [NOSUploadToken.route],
        accessKeyFault: { key in
            key.contains(UInt8(ascii: ":")) ? "must not contain : since clients split tokens there" : nil
        })

    /// The longest object name, in bytes.
    static let maximumKeyLength = 1000
}
