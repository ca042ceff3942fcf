import Access
import Bytes
import Crypto

/// `/qiniu/buckets`, `/qiniu/files` and `/qiniu/stat`: what `/qiniu/authorization` lets a client ask, asked by the service.
struct ManagementFetch: VendorIssuer {
    let endpoints: [VendorEndpoint]
    private let operation: ManagementOperation
    private let rule: OperationRule

    static let buckets = route(
        "buckets", .buckets, "The names of the account's buckets.", answer: [], scope: [], withoutKey: .prefix)

    static let files = route(
        "files", .list, "The keys below the grant's prefix, and what Kodo knows of each.",
        answer: [
            AnswerField("items", type: .list, "What Kodo knows of each key, such as `key`, `hash` and `fsize`."),
            AnswerField("commonPrefixes", type: .list, "The folders, where a delimiter was given and there are any."),
            AnswerField("marker", "Where the listing goes on; not there, or empty, at its end."),
        ],
        scope: [.bucket, .keyPrefix], withoutKey: .prefix)

    static let stat = route(
        "stat", .stat, "What Kodo knows of one key.",
        answer: [
            AnswerField("fsize", type: .integer, "How large it is, in bytes."), AnswerField("hash", "Its ETag."),
            AnswerField("mimeType", "Its type."),
            AnswerField("putTime", type: .integer, "When it was uploaded, in 100 nanoseconds since 1970."),
        ],
        scope: [.bucket, .keyPrefix], withoutKey: .refuse(parameter: "key"))

    private static func route(
        _ name: String, _ operation: ManagementOperation, _ summary: String, answer: [AnswerField], scope: GrantScope,
        withoutKey: Grant.WithoutKey
    ) -> RouteDescription {
        RouteDescription(
            "qiniu.\(name)", path: "/qiniu/\(name)", summary,
            request: RouteRequest([Parameter.grant.description] + operation.parameters, withoutKey: withoutKey) {
                ask, _ throws(AskError) in
                ask.isAboutService = operation == .buckets
                try ManagementOperation.parameters.listing.check(ask)
            },
            grant: RouteGrant(Fields(operation), scope: scope, enforcement: .fetch) {
                grant, context throws(FieldProblem) in
                .asking(try ManagementFetch(operation, asking: grant.hosts.all, context))
            },
            answer: RouteAnswer(answer))
    }

    private struct Fields: FieldGroup {
        let hosts: Field<Settings<Hosts>>

        init(_ operation: ManagementOperation) {
            hosts = Field("hosts", object: Hosts(operation), "Kodo's hosts, if they are not the public ones.")
        }
    }

    struct Hosts: FieldGroup {
        let all: Field<[[UInt8]]>

        init(_ operation: ManagementOperation) {
            let service = operation.service
            all = Field(
                service.name, .strings, default: .texts(service.host),
                "The hosts to ask; \(VendorEndpoint.listMeaning)")
        }
    }

    init(_ operation: ManagementOperation, asking hosts: [[UInt8]], _ context: GrantContext) throws(FieldProblem) {
        endpoints = try VendorEndpoint.list(hosts, field: "hosts.\(operation.service.name)")
        self.operation = operation
        rule = try OperationRule(
            ManagementOperation.table, methods: [ManagementOperation.method],
            subResources: ([operation.segment], "route"), headers: [], reach: context.reach)
    }

    func objection(to ask: borrowing Ask) -> Objection? {
        let names = operation.names(in: ask)
        return rule.objection(to: ManagementOperation.method, operation.level, names: names, headers: [])
    }

    func question(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, using scratch: inout ByteWriter
    ) -> any VendorQuestion {
        ManagementQuestion(
            operation, ManagementTarget(operation, ask, permit, using: &scratch),
            prefix: permit.extent == .prefix ? permit.key.array : [], key)
    }
}
