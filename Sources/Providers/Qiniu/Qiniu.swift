import Access
import Bytes

/// Qiniu Kodo.
enum Qiniu {
    static let description = ProviderDescription(
        name: "qiniu", title: "Qiniu Kodo",
        givesSessions: false,
        credentialFields: [
            FieldDescription(
                "cdnKey", .secret, "The key of the CDN domain's timestamp anti-leech, for `qiniu.cdn-url`.")
        ],
        routes: [
            UploadToken.route, Download.privateURL, Download.cdnURL, ManagementAuthorization.route,
            ManagementFetch.buckets, ManagementFetch.files, ManagementFetch.stat, QiniuCallback.route,
        ],
        inspectors: [
            InspectedUploadToken.inspector, InspectedDownloadURL.privateURL, InspectedDownloadURL.cdnURL,
            InspectedManagement.inspector,
        ],
        accessKeyFault: { key in
            // Client SDKs split the token at its colons.
            key.contains(UInt8(ascii: ":")) ? "must not contain : since clients split tokens there" : nil
        })

    /// The longest object key, in bytes (put policy, `scope`).
    static let maximumKeyLength = 750
    /// Android clients read the deadline as a 32-bit number.
    static let lastDeadline = Int64(Int32.max)
}
