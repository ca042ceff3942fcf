import Access
import Bytes
import Crypto

/// `/oss/authorization` and `/oss/presigned-url`: a request to OSS about one object, signed in its Authorization field or in its
/// URL, ready for the client to send.
struct OSSAuthorization: TokenIssuer {
    /// What a session may do that signs for the grant, as JSON; nil where the credential is a key.
    private let sessionPolicy: [UInt8]?
    let callersEnd: CallersEnd
    private let rule: OperationRule
    private let clauses: OSSRequestClauses
    private let endpoint: WebOrigin
    private let region: [UInt8]
    private let place: Place

    private enum Place {
        case header, url
    }

    static let headerRoute = RouteDescription(
        "oss.authorization", path: "/oss/authorization",
        "A request about one object, signed in its Authorization field.",
        parameters: parameters, grantFields: fields + [.outliveCaller("the signature")], answer: answer,
        token: ["Authorization"],
        scope: [.bucket, .key, .keyPrefix],
        enforcement: .ossRequest,
        otherProviders: ["sts"], credentialNeeds: ["region"], withoutKey: .refuse(parameter: "key"),
        longestLifetime: nil,
        read: { ask, moment throws(AskError) in
            ask.detail = try OSSRequestParts(ask, at: positions)
            ask.end = .fixed(moment.unixSeconds + OSS.dateTolerance)
        },
        makeIssuer: { fields throws(FieldProblem) in try OSSAuthorization(fields, .header).kind })

    static let urlRoute = RouteDescription(
        "oss.presigned-url", path: "/oss/presigned-url", "A URL that carries its own signature, for one object.",
        parameters: parameters + [
            .expires,
            ParameterDescription(
                "contentType", .text(maximumLength: 256), "The Content-Type that shall be signed, and sent."),
            ParameterDescription(
                "contentMd5", .text(maximumLength: 24), "The Content-MD5, in base64, that shall be signed, and sent."),
        ],
        grantFields: fields,
        answer: answer + [AnswerField("deadline", type: .integer, "When the URL ends, in seconds since 1970.")],
        token: ["url"], scope: [.bucket, .key, .keyPrefix], enforcement: .ossRequest, otherProviders: ["sts"],
        credentialNeeds: ["region"],
        withoutKey: .refuse(parameter: "key"),
        longestLifetime: PresignedURLV4.lifetimes.upperBound,
        read: { ask, _ throws(AskError) in ask.detail = try OSSRequestParts(ask, at: positions) },
        makeIssuer: { fields throws(FieldProblem) in try OSSAuthorization(fields, .url).kind })

    private static let parameters = [
        .grant, .bucket,
        ParameterDescription("key", .key(maximumLength: OSS.maximumKeyLength), "The object's whole key."),
        ParameterDescription("method", .text(maximumLength: 16), "The method; without it, GET."),
        ParameterDescription(
            "header", .pairs(separator: UInt8(ascii: ":"), maximumCount: 32, maximumLength: 2048),
            "A header that shall be signed, and sent, as name:value."),
        ParameterDescription(
            "query", .pairs(separator: UInt8(ascii: "="), maximumCount: 16, maximumLength: 1024),
            "A parameter of the request's query, as name or name=value, such as uploads."),
        ParameterDescription("version", .text(maximumLength: 8), "The signature's version, v4 or v1; without it, v4."),
    ]

    private static let fields = OSSRequestClauses.fields(of: OSSOperations.table)

    private static let answer = [
        AnswerField("method", "The method."), AnswerField("url", "The URL."),
        AnswerField("headers", type: .object, "All headers that the client must send."),
        AnswerField("bucket", "The bucket."), AnswerField("key", "The key that the request is about."),
    ]

    /// Where the parameters stand in an ask, of either route.
    private static let positions = OSSRequestParts.Positions(
        method: place(of: "method"), headers: place(of: "header"), query: place(of: "query"),
        version: place(of: "version"), contentType: place(of: "contentType"), contentMD5: place(of: "contentMd5"))

    private static func place(of parameter: String) -> Int { urlRoute.position(of: parameter) ?? .max }

    private init(_ fields: GrantFields, _ place: Place) throws(FieldProblem) {
        guard let region = fields.credential.string("region"), let endpoint = OSS.endpoint(fields.credential) else {
            throw FieldProblem("credential", "needs region")
        }
        if let bucket = fields.bucket, !OSS.isBucket(bucket.span) { throw FieldProblem("bucket", OSS.bucketFault) }
        clauses = try OSSRequestClauses(fields)
        rule = try OperationRule(
            OSSOperations.table, methods: fields.grant.strings("methods") ?? [],
            subResources: (fields.grant.strings("subresources") ?? [], "subresources"),
            query: fields.grant.strings("query") ?? [], headers: fields.grant.strings("headers") ?? [],
            reach: fields.reach)
        sessionPolicy = fields.hasSessions ? try OSSPermissions.policy(for: rule, fields) : nil
        callersEnd = place == .header ? fields.grant.callersEnd : .shortens
        self.endpoint = endpoint
        self.region = region
        self.place = place
    }

