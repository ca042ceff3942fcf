import Access
import Bytes
import Crypto

/// `/oss/list-url`: a URL that lists the keys of one prefix (OSS API reference, "ListObjectsV2").
///
/// It is signed by version 4 alone, which signs the whole query, so nobody can change the prefix; version 1 signs no `prefix`.
struct ListURL: TokenIssuer {
    private let place: V4Place

    static let route = RouteDescription(
        "oss.list-url", path: "/oss/list-url", "A URL that lists the keys of one prefix.",
        request: RouteRequest(parameters.descriptions, withoutKey: .prefix) { ask, _ throws(AskError) in
            try noteQuery(in: &ask)
        },
        grant: RouteGrant(
            Fields(), scope: [.bucket, .keyPrefix], lifetime: .upTo(PresignedURLV4.lifetimes.upperBound),
            credential: .with(OSS.credential.region), enforcement: .ossListing
        ) { _, context throws(FieldProblem) in .signing(ListURL(place: try OSS.place(context))) },
        answer: RouteAnswer(
            [
                AnswerField("method", "GET."), AnswerField("url", "The URL."), AnswerField("bucket", "The bucket."),
                AnswerField("prefix", "What the listed keys begin with."),
                AnswerField("deadline", type: .integer, "When the URL ends, in seconds since 1970."),
            ], token: ["url"]))

    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let prefix = Parameter(
            "prefix", .keyPrefix(maximumLength: OSS.maximumKeyLength),
            "What the keys begin with; without it, the grant's keyPrefix.")
        let delimiter = Parameter("delimiter", .text(maximumLength: 64), "What divides keys into folders, such as /.")
        let maxKeys = Parameter("maxKeys", .integer(1...1000), "The most keys of one answer.")
        let startAfter = Parameter(
            "startAfter", .text(maximumLength: OSS.maximumKeyLength), "The key behind which the listing begins.")
        let continuationToken = Parameter(
            "continuationToken", .text(maximumLength: 2048), "Where the listing before has ended, as OSS has said it.")
        let expires = Parameter.expires
    }

    private static let parameters = Parameters()

    private struct Fields: FieldGroup {}

    /// Notes the query beside prefix and signature.
    private static func noteQuery(in ask: inout Ask) throws(AskError) {
        if let bucket = ask.bucket, !OSS.isBucket(bucket) { throw AskError(.invalid, "bucket", OSS.bucketFault) }
        try ask.note { ask, notes throws(AskError) in
            notes.append("list-type=2")
            try add("delimiter", parameters.delimiter, of: ask, to: &notes)
            try add("start-after", parameters.startAfter, of: ask, to: &notes)
            try add("continuation-token", parameters.continuationToken, of: ask, to: &notes)
            if let count = ask[parameters.maxKeys] {
                notes.append("&max-keys=")
                notes.append(decimal: count)
            }
        }
    }

    private static func add(
        _ name: StaticString, _ parameter: Parameter<Span<UInt8>>, of ask: borrowing Ask, to notes: inout ByteWriter
    ) throws(AskError) {
        guard let text = ask[parameter] else { return }
        guard ObjectRequest.isText(text) else {
            throw AskError(.invalid, parameter.name, "must be UTF-8 without control characters")
        }
        notes.append(parameter: name.bytes, text)
    }

    func objection(to ask: borrowing Ask) -> Objection? { nil }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard !ask.notes.isEmpty else { throw .nothingToSign }
        let method = StaticString("GET").bytes
        try out.append(members: { json throws(IssueError) in
            json.add("method", method)
            try json.add(
                "url",
                text: { url throws(IssueError) in
                    try ByteWriter.lending { query throws(IssueError) in
                        query.append(ask.notes.bytes)
                        if !permit.key.isEmpty { query.append(parameter: StaticString("prefix").bytes, permit.key) }
                        let request = try ObjectRequest(
                            OSS.v4, method: method, bucket: permit.bucket, key: Span(), query: query.bytes,
                            fieldLines: Span())
                        try place.writeSignedURL(
                            of: CanonicalRequest(request), under: permit, with: key, into: &url, using: &scratch)
                    }
                })
            json.add("bucket", permit.bucket)
            json.add("prefix", permit.key)
            json.add("deadline", permit.expiresAt)
        })
    }
}
