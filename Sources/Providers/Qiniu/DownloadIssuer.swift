import Access
import Bytes
import Crypto

/// `/qiniu/download-url` and `/qiniu/cdn-url`: the URL by which a client downloads one object until a moment.
///
/// Scheme and host are the grant's, the path is made of the key that was judged, and a query is one that the grant has word for
/// word: nothing that a caller writes is in what is signed, but the key, and that encoded.
struct DownloadIssuer: TokenIssuer {
    private let base: BaseURL
    private let queries: [[UInt8]]
    private let signature: Signature

    private enum Signature {
        /// The bucket's own, by the account's key.
        case token
        /// The CDN's, by a key of its own.
        case antiLeech(Secret, signsAnyKey: Bool)
    }

    static let privateURL = RouteDescription(
        "qiniu.download-url", path: "/qiniu/download-url", "A URL to download one object of a private bucket.",
        request: request,
        grant: RouteGrant(Fields(), scope: [.key, .keyPrefix], lifetime: lifetime, enforcement: .qiniuDownloadURL) {
            grant, context throws(FieldProblem) in .signing(try DownloadIssuer(grant, context, signature: .token))
        },
        answer: answer)

    static let cdnURL = RouteDescription(
        "qiniu.cdn-url", path: "/qiniu/cdn-url", "A URL to download one object from a CDN domain with timestamps.",
        request: request,
        grant: RouteGrant(
            CDNFields(), scope: [.key, .keyPrefix], lifetime: lifetime, credential: .with(Qiniu.credential.cdnKey),
            enforcement: .qiniuCDNURL
        ) { grant, context throws(FieldProblem) in
            guard let secret = context.credential[Qiniu.credential.cdnKey] else {
                throw FieldProblem("credential", "needs cdnKey")
            }
            let signature = Signature.antiLeech(secret, signsAnyKey: grant.neverExpires)
            return .signing(try DownloadIssuer(grant.url, context, signature: signature))
        },
        answer: answer)

    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let key = Parameter("key", .key(maximumLength: Qiniu.maximumKeyLength), "The object's whole key.")
        let fileExtension = Parameter.fileExtension
        let query = Parameter(
            "query", .text(maximumLength: 1024), "One of the grant's queries, such as imageView2/1/w/120.")
        let expires = Parameter.expires
    }

    struct Fields: FieldGroup {
        let domain = Field(
            "domain", .string, required: true, told: true, "The domain, with a port if it is not the scheme's default.")
        let scheme = Field("scheme", .choice(Scheme.self), default: .https, told: true, "The scheme of the URL.")
        let query = Field(
            "query", .strings, told: true,
            "The queries that callers may ask for. Each is whole, and stands in the URL as it is.")
    }

    enum Scheme: String, CaseIterable {
        case https, http
    }

    private struct CDNFields: FieldGroup {
        let url = Fields()
        let neverExpires = Field(
            "neverExpires", .boolean, default: false,
            "Whether the service also signs keys whose URL can be changed into a URL of a shorter key that never ends.")
    }

    private static let parameters = Parameters()
    private static let request = RouteRequest(
        parameters.descriptions, withoutKey: .refuse(parameter: parameters.key.name))
    private static let lifetime = RouteLifetime.upTo(7 * 86_400, lastMoment: Qiniu.lastDeadline)

    private static let answer = RouteAnswer(
        [
            AnswerField("url", "The URL, for GET."), AnswerField("key", "The key that it is of."),
            AnswerField("deadline", type: .integer, "When it ends, in seconds since 1970."),
        ], token: ["url"])

    private init(
        _ grant: Settings<Fields>, _ context: GrantContext, signature: Signature
    ) throws(FieldProblem) {
        guard let base = BaseURL(isSecure: grant.scheme == .https, grant.domain ?? []) else {
            throw FieldProblem("domain", "must be a host in lower case, with a port if it is not the scheme's own")
        }
        guard !base.leadsToSandbox || Settings(context.credential, of: CredentialFields()).sandbox else {
            throw FieldProblem(
                "domain", "may be of this machine with scheme: \"http\" only for a credential with sandbox: true")
        }
        queries = grant.query ?? []
        for query in queries {
            if let fault = ObjectURL.queryFault(query.span) { throw FieldProblem("query", fault.description) }
        }
        self.base = base
        self.signature = signature
        if case .key(let template) = context.target, !signs(template) {
            throw FieldProblem("key", "\(DownloadIssuer.inseparable); or say neverExpires: true")
        }
    }

    // MARK: Keys that the CDN's signature cannot hold together

    private static let inseparable: StaticString =
        "must not end in a digit or a to f, unless in an extension such as .mp4: the CDN could take that for a deadline's first"

    private func signs(_ template: KeyTemplate) -> Bool {
        // An extension at the end is judged with the key that it is of; what another placeholder will be is not known.
        guard case .antiLeech(_, signsAnyKey: false) = signature, !template.endsInExtension else { return true }
        let end = template.literalEnd
        return !end.isEmpty && TimestampAntiLeech.isSeparable(end.span)
    }

    func objection(to ask: borrowing Ask) -> Objection? {
        if let query = ask[DownloadIssuer.parameters.query] {
            guard queries.contains(where: { query.equals($0) }) else {
                return Objection(outside: "query", "the grant's query does not have this one, word for word")
            }
        }
        return nil
    }

    func objection(toKey key: Span<UInt8>, of ask: borrowing Ask) -> Objection? {
        guard case .antiLeech(_, signsAnyKey: false) = signature, !TimestampAntiLeech.isSeparable(key) else {
            return nil
        }
        return Objection("key", DownloadIssuer.inseparable)
    }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let query: Span<UInt8>
        if let asked = ask[DownloadIssuer.parameters.query] { query = asked } else { query = Span() }
        try out.append(members: { json throws(IssueError) in
            try json.add(
                "url",
                text: { url throws(IssueError) in
                    let object = try ObjectURL(permit.key, query: query, on: base)
                    switch signature {
                    case .token: try DownloadURL.write(for: object, until: permit.expiresAt, with: key, into: &url)
                    case .antiLeech(let secret, _):
                        try TimestampAntiLeech.write(
                            for: object, until: permit.expiresAt, with: secret, into: &url, using: &scratch)
                    }
                })
            json.add("key", permit.key)
            json.add("deadline", permit.expiresAt)
        })
    }
}
