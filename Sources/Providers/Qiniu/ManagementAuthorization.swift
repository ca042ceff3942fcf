import Access
import Bytes
import Crypto

/// `/qiniu/authorization`: a request to Kodo that lists or looks, ready for the client to send.
///
/// It is made here, whole: the operation is one of three, bucket and key or prefix are those that were judged, and what else a
/// caller says stands percent-encoded in the query of a listing, which the prefix bounds whatever is beside it.
struct ManagementAuthorization: TokenIssuer {
    private let rule: OperationRule
    private let hosts: [(operation: ManagementOperation, origin: WebOrigin)]
    private let signature: ManagementSignature

    /// How long the vendor takes a dated request, in seconds.
    private static let dateTolerance: Int64 = 15 * 60
    private static let method = Array(ManagementOperation.method.utf8)

    static let route = RouteDescription(
        "qiniu.authorization", path: "/qiniu/authorization",
        "A signed request to Kodo that lists keys, looks at one, or lists the account's buckets.",
        parameters: [
            .grant,
            ParameterDescription("operation", .text(maximumLength: 16), "What is done: list, stat or buckets."),
            .bucket,
            ParameterDescription("key", .key(maximumLength: Qiniu.maximumKeyLength), "The whole key, for stat."),
            ParameterDescription(
                "prefix", .keyPrefix(maximumLength: Qiniu.maximumKeyLength),
                "What the listed keys begin with; without it, the grant's prefix."),
            ParameterDescription("delimiter", .text(maximumLength: 64), "Where keys are cut to folders, such as /."),
            ParameterDescription("marker", .text(maximumLength: 2048), "Where the listing goes on: the last one's."),
            ParameterDescription("limit", .integer(1...1000), "The most keys that are listed."),
        ],
        grantFields: [
            FieldDescription(
                "operations", .strings, standard: "[\"list\", \"stat\"]",
                "What may be done, of list, stat and buckets."),
            FieldDescription(
                "hosts",
                .object(
                    ManagementOperation.allCases.map {
                        FieldDescription(
                            $0.service.name, .string, standard: "\"\($0.service.host)\"",
                            "Whom \($0.rawValue) is asked of, with a port if it is not 443.")
                    }), "Qiniu's services, where they are others."),
            FieldDescription(
                "neverExpires", .boolean, standard: "false",
                "Whether requests are signed as QBox, which never ends and holds for every method."),
        ],
        answer: [
            AnswerField("method", "The method."), AnswerField("url", "The URL."),
            AnswerField("headers", type: .object, "All headers that the client must send."),
            AnswerField("operation", "What is done."), AnswerField("bucket", "The bucket; null for buckets."),
            AnswerField("key", "The key that is looked at; null for the others."),
            AnswerField("prefix", "What the listed keys begin with; null for the others, and for all of a bucket."),
        ],
        scope: [.bucket, .keyPrefix], withoutKey: .prefix, longestLifetime: nil,
        read: { ask, moment throws(AskError) in try ManagementAuthorization.read(&ask, at: moment) },
        makeIssuer: { fields throws(FieldProblem) in try ManagementAuthorization(fields) })

    /// Where the parameters stand in an ask.
    private enum Position {
        static let operation = route.position(of: "operation") ?? .max
        static let delimiter = route.position(of: "delimiter") ?? .max
        static let marker = route.position(of: "marker") ?? .max
        static let limit = route.position(of: "limit") ?? .max
    }

    private init(_ fields: GrantFields) throws(FieldProblem) {
        let grant = fields.grant
        let operations = grant.strings("operations") ?? []
        guard !operations.isEmpty else { throw FieldProblem("operations", "must name at least one") }
        rule = try OperationRule(
            ManagementOperation.table, methods: [ManagementAuthorization.method],
            subResources: (operations, "operations"), headers: [], reach: fields.reach)
        var hosts: [(operation: ManagementOperation, origin: WebOrigin)] = []
        for operation in ManagementOperation.allCases {
            let name = operation.service.name
            guard let origin = WebOrigin(isSecure: true, grant.object("hosts")?.string(name) ?? []) else {
                throw FieldProblem("hosts.\(name)", "must be a host in lower case, with a port if it is not 443")
            }
            hosts.append((operation, origin))
        }
        self.hosts = hosts
        signature = grant.boolean("neverExpires") == true ? .qbox : .qiniu
    }

    var neverEnds: Bool { signature == .qbox }

    // MARK: Asking

    private static func read(_ ask: inout Ask, at moment: borrowing Moment) throws(AskError) {
        let operation = try operation(of: ask)
        ask.isAboutService = operation == .buckets
        ask.detail = operation
        ask.end = .reported(moment.unixSeconds + dateTolerance)
    }

