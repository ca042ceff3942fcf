import Access
import Bytes

/// NetEase Object Storage.
package enum NOS {
    /// What it is to the service.
    package static let description = ProviderDescription(
        name: "nos", title: "NetEase NOS",
        credentialFields: credential.descriptions, endpoint: credential.endpoint,
        routes: [NOSUploadToken.route, NOSAuthorization.headerRoute, NOSAuthorization.urlRoute, NOSFiles.route],
        sample: sample,
        accessKeyFault: { key in
            key.contains(UInt8(ascii: ":")) ? "must not contain : since clients split tokens there" : nil
        },
        revocations: { fields in
            [
                Revocation(
                    "the access key \(fields.accessKeyText)",
                    by: "delete it in the console, under Access Key management",
                    "all tokens and URLs that it has signed, and everything else of that key")
            ]
        },
        check: { fields throws(FieldProblem) in
            let fault = BaseURL.endpointFault(
                fields[credential.endpoint], isSandbox: Settings(fields, of: Providers.CredentialFields()).sandbox,
                sample: "http://nos.localhost:8090")
            if let fault { throw FieldProblem("endpoint", fault) }
        })

    /// What a credential may hold beside what those of every provider may.
    package struct CredentialFields: FieldGroup {
        /// Where requests go.
        package let endpoint = Field(
            "endpoint", .string, told: true,
            "The buckets' host, such as `nos-eastchina1.126.net`, for `nos.authorization`, `nos.presigned-url` and `nos.files`; "
                + "with `sandbox: true` also that of a `countersign-sandbox`, such as `http://nos.localhost:8090`.")
        let limits = FetchLimits.field
    }

    /// The declarations of its credentials' fields.
    package static let credential = CredentialFields()

    /// The longest object name, in bytes.
    static let maximumKeyLength = 1000
    /// How long the vendor takes a dated request, in seconds.
    package static let dateTolerance: Int64 = 15 * 60

    /// Where the buckets of a credential are.
    static func endpoint(_ fields: FieldValues) -> BaseURL? {
        fields[credential.endpoint].flatMap { BaseURL(endpoint: $0) }
    }

    static let bucketFault = "must be 3 to 63 of a-z 0-9 and -, since it is part of a host's name"

    static func isHostLabel(_ bucket: Span<UInt8>) -> Bool { HostName.isBucket(bucket) }
}
