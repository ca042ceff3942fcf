import Access
import Bytes
import Crypto

/// `/oss/sign`: the signature over a string that a client's own SDK has put together (remote signing, V1).
///
/// `OSS AK:base64(HMAC-SHA1(secret, string))`, for strings that `StringToSign` reads and the grant admits; a blind signature
/// would be a blank cheque. What is signed: reading, writing and deleting single objects, without any sub-resource.
struct RemoteSignature: TokenIssuer {
    private let accessKey: [UInt8]
    private let verbs: Set<StringToSign.Verb>
    private let headers: HeaderList
    /// The longest life of a signed URL, in seconds; nil when none may be signed.
    private let presign: Int64?

    /// A client's clock may be this much ahead, in seconds.
    private static let clockLead: Int64 = 60

    /// Where the parameters stand in an ask.
    private enum Position {
        static let contentToSign = route.position(of: "contentToSign") ?? .max
        static let version = route.position(of: "version") ?? .max
        static let method = route.position(of: "method") ?? .max
        static let accessKeyID = route.position(of: "accessKeyId") ?? .max
    }

    /// The string as read, and when.
    private struct Reading: AskDetail {
        let string: StringToSign
        let moment: Int64
    }

    static let route = RouteDescription(
        "oss.sign", path: "/oss/sign",
        "The signature over a V1 string to sign that is read and found inside the grant.",
        parameters: [
            .grant,
            ParameterDescription(
                "contentToSign", aliases: ["content", "stringToSign"],
                .text(maximumLength: StringToSign.maximumLength), "The string to sign, as the client's SDK made it."),
            ParameterDescription("version", .text(maximumLength: 8), "The signature's version: v1."),
            ParameterDescription("method", .text(maximumLength: 16), "The string's verb, as remote signers send it."),
            ParameterDescription("bucket", .bucket, "The string's bucket, as remote signers send it."),
            ParameterDescription(
                "key", .key(maximumLength: OSS.maximumKeyLength), "The string's key, as remote signers send it."),
            ParameterDescription(
                "accessKeyId", .text(maximumLength: 128), "The access key that the client took for its own."),
            ParameterDescription("region", .text(maximumLength: 64), "Sent by remote signers; V1 does not sign it."),
            ParameterDescription("product", .text(maximumLength: 64), "Sent by remote signers; V1 does not sign it."),
            ParameterDescription("date", .text(maximumLength: 64), "Sent by remote signers; the string has its own."),
        ],
        grantFields: [
            FieldDescription(
                "methods", .strings, required: true, told: true,
                "The verbs that may be signed, of GET, HEAD, PUT and DELETE."),
            FieldDescription(
                "headers", .strings, told: true, "The x-oss- headers that may be signed; x-oss-meta-* for all of those."
            ),
            FieldDescription(
                "presign", .duration(1000...604_800_000), told: true,
                "The longest life of a URL that may be signed; none without it."),
        ],
        answer: [
            AnswerField("authorization", "The value of the Authorization field."),
            AnswerField("signature", "The signature alone."), AnswerField("accessKeyId", "Whose key signed."),
            AnswerField("StatusCode", type: .integer, "200, as the vendor's samples have it."),
            AnswerField("bucket", "The bucket."), AnswerField("key", "The key that the string is about."),
        ],
        scope: [.bucket, .keyPrefix], withoutKey: .refuse(parameter: "contentToSign"), longestLifetime: nil,
        textParameter: "contentToSign",
        read: { ask, moment throws(AskError) in try RemoteSignature.read(&ask, at: moment) },
        makeIssuer: { fields throws(FieldProblem) in try RemoteSignature(fields) })

    init(_ fields: GrantFields) throws(FieldProblem) {
        accessKey = fields.accessKey
        if let bucket = fields.bucket, !OSS.isBucket(bucket.span) {
            throw FieldProblem("bucket", OSS.bucketFault)
        }
        if case .prefix(let prefix) = fields.target, prefix.sample.contains(UInt8(ascii: "?")) {
            throw FieldProblem("keyPrefix", "must not contain ?, where the key of a string to sign ends")
        }
        var verbs: Set<StringToSign.Verb> = []
        for name in fields.grant.strings("methods") ?? [] {
            // Without sub-resources a POST is no operation on an object.
            guard let verb = StringToSign.Verb(rawValue: name.text), verb != .post else {
                throw FieldProblem("methods", "must be of GET, HEAD, PUT and DELETE")
            }
            verbs.insert(verb)
        }
        guard !verbs.isEmpty else {
            throw FieldProblem("methods", "must name at least one of GET, HEAD, PUT and DELETE")
        }
        self.verbs = verbs
        headers = try HeaderList(fields.grant.strings("headers") ?? [])
        presign = fields.grant.integer("presign").map { $0 / 1000 }
    }

