import Access
import Bytes
import Crypto

/// `/nos/files`: the keys below a prefix, asked by the service itself. NOS's signatures do not cover `prefix`, so that a request
/// signed for a client could list the whole bucket.
struct NOSFiles: VendorIssuer {
    let endpoints: [VendorEndpoint]

    static let route = RouteDescription(
        "nos.files", path: "/nos/files", "The keys below the grant's prefix, and what NOS knows of each.",
        request: RouteRequest(
            [parameters.grant.description, parameters.bucket.description] + parameters.listing.descriptions,
            withoutKey: .prefix
        ) { ask, _ throws(AskError) in try parameters.listing.check(ask) },
        grant: RouteGrant(
            Fields(), scope: [.bucket, .keyPrefix], credential: .with(NOS.credential.endpoint), enforcement: .fetch
        ) { grant, context throws(FieldProblem) in .asking(try NOSFiles(asking: grant.hosts, context)) },
        answer: RouteAnswer([
            AnswerField("items", type: .list, "What NOS knows of each key: `key`, `hash`, `fsize` and `putTime`."),
            AnswerField("commonPrefixes", type: .list, "The folders, where a delimiter was given and there are any."),
            AnswerField("marker", "Where the listing goes on; not there at its end."),
        ]))

    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let listing = ListingParameters(maximumKeyLength: NOS.maximumKeyLength)
    }

    private static let parameters = Parameters()

    struct Fields: FieldGroup {
        let hosts = Field(
            "hosts", .strings,
            "The bucket's hosts to ask, if it is not the bucket's name before the credential's `endpoint`; "
                + VendorEndpoint.listMeaning)
    }

    private init(asking hosts: [[UInt8]]?, _ context: GrantContext) throws(FieldProblem) {
        guard let base = NOS.endpoint(context.credential) else { throw FieldProblem("credential", "needs endpoint") }
        guard let bucket = context.bucket else {
            throw FieldProblem("bucket", "must be named, since the service asks the bucket's own host")
        }
        guard NOS.isHostLabel(bucket.span) else { throw FieldProblem("bucket", NOS.bucketFault) }
        var own = ByteWriter()
        base.write(bucket: bucket.span, into: &own)
        endpoints = try VendorEndpoint.list(hosts ?? [own.array], field: hosts == nil ? "credential" : "hosts")
    }

    func objection(to ask: borrowing Ask) -> Objection? { nil }

    func question(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, using scratch: inout ByteWriter
    ) -> any VendorQuestion {
        let prefix = permit.extent == .prefix ? permit.key.array : []
        return NOSListingQuestion(
            bucket: permit.bucket.array, prefix: prefix,
            NOSFiles.parameters.listing.fields(of: ask, limit: "max-keys"), key)
    }
}
