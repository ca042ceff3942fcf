import Access
import Bytes

/// Qiniu Kodo.
package enum Qiniu {
    /// What it is to the service.
    package static let description = ProviderDescription(
        name: "qiniu", title: "Qiniu Kodo",
        credentialFields: credential.descriptions,
        routes: [
            UploadToken.route, DownloadIssuer.privateURL, DownloadIssuer.cdnURL, ManagementAuthorization.route,
            ManagementFetch.buckets, ManagementFetch.files, ManagementFetch.stat, QiniuCallback.route,
        ],
        sample: sample,
        accessKeyFault: { key in
            // Client SDKs split the token at its colons.
            key.contains(UInt8(ascii: ":")) ? "must not contain : since clients split tokens there" : nil
        },
        revocations: { fields in
            let portal = "https://portal.qiniu.com"
            let key = Revocation(
                "the access key \(fields.accessKeyText)", by: "disable it at \(portal)/developer/user/key",
                "all tokens and URLs that it has signed, and everything else of that key")
            guard fields[credential.cdnKey] != nil else { return [key] }
            return [
                key,
                Revocation(
                    "the domain's key of the timestamp anti-leech", by: "replace it at \(portal)/cdn/domain",
                    "all URLs of the CDN that it has signed"),
            ]
        })

    /// What a credential may hold beside what those of every provider may.
    package struct CredentialFields: FieldGroup {
        /// By which URLs of the CDN are signed.
        package let cdnKey = Field(
            "cdnKey", .secret, "The key of the CDN domain's timestamp anti-leech, for `qiniu.cdn-url`.")
        let limits = FetchLimits.field
    }

    /// The declarations of its credentials' fields.
    package static let credential = CredentialFields()

    /// The longest object key, in bytes (put policy, `scope`).
    static let maximumKeyLength = 750
    /// How long the vendor is believed to take a dated request, in seconds.
    package static let dateTolerance: Int64 = 15 * 60
    /// Android clients read the deadline as a 32-bit number.
    static let lastDeadline = Int64(Int32.max)
}
