import Access
import Bytes
import Crypto

/// `/nos/authorization` and `/nos/presigned-url`: a request to NOS about one object, signed in its Authorization field or in its
/// URL, ready for the client to send.
struct NOSAuthorization: TokenIssuer {
    private let rule: OperationRule
    private let endpoint: WebOrigin
    private let place: Place
    let callersEnd: CallersEnd

    private enum Place {
        case header, url
    }

    /// How long the vendor takes a dated request, in seconds.
    private static let dateTolerance: Int64 = 15 * 60

    /// What NOS does with one object, as far as it is signed for callers: its content, and its upload in parts. No access list,
    /// no copy, no object made of another's content (`deduplication`).
    private static let table = OperationTable(
        [
            OperationTable.Operation("GET", .object), OperationTable.Operation("HEAD", .object),
            OperationTable.Operation("PUT", .object), OperationTable.Operation("DELETE", .object),
            OperationTable.Operation("GET", .object, ["versionId"]),
            OperationTable.Operation("HEAD", .object, ["versionId"]),
            OperationTable.Operation("POST", .object, ["uploads"]),
            OperationTable.Operation("PUT", .object, ["uploadId", "partNumber"]),
            OperationTable.Operation("GET", .object, ["uploadId"]),
            OperationTable.Operation("POST", .object, ["uploadId"]),
            OperationTable.Operation("DELETE", .object, ["uploadId"]),
        ],
        headers: ["content-md5", "content-type", "x-nos-entity-type", "x-nos-meta-*", "x-nos-storage-class"])

    static let headerRoute = RouteDescription(
        "nos.authorization", path: "/nos/authorization",
        "A request about one object, signed in its Authorization field.",
        parameters: parameters, grantFields: fields + [.outliveCaller("the signature")], answer: answer,
        token: ["Authorization"],
        scope: [.bucket, .key, .keyPrefix],
        enforcement: .nosRequest,
        credentialNeeds: ["endpoint"], withoutKey: .refuse(parameter: "object"), longestLifetime: nil,
        read: { ask, moment throws(AskError) in
            try read(&ask)
            ask.end = .fixed(moment.unixSeconds + dateTolerance)
        },
        makeIssuer: { fields throws(FieldProblem) in .signing(try NOSAuthorization(fields, .header)) })

    static let urlRoute = RouteDescription(
        "nos.presigned-url", path: "/nos/presigned-url", "A URL that carries its own signature, for one object.",
        parameters: parameters + [.expires], grantFields: fields,
        answer: answer + [
            AnswerField("deadline", type: .integer, "When the URL ends, in seconds since 1970.")
        ],
        token: ["url"], scope: [.bucket, .key, .keyPrefix], enforcement: .nosRequest, credentialNeeds: ["endpoint"],
        withoutKey: .refuse(parameter: "object"),
        longestLifetime: 7 * 86_400, read: { ask, _ throws(AskError) in try read(&ask) },
        makeIssuer: { fields throws(FieldProblem) in .signing(try NOSAuthorization(fields, .url)) })

    private static let parameters = [
        .grant, .bucket,
        ParameterDescription(
            "object", aliases: ["key"], .key(maximumLength: NOS.maximumKeyLength), "The object's whole name."),
        ParameterDescription("method", .text(maximumLength: 16), "The method; without it, GET."),
        ParameterDescription(
            "header", .pairs(separator: UInt8(ascii: ":"), maximumCount: 32, maximumLength: 2048),
            "A header that shall be signed, as name:value; all that the grant's `headers` may hold are signed."),
        ParameterDescription(
            "query", .pairs(separator: UInt8(ascii: "="), maximumCount: 8, maximumLength: 1024),
            "A sub-resource, as name or name=value, such as uploads."),
    ]

    private static let fields = [
        FieldDescription(
            "methods", .strings, required: true, told: true,
            "The methods that may be signed, of \(table.methods.map(\.text).joined(separator: ", "))."),
        FieldDescription(
            "headers", .strings, told: true,
            "The headers that may be signed, of \(table.headers.map(\.text).joined(separator: ", "))."),
        FieldDescription(
            "query", .strings, told: true,
            "The sub-resources that may be signed, of \(table.subResources.map(\.text).joined(separator: ", "))."),
    ]

    private static let answer = [
        AnswerField("method", "The method."), AnswerField("url", "The URL."),
        AnswerField("headers", type: .object, "All headers that the client must send."),
        AnswerField("bucket", "The bucket."), AnswerField("object", "The object that the request is about."),
        AnswerField("key", "The same."),
    ]

    /// Where the parameters stand in an ask.
    private enum Position {
        static let method = headerRoute.position(of: "method") ?? .max
        static let header = headerRoute.position(of: "header") ?? .max
        static let query = headerRoute.position(of: "query") ?? .max
    }

    private init(_ fields: GrantFields, _ place: Place) throws(FieldProblem) {
        guard let endpoint = NOS.endpoint(fields.credential) else { throw FieldProblem("credential", "needs endpoint") }
        if let bucket = fields.bucket, !NOS.isHostLabel(bucket.span) {
            throw FieldProblem("bucket", NOS.bucketFault)
        }
        rule = try OperationRule(
            NOSAuthorization.table, methods: fields.grant.strings("methods") ?? [],
            subResources: (fields.grant.strings("query") ?? [], "query"),
            headers: fields.grant.strings("headers") ?? [], reach: fields.reach)
        self.endpoint = endpoint
        self.place = place
        callersEnd = place == .header ? fields.grant.callersEnd : .shortens
    }

    // MARK: Asking

    private static func read(_ ask: inout Ask) throws(AskError) {
        let parts = try NOSRequestParts(
            ask, method: Position.method, headers: Position.header, query: Position.query)
        ask.detail = parts
    }

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let parts = ask.detail as? NOSRequestParts else { return Objection("object", "was not read") }
        return rule.objection(
            to: parts.method, .object, names: parts.parameters.map(\.name), headers: parts.headers.map(\.name))
    }

    // MARK: The request

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at moment: borrowing Moment,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let parts = ask.detail as? NOSRequestParts else { throw .nothingToSign }
        let request = try parts.request(bucket: permit.bucket, key: permit.key)
        out.append("\"method\":\"")
        out.append(parts.method)
        out.append("\",\"url\":\"")
        switch place {
        case .url:
            try NOSPresignedURL.write(
                for: request, on: endpoint, until: permit.expiresAt, with: key, into: &out, using: &scratch)
            out.append("\",\"headers\":{")
        case .header:
            let date = HTTPDate.write(moment.unixSeconds)
            request.writeURL(on: endpoint, into: &out)
            out.append("\",\"headers\":{\"Authorization\":\"")
            try NOSHeaderSignature.write(for: request, date: date.span, with: key, into: &out, using: &scratch)
            out.append("\",\"Date\":\"")
            out.append(date)
            out.append(parts.headers.isEmpty ? "\"" : "\",")
        }
        for (index, header) in parts.headers.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            out.append(jsonString: header.name)
            out.append(UInt8(ascii: ":"))
            out.append(jsonString: header.value)
        }
        out.append("},\"bucket\":")
        out.append(jsonString: permit.bucket)
        out.append(",\"object\":")
        out.append(jsonString: permit.key)
        out.append(",\"key\":")
        out.append(jsonString: permit.key)
        guard place == .url else { return }
        out.append(",\"deadline\":")
        out.append(decimal: permit.expiresAt)
    }
}
