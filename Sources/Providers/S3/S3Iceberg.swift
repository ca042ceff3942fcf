import Access
import Bytes
import Crypto

/// `/v1/aws/s3/sign`, and a table's `/sign` of Iceberg's REST catalog: a request to S3 that a client of the catalog has signed.
struct S3Iceberg: TokenIssuer {
    let callersEnd: CallersEnd
    private let place: V4Place
    private let style: S3.Style
    private let clauses: S3RequestClauses

    static let route = RouteDescription(
        "s3.iceberg", path: "/v1/aws/s3/sign", "A signature for a request of a client of Iceberg's REST catalog.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.uri.name), paths: paths
        ) { ask, instant throws(AskError) in
            ask.detail = try IcebergRequest(&ask, parameters)
            ask.end = .fixed(instant.unixSeconds + S3.dateTolerance)
        },
        grant: RouteGrant(
            Fields(), scope: [.bucket, .keyPrefix], credential: S3.rule, enforcement: .s3Iceberg
        ) { grant, context throws(FieldProblem) in .signing(try S3Iceberg(grant, context)) },
        answer: RouteAnswer(answer, token: ["Authorization"], for: .iceberg))

    private static let paths = [
        RoutePath("/v1/aws/s3/sign"), path("/v1/{prefix}/namespaces/{namespace}/tables/{table}/sign", "table"),
        path("/v1/namespaces/{namespace}/tables/{table}/sign", "table-without-prefix"),
    ]

    private static let parameters = IcebergRequest.Parameters()

    private static let answer = [
        AnswerField("uri", "The URL."),
        AnswerField("headers", type: .object, "Headers to send beside the client's own, each with a list of values."),
    ]

    /// - Parameter name: what tells it from the others.
    private static func path(_ template: String, _ name: String) -> RoutePath {
        RoutePath(
            template,
            [
                RoutePath.Operation(
                    "POST", name, "A signature for a request of a client of Iceberg's REST catalog.",
                    taking: ["region", "uri", "method", "headers", "body", "properties", "provider", "style"],
                    answer: answer)
            ])
    }

    private struct Fields: FieldGroup {
        let request = S3RequestClauses.Fields(S3Operations.iceberg)
        let outliveCaller = Field<Bool>.outliveCaller
    }

    private init(_ grant: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        place = try S3.place(context)
        style = Settings(context.credential, of: S3.credential).style
        clauses = try S3RequestClauses(grant.request, context, S3Operations.iceberg)
        callersEnd = CallersEnd(outliveCaller: grant.outliveCaller)
    }

    var unenforced: [Enforcement] { clauses.unenforced }
    var doubts: [String] { clauses.doubts }

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let request = ask.detail as? IcebergRequest else { return Objection("uri", "was not read") }
        guard request.style == style else { return S3.wrongStyle }
        guard let bucket = ask.bucket, place.scheme.isBucket(bucket), isOrigin(ofURLIn: ask, of: bucket) else {
            return Objection("uri", "must begin as the URLs of the credential's endpoint and of the bucket do")
        }
        if let region = ask[S3Iceberg.parameters.region], !region.equals(place.region) {
            return Objection("region", "must be the credential's")
        }
        guard request.isDeletion || ask.key?.isEmpty == false else {
            return Objection("resource", "only operations on objects are signed")
        }
        return clauses.objection(
            to: JudgedRequest(ask.notes.bytes), addsCondition: true, request.isDeletion ? .bucket : .object)
    }

    /// Whether the client's URL has the credential's scheme and host.
    private func isOrigin(ofURLIn ask: borrowing Ask, of bucket: Span<UInt8>) -> Bool {
        guard let uri = ask[S3Iceberg.parameters.uri] else { return false }
        return ByteWriter.lending { origin in
            place.scheme.writeOrigin(of: bucket, on: place.endpoint, into: &origin)
            guard uri.begins(with: origin.bytes) else { return false }
            return uri.count == origin.count || StaticString("/?").contains(uri[origin.count])
        }
    }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let request = ask.detail as? IcebergRequest else { throw .nothingToSign }
        let asked = JudgedRequest(ask.notes.bytes)
        try ByteWriter.lending { lines throws(IssueError) in
            place.writeHost(of: permit.bucket, into: &lines)
            asked.writeLines(into: &lines)
            // The client keeps its own headers, and adds those that it is told.
            var told = lines.count
            HeaderSignatureV4.writePayload(request.payload(in: ask), place.scheme, into: &lines)
            if request.hasPayload { told = lines.count }
            if clauses.mustCreate(asked), asked.condition == nil { lines.append("if-none-match: *\r\n") }
            HeaderSignatureV4.writeDate(place.scheme, at: instant.unixSeconds, token: key.securityToken, into: &lines)
            // Of a deletion, the permit has the folder of the keys, and the request is about the bucket.
            let canonical = try CanonicalRequest(
                ObjectRequest(
                    place.scheme, method: asked.method, bucket: permit.bucket,
                    key: request.isDeletion ? permit.key.extracting(0..<0) : permit.key, query: asked.query.text,
                    fieldLines: lines.bytes))
            try out.append(members: { json throws(IssueError) in
                json.add("uri", text: { canonical.request.writeURL(on: place.endpoint, into: &$0) })
                try json.add(
                    "headers",
                    object: { headers throws(IssueError) in
                        while let line = try NamedRange.nextLine(&told, of: lines.bytes) {
                            let value = lines.bytes.extracting(line.value)
                            headers.add(named: lines.bytes.extracting(line.name), array: { $0.add(value) })
                        }
                        try headers.add(
                            "Authorization",
                            array: { values throws(IssueError) in
                                try values.add(text: { field throws(IssueError) in
                                    try place.writeAuthorization(
                                        of: canonical, with: key, at: instant, into: &field, using: &scratch)
                                })
                            })
                    })
            })
        }
    }
}
