import Access
import Bytes

/// Qiniu Kodo.
enum Qiniu {
    static let description = ProviderDescription(
        name: "qiniu", title: "Qiniu Kodo",
        givesSessions: false,
        credentialFields: [
            FieldDescription(
                "cdnKey", .secret, "The key of the CDN domain's timestamp anti-leech, for `qiniu.cdn-url`."),
            fetchLimits,
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

    private static let fetchLimits = FieldDescription(
        "limits",
        .object([
            FieldDescription(
                "callsPerSecond", .integer(1...100_000), standard: "1000", "Calls that may be begun in a second."),
            FieldDescription(
                "callBurst", .integer(1...100_000), standard: "1000",
                "Calls that may be begun at once after a silence."),
            FieldDescription(
                "patience", .duration(100...60_000), standard: "\"1500ms\"",
                "How long a request may wait; then it is told to come back. Each of the `hosts` has its share of it."),
        ]), "How often and how long Kodo is asked for `qiniu.buckets`, `qiniu.files` and `qiniu.stat`.")

    /// The longest object key, in bytes (put policy, `scope`).
    static let maximumKeyLength = 750
    /// Android clients read the deadline as a 32-bit number.
    static let lastDeadline = Int64(Int32.max)
}