    private static func operation(of ask: borrowing Ask) throws(AskError) -> ManagementOperation {
        guard let name = ask.text(at: Position.operation) else {
            throw AskError(.missing, "operation", "must be list, stat or buckets")
        }
        guard let operation = ManagementOperation(rawValue: name.text) else {
            throw AskError(.invalid, "operation", "must be list, stat or buckets")
        }
        for parameter in ManagementOperation.allParameters
        where !operation.parameters.contains(parameter) && has(parameter, ask) {
            throw AskError(.invalid, parameter, "is not for the operation \(operation)")
        }
        for (position, parameter) in [(Position.delimiter, "delimiter"), (Position.marker, "marker")] {
            if ask.text(at: position)?.hasControlCharacters == true {
                throw AskError(.invalid, parameter, "must have no control characters")
            }
        }
        if operation == .stat, ask.key == nil { throw AskError(.missing, "key", "must be the key to look at") }
        return operation
    }

    private static func has(_ parameter: String, _ ask: borrowing Ask) -> Bool {
        route.position(of: parameter).map { ask.has($0) } ?? false
    }

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let operation = ask.detail as? ManagementOperation else { return Objection("operation", "was not read") }
        var names = [operation.segment]
        for parameter in operation.parameters where ManagementAuthorization.has(parameter, ask) && operation == .list {
            names.append(Array(parameter.utf8))
        }
        return rule.objection(to: ManagementAuthorization.method, operation.level, names: names, headers: [])
    }

    // MARK: The request

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at moment: borrowing Moment,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let operation = ask.detail as? ManagementOperation,
            let origin = hosts.first(where: { $0.operation == operation })?.origin
        else { throw .nothingToSign }
        var target = ByteWriter()
        write(operation, ask, permit, into: &target, using: &scratch)
        out.append("\"method\":\"")
        out.append(ManagementAuthorization.method)
        out.append("\",\"url\":\"")
        origin.write(into: &out)
        out.append(target.bytes)
        out.append("\",\"headers\":{\"Authorization\":\"")
        try authorize(target.bytes, origin.authority, with: key, at: moment, into: &out, using: &scratch)
        out.append("},\"operation\":\"")
        out.append(operation.segment)
        out.append("\",\"bucket\":")
        ManagementAuthorization.write(operation == .buckets ? nil : permit.bucket, into: &out)
        out.append(",\"key\":")
        ManagementAuthorization.write(permit.extent == .object ? permit.key : nil, into: &out)
        out.append(",\"prefix\":")
        ManagementAuthorization.write(permit.extent == .prefix ? permit.key : nil, into: &out)
    }

    /// Writes path and query.
    private func write(
        _ operation: ManagementOperation, _ ask: borrowing Ask, _ permit: borrowing Permit,
        into target: inout ByteWriter, using scratch: inout ByteWriter
    ) {
        target.append(UInt8(ascii: "/"))
        target.append(operation.segment)
        switch operation {
        case .buckets: return
        case .stat:
            target.append(UInt8(ascii: "/"))
            EntryURI.write(bucket: permit.bucket, key: permit.key, into: &target, using: &scratch)
        case .list:
            target.append("?bucket=")
            Percent.encode(permit.bucket, into: &target)
            if permit.extent == .prefix {
                target.append("&prefix=")
                Percent.encode(permit.key, into: &target)
            }
            if let delimiter = ask.text(at: Position.delimiter) {
                target.append("&delimiter=")
                Percent.encode(delimiter, into: &target)
            }
            if let marker = ask.text(at: Position.marker) {
                target.append("&marker=")
                Percent.encode(marker, into: &target)
            }
            if let limit = ask.integer(at: Position.limit) {
                target.append("&limit=")
                target.append(decimal: limit)
            }
        }
    }

    /// Writes the headers, from within the value of the first.
    private func authorize(
        _ target: Span<UInt8>, _ host: [UInt8], with key: SigningKey, at moment: borrowing Moment,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let method = ManagementAuthorization.method
        var date = ByteWriter(capacity: 16)
        ISO8601.writeBasic(moment.unixSeconds, into: &date)
        var lines = ByteWriter(capacity: 32)
        lines.append("X-Qiniu-Date: ")
        lines.append(date.bytes)
        lines.append("\r\n")
        // HTTP clients differ over what they send when nobody says; so it is said, and signed.
        let type = Array(ManagementSignature.form.description.utf8)
        let request = try ManagementRequest(
            method: method.span, target: target, host: host.span, contentType: type.span, fieldLines: lines.bytes,
            body: Span())
        try signature.write(for: request, with: key, into: &out, using: &scratch)
        out.append(UInt8(ascii: "\""))
        guard signature == .qiniu else { return }
        out.append(",\"Content-Type\":\"")
        out.append(type)
        out.append("\",\"X-Qiniu-Date\":\"")
        out.append(date.bytes)
        out.append(UInt8(ascii: "\""))
    }

    private static func write(_ text: Span<UInt8>?, into out: inout ByteWriter) {
        if let text { out.append(jsonString: text) } else { out.append("null") }
    }
}
