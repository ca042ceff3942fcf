import Access
import Bytes
import Crypto

/// Storage that speaks the protocol of Amazon S3: AWS itself, MinIO, Ceph, SeaweedFS, Cloudflare R2, Backblaze B2 and others.
package enum S3 {
    /// What it is to the service.
    package static let description = ProviderDescription(
        name: "s3", title: "Amazon S3 and compatible storage",
        credentialFields: credential.descriptions, endpoint: credential.endpoint,
        routes: [
            S3Authorization.urlRoute, S3Authorization.headerRoute, S3Form.route, S3RemoteSignature.route,
            S3Multipart.route, S3Iceberg.route,
        ],
        sample: sample,
        accessKeyFault: { key in
            key.contains { StaticString("/,=").contains($0) } ? "must not contain / , or =, where servers end it" : nil
        },
        sessionToken: credential.sessionToken,
        revocations: { fields in
            let key = fields.accessKeyText
            let isAmazon = fields[credential.endpoint].map { S3.isAmazon($0.text) } ?? false
            let effect = "all URLs, signatures and forms that it has signed, and everything else of that key"
            // UpdateAccessKey of IAM: docs.aws.amazon.com/IAM/latest/APIReference/API_UpdateAccessKey.html. Temporary keys end with
            // the role's sessions: docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_revoke-sessions.html.
            guard isAmazon else {
                return [
                    Revocation("the access key \(key)", by: "disable it at the storage that has the endpoint", effect)
                ]
            }
            if key.hasPrefix("ASIA") {
                return [Revocation("the sessions of the role of \(key)", by: revokingOlderSessions(of: "role"), effect)]
            }
            return [
                Revocation(
                    "the access key \(key)",
                    by: "aws iam update-access-key --user-name USER --access-key-id \(key) --status Inactive", effect)
            ]
        },
        check: { fields throws(FieldProblem) in
            let settings = Settings(fields, of: credential)
            if let region = settings.region, !ScopedKey.isName(region.span) {
                throw FieldProblem("region", "must be of a-z 0-9 and -, such as us-east-1, or auto")
            }
            let fault = BaseURL.endpointFault(
                settings.endpoint, isSandbox: Settings(fields, of: Providers.CredentialFields()).sandbox,
                sample: "http://s3.localhost:9000")
            if let fault { throw FieldProblem("endpoint", fault) }
        })

    /// The command by which AWS refuses all sessions that were begun before: it denies by their age.
    /// - Parameters:
    ///   - kind: `role` or `user`, whose policies they are judged by.
    ///   - name: the role's or the user's.
    static func revokingOlderSessions(of kind: String, named name: String? = nil) -> String {
        let policy =
            #"{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"*","Resource":"*","#
            + #""Condition":{"DateLessThan":{"aws:TokenIssueTime":"NOW"}}}]}"#
        return
            "aws iam put-\(kind)-policy --\(kind)-name \(name ?? kind.uppercased()) --policy-name AWSRevokeOlderSessions "
            + "--policy-document '\(policy)'"
    }

    /// Whether an endpoint, which may have a port, is Amazon's.
    static func isAmazon(_ endpoint: String) -> Bool {
        let host = endpoint.split(separator: ":", maxSplits: 1).first?.lowercased() ?? ""
        return [".amazonaws.com", ".amazonaws.com.cn"].contains { host.hasSuffix($0) }
    }

    /// Where a request names its bucket.
    package enum Style: String, CaseIterable, Sendable {
        /// In the host.
        case virtual
        /// In the path.
        case path

        static let fault = "must be virtual or path"

        init?(_ name: Span<UInt8>) {
            let isVirtual = name.equals(Style.virtual.rawValue.utf8.span)
            guard isVirtual || name.equals(Style.path.rawValue.utf8.span) else { return nil }
            self = isVirtual ? .virtual : .path
        }
    }

    static let wrongStyle = Objection("style", "must be where the grant's credential has its buckets")

    /// What a credential may hold beside what those of every provider may.
    package struct CredentialFields: FieldGroup {
        package let endpoint = Field(
            "endpoint", .string, required: true, told: true,
            "The host without a bucket, such as `s3.eu-west-1.amazonaws.com`, with a port if it is not 443; "
                + "with `sandbox: true` it may be a server on this machine, such as `http://s3.localhost:9000`.")
        let region = Field(
            "region", .string, required: true, told: true,
            "The buckets' region, such as `eu-west-1`; `auto` for Cloudflare R2. Every signature names it.")
        let style = Field(
            "style", .choice(Style.self), default: .virtual, told: true,
            "Where requests name the bucket: `virtual` in the host, `path` in the path.")
        let sessionToken = Field(
            "sessionToken", .secret,
            "The token of a temporary key. All that the key signs carries it, so clients see it.")
        let limits = FetchLimits.field
    }

    /// The declarations of its credentials' fields.
    package static let credential = CredentialFields()

    /// Which credentials grants may name.
    static let rule = CredentialRule(needs: [credential.endpoint.description, credential.region.description])

    /// How long the vendor takes a dated signature, in seconds.
    package static let dateTolerance: Int64 = 15 * 60

    static let bucketFault: StaticString = "must be 3 to 63 of a-z 0-9 and inner hyphens; and dots with style: \"path\""

    /// Where the buckets of a grant's credential are.
    static func place(_ context: GrantContext) throws(FieldProblem) -> V4Place {
        let settings = Settings(context.credential, of: credential)
        guard let endpoint = settings.endpoint.flatMap({ BaseURL(endpoint: $0) }), let region = settings.region
        else { throw FieldProblem("credential", "needs endpoint and region") }
        let place = V4Place(endpoint: endpoint, region: region, scheme: v4(settings.style))
        if let bucket = context.bucket, !place.scheme.isBucket(bucket.span) {
            throw FieldProblem("bucket", bucketFault.description)
        }
        return place
    }
}