    private static func read(_ ask: inout Ask, at moment: borrowing Moment) throws(AskError) {
        let string = try string(of: ask)
        ask.setTarget(bucket: string.bucket, key: string.key)
        switch string.moment {
        case .date(let date): ask.end = .reported(date + OSS.dateTolerance)
        case .expires(let end): ask.end = .binding(end)
        }
        ask.detail = Reading(string: string, moment: moment.unixSeconds)
    }

    /// Reads the string to sign, and compares it with what is said of it beside it.
    private static func string(of ask: borrowing Ask) throws(AskError) -> StringToSign {
        if let version = ask.text(at: Position.version), !version.equals("v1") {
            throw AskError(.invalid, "version", "must be v1")
        }
        guard let text = ask.text(at: Position.contentToSign) else {
            throw AskError(.missing, "contentToSign", "must be the string to sign")
        }
        let string: StringToSign
        do throws(StringToSignError) { string = try StringToSign(reading: text) } catch {
            throw AskError(.unreadableStringToSign, "contentToSign", error.description)
        }
        if let method = ask.text(at: Position.method), !method.equals(Array(string.verb.rawValue.utf8)) {
            throw AskError(.invalid, "method", "must be the verb of the string to sign, or left out")
        }
        if let bucket = ask.bucket, !bucket.equals(string.bucket) {
            throw AskError(.invalid, "bucket", "must be the bucket of the string to sign, or left out")
        }
        if let key = ask.key, !key.equals(string.key) {
            throw AskError(.invalid, "key", "must be the key of the string to sign, or left out")
        }
        return string
    }

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let reading = ask.detail as? Reading else { return Objection("contentToSign", "was not read") }
        let string = reading.string
        guard !string.key.isEmpty else { return Objection("resource", "only operations on single objects are signed") }
        guard verbs.contains(string.verb) else { return Objection("verb", "the grant's methods do not name the verb") }
        guard string.subResources.isEmpty else { return Objection("subResource", "no sub-resource is signed") }
        for header in string.headers where !headers.contains(header.name) {
            return Objection("header", "the grant's headers do not name an x-oss- header of the string")
        }
        if let asked = ask.text(at: Position.accessKeyID), !asked.equals(accessKey) {
            return Objection("accessKeyId", "the grant signs with another access key")
        }
        switch string.moment {
        case .date(let date):
            guard date >= reading.moment - OSS.dateTolerance, date <= reading.moment + RemoteSignature.clockLead else {
                return Objection("date", "the date must lie at most 15 minutes back and 60 seconds ahead")
            }
        case .expires(let end):
            guard let presign else { return Objection("presign", "the grant signs no URLs; line 4 must be a date") }
            guard end > reading.moment, end <= reading.moment + presign else {
                return Objection("presign", "the expiry must lie ahead, within the grant's presign")
            }
        }
        return nil
    }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at moment: borrowing Moment,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let text = ask.text(at: Position.contentToSign) else { throw .nothingToSign }
        let code = try key.sha1.code(of: text)
        scratch.reset()
        Base64.standard.encode(code.bytes, into: &scratch)
        if !ask.wantsText { out.append("\"authorization\":\"") }
        out.append("OSS ")
        out.append(key.accessKey)
        out.append(UInt8(ascii: ":"))
        out.append(scratch.bytes)
        if ask.wantsText { return }
        out.append("\",\"signature\":\"")
        out.append(scratch.bytes)
        out.append("\",\"accessKeyId\":\"")
        out.append(key.accessKey)
        out.append("\",\"StatusCode\":200,\"bucket\":")
        out.append(jsonString: permit.bucket)
        out.append(",\"key\":")
        out.append(jsonString: permit.key)
    }
}