    private var kind: IssuerKind {
        sessionPolicy.map { .signingBySession(self, policy: $0) } ?? .signing(self)
    }

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let parts = ask.detail as? OSSRequestParts else { return Objection("key", "was not read") }
        let objection = rule.objection(
            to: parts.method, .object, names: parts.parameters.map(\.name),
            headers: parts.names.filter { !clauses.admits(header: $0.span) })
        return objection ?? clauses.objection(to: parts)
    }

    func objection(toKey key: Span<UInt8>, of ask: borrowing Ask) -> Objection? {
        guard let parts = ask.detail as? OSSRequestParts else { return Objection("key", "was not read") }
        return parts.fault(ofKey: key).map { Objection("key", $0) }
    }

    // MARK: The request

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at moment: borrowing Moment,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let parts = ask.detail as? OSSRequestParts else { throw .nothingToSign }
        out.append("\"method\":\"")
        out.append(parts.method)
        out.append("\",\"url\":\"")
        switch place {
        case .url:
            let request = try parts.request(bucket: permit.bucket, key: permit.key, lines: parts.lines.span)
            try writeURL(of: request, parts, under: permit, with: key, into: &out, using: &scratch)
            out.append("\",\"headers\":{")
            try OSSAuthorization.writeMembers(parts.lines.span, into: &out)
        case .header:
            var lines = ByteWriter(capacity: parts.lines.count + 160 + (key.securityToken?.count ?? 0))
            lines.append(parts.lines)
            switch parts.version {
            case .v1: HeaderSignatureV1.writeFields(at: moment.unixSeconds, token: key.securityToken, into: &lines)
            case .v4: HeaderSignatureV4.writeFields(at: moment.unixSeconds, token: key.securityToken, into: &lines)
            }
            let request = try parts.request(bucket: permit.bucket, key: permit.key, lines: lines.bytes)
            request.writeURL(on: endpoint, request.parameters, into: &out)
            out.append("\",\"headers\":{")
            try OSSAuthorization.writeMembers(lines.bytes, into: &out)
            out.append(",\"Authorization\":\"")
            try writeField(of: request, parts, with: key, at: moment, into: &out, using: &scratch)
            out.append(UInt8(ascii: "\""))
        }
        out.append("},\"bucket\":")
        out.append(jsonString: permit.bucket)
        out.append(",\"key\":")
        out.append(jsonString: permit.key)
        guard place == .url else { return }
        out.append(",\"deadline\":")
        out.append(decimal: permit.expiresAt)
    }

    private func writeURL(
        of request: OSSRequest, _ parts: OSSRequestParts, under permit: borrowing Permit, with key: SigningKey,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        switch parts.version {
        case .v1:
            try PresignedURLV1.write(
                for: request, on: endpoint, until: permit.expiresAt, token: key.securityToken, with: key, into: &out,
                using: &scratch)
        case .v4:
            let begin = permit.expiresAt - permit.lifetime
            try PresignedURLV4.write(
                for: CanonicalRequest(request, signing: parts.additional), on: endpoint, at: begin,
                for: permit.lifetime, token: key.securityToken,
                with: ScopedKey.kept(by: key, region: region, at: begin),
                into: &out, using: &scratch)
        }
    }

    private func writeField(
        of request: OSSRequest, _ parts: OSSRequestParts, with key: SigningKey, at moment: borrowing Moment,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        switch parts.version {
        case .v1: try HeaderSignatureV1.write(for: request, with: key, into: &out, using: &scratch)
        case .v4:
            try HeaderSignatureV4.write(
                for: CanonicalRequest(request, signing: parts.additional),
                with: ScopedKey.kept(by: key, region: region, at: moment.unixSeconds), into: &out, using: &scratch)
        }
    }

    /// Writes header lines as members of a JSON object.
    private static func writeMembers(_ lines: Span<UInt8>, into out: inout ByteWriter) throws(IssueError) {
        var start = 0
        while let line = try FieldLine.next(&start, of: lines) {
            if line.name.lowerBound > 0 { out.append(UInt8(ascii: ",")) }
            out.append(jsonString: lines.extracting(line.name))
            out.append(UInt8(ascii: ":"))
            out.append(jsonString: lines.extracting(line.value))
        }
    }
}
