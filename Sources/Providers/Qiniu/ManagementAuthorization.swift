import Access
import Bytes
import Crypto

/// `/qiniu/authorization`: a request to Kodo that lists or looks, ready for the client to send.
///
/// It is made here, whole: the operation is one of three, bucket and key or prefix are those that were judged, and what else a
/// caller says stands percent-encoded in the query of a listing, which the prefix bounds whatever is beside it.
struct ManagementAuthorization: TokenIssuer {
    private let rule: OperationRule
    private let hosts: [(operation: ManagementOperation, base: BaseURL)]
    private let signature: ManagementSignature
    let callersEnd: CallersEnd

    static let route = RouteDescription(
        "qiniu.authorization", path: "/qiniu/authorization",
        "A signed request to Kodo that lists keys, looks at one, or lists the account's buckets.",
        request: RouteRequest(parameters.descriptions, withoutKey: .prefix) { ask, instant throws(AskError) in
            try ManagementAuthorization.read(&ask, at: instant)
        },
        grant: RouteGrant(Fields(), scope: [.bucket, .keyPrefix], enforcement: .qiniuRequest) {
            grant, context throws(FieldProblem) in .signing(try ManagementAuthorization(grant, context))
        },
        answer: RouteAnswer(
            AnswerField.signedRequest + [
                AnswerField("operation", "What is done."), AnswerField("bucket", "The bucket; null for buckets."),
                AnswerField("key", "The key that is looked at; null for the others."),
                AnswerField("prefix", "What the listed keys begin with; null for the others, and for all of a bucket."),
            ], token: ["Authorization"]))

    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let operation = Parameter("operation", .text(maximumLength: 16), "What is done: list, stat or buckets.")
        let target = ManagementOperation.parameters
    }

    private static let parameters = Parameters()

    private struct Fields: FieldGroup {
        let operations = Field(
            "operations", .strings, default: .texts("list", "stat"), told: true,
            "The operations that may be signed, of list, stat and buckets.")
        let hosts = Field("hosts", object: Hosts(), "Kodo's hosts, if they are not the public ones.")
        let neverExpires = Field(
            "neverExpires", .boolean, default: false,
            "Whether requests are signed as QBox. Such a signature never ends and holds for every method.")
        let outliveCaller = Field<Bool>.outliveCaller
    }

    struct Hosts: FieldGroup {
        let list = host(of: .list)
        let stat = host(of: .stat)
        let buckets = host(of: .buckets)

        private static func host(of operation: ManagementOperation) -> Field<[UInt8]> {
            let service = operation.service
            return Field(
                service.name, .string, default: service.host,
                "The host for \(operation.rawValue), with a port if it is not 443.")
        }
    }

    private init(_ grant: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        guard !grant.operations.isEmpty else { throw FieldProblem("operations", "must name at least one") }
        rule = try OperationRule(
            ManagementOperation.table, methods: [ManagementOperation.method],
            subResources: (grant.operations, "operations"), headers: [], reach: context.reach)
        var hosts: [(operation: ManagementOperation, base: BaseURL)] = []
        for (operation, host) in [
            (ManagementOperation.list, grant.hosts.list), (.stat, grant.hosts.stat), (.buckets, grant.hosts.buckets),
        ] {
            guard let base = BaseURL(isSecure: true, host) else {
                throw FieldProblem(
                    "hosts.\(operation.service.name)", "must be a host in lower case, with a port if it is not 443")
            }
            hosts.append((operation, base))
        }
        self.hosts = hosts
        signature = grant.neverExpires ? .qbox : .qiniu
        callersEnd = CallersEnd(outliveCaller: grant.outliveCaller)
        if case .ignored = callersEnd, signature == .qbox {
            throw FieldProblem(
                "outliveCaller",
                "cannot stand beside neverExpires: true, by which only callers without an end get anything")
        }
    }

    var neverEnds: Bool { signature == .qbox }

    // MARK: Asking

    private static func read(_ ask: inout Ask, at instant: Instant) throws(AskError) {
        let operation = try operation(of: ask)
        ask.isAboutService = operation == .buckets
        ask.detail = operation
        ask.end = .fixed(instant.unixSeconds + Qiniu.dateTolerance)
    }

    private static func operation(of ask: borrowing Ask) throws(AskError) -> ManagementOperation {
        guard let name = ask[parameters.operation] else {
            throw AskError(.missing, "operation", "must be list, stat or buckets")
        }
        guard let operation = ManagementOperation(rawValue: name.text) else {
            throw AskError(.invalid, "operation", "must be list, stat or buckets")
        }
        for parameter in ManagementOperation.allParameters
        where !operation.parameters.contains(where: { $0 === parameter }) && ask.has(parameter) {
            throw AskError(.invalid, parameter.name, "is not for the operation \(operation)")
        }
        try parameters.target.listing.check(ask)
        if operation == .stat, ask.key == nil { throw AskError(.missing, "key", "must be the key to look at") }
        return operation
    }

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let operation = ask.detail as? ManagementOperation else { return Objection("operation", "was not read") }
        let names = operation.names(in: ask)
        return rule.objection(to: ManagementOperation.method, operation.level, names: names, headers: [])
    }

    // MARK: The request

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let operation = ask.detail as? ManagementOperation,
            let base = hosts.first(where: { $0.operation == operation })?.base
        else { throw .nothingToSign }
        let target = ManagementTarget(operation, ask, permit, using: &scratch).bytes
        try out.append(members: { json throws(IssueError) in
            json.add("method", ManagementOperation.method)
            json.add(
                "url",
                text: { url in
                    base.write(into: &url)
                    url.append(target)
                })
            try json.add(
                "headers",
                object: { json throws(IssueError) in
                    let date = ManagementSignature.date(instant.unixSeconds)
                    try json.add(
                        "Authorization",
                        text: { out throws(IssueError) in
                            try signature.write(
                                forTarget: target.span, on: base.authority, date: date, with: key, into: &out,
                                using: &scratch)
                        })
                    guard signature == .qiniu else { return }
                    json.add("Content-Type", ManagementSignature.form)
                    json.add("X-Qiniu-Date", date)
                })
            json.add("operation", operation.segment)
            json.add("bucket", operation == .buckets ? nil : permit.bucket)
            json.add("key", permit.extent == .object ? permit.key : nil)
            json.add("prefix", permit.extent == .prefix ? permit.key : nil)
        })
    }
}
