import Access
import Bytes

/// Alibaba Cloud OSS.
package enum OSS {
    /// What it is to the service.
    package static let description = ProviderDescription(
        name: "oss", title: "Alibaba Cloud OSS",
        credentialFields: credential.descriptions, endpoint: credential.endpoint,
        routes: [
            RemoteSignature.route, OSSAuthorization.headerRoute, OSSAuthorization.urlRoute, ListURL.route,
            PostUpload.route,
            LiveStream.route, OSSCallback.route,
        ],
        sample: sample,
        accessKeyFault: { key in
            // The iOS and Android SDKs split the authorization at its colon and want two parts.
            key.contains(UInt8(ascii: ":")) ? "must not contain : since clients split authorizations there" : nil
        },
        revocations: { fields in
            // alibabacloud.com/help/en/resource-access-management/latest/disable-an-accesskey-pair; UpdateAccessKey of RAM's API.
            [
                Revocation(
                    "the access key \(fields.accessKeyText)",
                    by:
                        "aliyun ram UpdateAccessKey --UserName USER --UserAccessKeyId \(fields.accessKeyText) --Status Inactive",
                    "all signatures, URLs and forms that it has signed, and everything else of that key")
            ]
        },
        check: { fields throws(FieldProblem) in
            if let region = fields[credential.region],
                !ScopedKey.isName(region.span) || region.span.begins(with: "oss-")
            {
                throw FieldProblem("region", "must be of a-z 0-9 and -, such as cn-hangzhou, without oss-")
            }
            if let fault = endpointFault(fields, fields[credential.endpoint]) { throw FieldProblem("endpoint", fault) }
        })

    /// What a credential may hold beside what those of every provider may.
    package struct CredentialFields: FieldGroup {
        let region = Field(
            "region", .string, told: true,
            "The buckets' region, such as `cn-hangzhou`. Signatures of version 4 need it.")
        /// Where requests go.
        package let endpoint = Field(
            "endpoint", .string, told: true,
            "The buckets' host, such as `oss-cn-hangzhou.aliyuncs.com`. The default is the region's public host; "
                + "with `sandbox: true` it may be that of a `countersign-sandbox`, such as `http://oss.localhost:8090`."
        )
    }

    /// The declarations of its credentials' fields.
    package static let credential = CredentialFields()

    /// The longest object key, in bytes.
    static let maximumKeyLength = 1023
    /// How long the vendor takes a dated signature, in seconds.
    package static let dateTolerance: Int64 = 15 * 60

    /// Where the buckets of a credential are, be it of OSS or of STS.
    static func endpoint(_ fields: FieldValues) -> BaseURL? {
        let region = fields[credential.region].map { Array("oss-".utf8) + $0 + Array(".aliyuncs.com".utf8) }
        let host = fields[credential.endpoint] ?? fields[STSAccount.fields.ossEndpoint] ?? region
        return host.flatMap { BaseURL(endpoint: $0) }
    }

    /// Where the buckets of a grant's credential are, for signatures of version 4.
    static func place(_ context: GrantContext) throws(FieldProblem) -> V4Place {
        guard let region = context.credential[credential.region], let endpoint = endpoint(context.credential) else {
            throw FieldProblem("credential", "needs region")
        }
        if let bucket = context.bucket, !isBucket(bucket.span) { throw FieldProblem("bucket", bucketFault) }
        return V4Place(endpoint: endpoint, region: region, scheme: v4)
    }

    /// What is wrong with where a credential says that its buckets are; nil when nothing is.
    static func endpointFault(_ fields: FieldValues, _ endpoint: [UInt8]?) -> String? {
        BaseURL.endpointFault(
            endpoint, isSandbox: Settings(fields, of: Providers.CredentialFields()).sandbox,
            sample: "http://oss.localhost:8090")
    }

    static let bucketFault = "must be 3 to 63 of a-z 0-9 and -, as OSS has them"

    static func isBucket(_ name: Span<UInt8>) -> Bool { HostName.isBucket(name) }
}
