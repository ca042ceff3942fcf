import Access
import Bytes
import Crypto

@testable import Providers

/// `/toybox/token`: the token with which a client uploads one object (Toybox's page "Upload tokens").
struct ToyboxToken: TokenIssuer {
    /// In bytes; nil where the grant does not say.
    private let maxSize: Int?

    /// What callers ask with.
    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let key = Parameter("key", .key(maximumLength: 512), "The object's whole key.")
        let size = Parameter("size", .integer(1...1_000_000), "The object's size in bytes, if it is known.")
        let expires = Parameter.expires
    }

    private static let parameters = Parameters()

    /// What a grant may hold beside the fields that every grant has.
    struct Fields: FieldGroup {
        let maxSize = Field("maxSize", .size(1...1_000_000), told: true, "The largest object that callers may ask for.")
    }

    static let route = RouteDescription(
        "toybox.token", path: "/toybox/token", "An upload token for one object.",
        request: RouteRequest(parameters.descriptions, withoutKey: .refuse(parameter: parameters.key.name)),
        grant: RouteGrant(
            // By which fields a grant says what it gives (R13); the longest lifetime in seconds, at least an hour.
            Fields(), scope: [.bucket, .key, .keyPrefix], lifetime: .upTo(7 * 86_400),
            // Who sees to it that what a grant says holds when the token is used (R18).
            enforcement: [Enforcement(.vendor, "bucket, key and end", "they are signed"), .reuse]
        ) { grant, context throws(FieldProblem) in .signing(try ToyboxToken(grant, context)) },
        answer: RouteAnswer(
            [
                AnswerField("token", "The upload token."), AnswerField("bucket", "The bucket."),
                AnswerField("key", "The key that the token is for."),
            ], token: ["token"]))

    init(_ grant: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        if let bucket = context.bucket, bucket.count > 63 { throw FieldProblem("bucket", "must have at most 63 bytes") }
        maxSize = grant.maxSize
    }

    /// Bucket and key were judged by the policy; here are only clauses of the vendor's own.
    func objection(to ask: borrowing Ask) -> Objection? {
        guard let maxSize, let size = ask[ToyboxToken.parameters.size], size > maxSize else { return nil }
        return Objection("maxSize", "the object is larger than the grant admits")
    }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        scratch.reset()
        scratch.append(permit.bucket)
        scratch.append("/")
        scratch.append(permit.key)
        scratch.append("\n")
        scratch.append(decimal: permit.expiresAt)
        let code = try key.sha256.code(of: scratch.bytes)
        out.append(members: { json in
            json.add(
                "token",
                text: { token in
                    token.append(key.accessKey)
                    token.append(":")
                    Hex.encode(code.bytes, into: &token)
                    token.append(":")
                    token.append(decimal: permit.expiresAt)
                })
            json.add("bucket", permit.bucket)
            json.add("key", permit.key)
        })
    }
}
