import Access
import Bytes
import Crypto

/// One thing that a provider issues: where it is asked for, with what, what a grant of it says, and what comes back.
///
/// It is a class so that looking one up for every request copies nothing.
package final class RouteDescription: Sendable {
    /// The name in a grant's `route`, such as `qiniu.uptoken`.
    package let name: String
    /// The path on the public listener.
    package let path: [UInt8]
    /// One sentence for the documentation.
    package let summary: String
    package let request: RouteRequest
    package let grant: RouteGrant
    package let answer: RouteAnswer

    init(
        _ name: String, path: String, _ summary: String, request: RouteRequest, grant: RouteGrant, answer: RouteAnswer
    ) {
        self.name = name
        self.path = Array(path.utf8)
        self.summary = summary
        self.request = request
        self.grant = grant
        self.answer = answer
    }

    /// How it is asked at its own path, if that is not by GET, HEAD and POST.
    package var mainPath: RoutePath? { request.paths.first { $0.template.utf8.elementsEqual(path) } }

    /// Whether it is asked at a path.
    package func isAsked(at path: Span<UInt8>) -> Bool {
        path.equals(self.path) || request.paths.contains { $0.matches(path) }
    }
}

/// What callers ask a route with.
package struct RouteRequest: Sendable {
    package let parameters: ParameterList
    /// What happens when a grant names a prefix and no key is asked for.
    package let withoutKey: Grant.WithoutKey
    /// The parameter that a `text/plain` body stands for, if the route takes one; such a caller may also ask for a plain answer.
    package let textParameter: String?
    /// Reads what the parameters alone do not tell, such as the object that a string to sign is about.
    package let read: @Sendable (inout Ask, Instant) throws(AskError) -> Void
    /// Where and how clients ask by a protocol of their own; the first that a path is like counts.
    package let paths: [RoutePath]
    /// By what a request has the vendor change something; nil where no request has.
    package let changes: ChangingOperations?
    /// The fewest seconds that the vendor lets a credential of the route hold, at least one.
    package let shortestLifetime: Int64
    /// The longest key that the route takes, in bytes.
    package let maximumKeyLength: Int

    init(
        _ parameters: [ParameterDescription], withoutKey: Grant.WithoutKey, text: Parameter<Span<UInt8>>? = nil,
        paths: [RoutePath] = [], changes: ChangingOperations? = nil,
        read: @escaping @Sendable (inout Ask, Instant) throws(AskError) -> Void = { _, _ throws(AskError) in }
    ) {
        self.parameters = ParameterList(parameters)
        self.withoutKey = withoutKey
        textParameter = text?.name
        self.paths = paths
        self.changes = changes
        self.read = read
        let kinds = parameters.map(\.kind)
        shortestLifetime = kinds.lazy.compactMap { if case .lifetime(let least) = $0 { least } else { nil } }.first ?? 1
        maximumKeyLength =
            kinds.lazy.compactMap { if case .key(let length) = $0 { length } else { nil } }.first
            ?? ObjectKeyRule.maximumLength
    }
}

/// The operations of a route that change something at the vendor. GET and HEAD cannot ask for them.
package struct ChangingOperations: Sendable {
    /// The parameter that names the operation.
    let parameter: Parameter<Span<UInt8>>
    let names: [String]

    package func contain(_ ask: borrowing Ask) -> Bool {
        ask.reading(parameter) { text in names.contains { text.equals($0.utf8.span) } }
    }
}

extension RouteRequest {
    /// With these parameters alone.
    package func limited(to names: [String]) -> RouteRequest {
        RouteRequest(parameters.filter { names.contains($0.name) }, withoutKey: withoutKey)
    }
}

/// What a grant of a route says, and what it compiles to.
package struct RouteGrant: Sendable {
    /// What a grant may hold beside the fields that every grant has.
    package let fields: [FieldDescription]
    /// Whether a grant says who may use it. Without callers nothing is given to anybody: a request proves by itself whom it is
    /// from, and so a grant of such a route has no scope either.
    package let hasCallers: Bool
    /// By which fields a grant says what it gives (R13).
    package let scope: GrantScope
    /// Nil where the ask itself says when what is signed ends, so that a grant has no lifetime.
    package let lifetime: RouteLifetime?
    package let credential: CredentialRule
    /// Who enforces the grant's limits when the token is used (R18).
    package let enforcement: [Enforcement]
    /// Compiles a grant's fields.
    package let makeIssuer: @Sendable (FieldValues, GrantContext) throws(FieldProblem) -> IssuerKind

    /// - Parameter makeIssuer: is given what a grant says for `fields`.
    init<Fields: FieldGroup>(
        _ fields: Fields, scope: GrantScope, lifetime: RouteLifetime? = nil, credential: CredentialRule = .own,
        enforcement: [Enforcement],
        makeIssuer: @escaping @Sendable (Settings<Fields>, GrantContext) throws(FieldProblem) -> IssuerKind
    ) {
        self.fields = fields.descriptions
        hasCallers = true
        self.scope = scope
        self.lifetime = lifetime
        self.credential = credential
        self.enforcement = enforcement
        let shared = Shared(fields)
        self.makeIssuer = { values, context throws(FieldProblem) in
            try makeIssuer(Settings(values, of: shared), context)
        }
    }

    /// A grant of a vendor's callbacks, which has no callers.
    init<Fields: FieldGroup>(
        callbacks fields: Fields,
        makeVerifier: @escaping @Sendable (Settings<Fields>) throws(FieldProblem) -> any CallbackVerifier
    ) {
        self.fields = fields.descriptions
        hasCallers = false
        scope = []
        lifetime = nil
        credential = .own
        enforcement = .callback
        makeIssuer = { values, _ throws(FieldProblem) in .verifying(try makeVerifier(Settings(values, of: fields))) }
    }
}

/// How long what a route issues may hold.
package struct RouteLifetime: Sendable {
    /// The most seconds that the vendor, or good sense, lets it hold.
    package let longest: Int64
    /// The last moment that the vendor's format can name, in seconds since 1970; nil for none.
    package let lastMoment: Int64?

    static func upTo(_ longest: Int64, lastMoment: Int64? = nil) -> RouteLifetime {
        RouteLifetime(longest: longest, lastMoment: lastMoment)
    }
}

/// Which credentials a grant of a route may name.
package struct CredentialRule: Sendable {
    /// The names of providers beside the route's own.
    package var otherProviders: [String] = []
    /// Keys of a credential that only some routes need, of which this is one.
    package var needs: [FieldDescription] = []

    /// Any of the route's own provider.
    static let own = CredentialRule()

    /// One that has this key.
    static func with(_ need: AnyField, orOf others: String...) -> CredentialRule {
        CredentialRule(otherProviders: others, needs: [need.description])
    }
}

/// What a route gives.
package struct RouteAnswer: Sendable {
    /// The members of a successful answer that are the vendor's, in order.
    package let members: [AnswerField]
    /// Which members are what is given, the first that is there: by its digest the audit knows it again. None where the
    /// answer is the vendor's own.
    package let token: [String]
    package let reader: Reader
    /// Whether an answer has only `members`.
    package let isWhole: Bool

    /// What it is read by.
    package enum Reader: Sendable {
        /// Whatever knows the API.
        case anything
        /// Alibaba's SDKs, which take every member for one of their options: an answer has only `members`, and an error has
        /// `StatusCode`, `ErrorCode` and `ErrorMessage`, too.
        case alibabaSDK
        /// Clients of Iceberg's REST catalog: an error has `error`, too, with `message`, `type` and `code`.
        case iceberg
    }

    init(_ members: [AnswerField], token: [String] = [], for reader: Reader = .anything, isWhole: Bool = false) {
        self.members = members
        self.token = token
        self.reader = reader
        self.isWhole = isWhole || reader != .anything
    }
}

/// A member of an answer.
package struct AnswerField: Sendable {
    package let name: String
    package enum Kind: String, Sendable { case string, integer, boolean, object, list }
    package let type: Kind
    package let summary: String
    /// The members of a list's objects, where they are always called the same.
    package let items: [AnswerField]

    package init(_ name: String, type: Kind = .string, _ summary: String, items: [AnswerField] = []) {
        self.name = name
        self.type = type
        self.summary = summary
        self.items = items
    }

    /// A request that the client sends as it is told.
    static let signedRequest = [
        AnswerField("method", "The method."), AnswerField("url", "The URL."),
        AnswerField("headers", type: .object, "All headers that the client must send."),
    ]

    static let urlEnd = AnswerField("deadline", type: .integer, "When the URL ends, in seconds since 1970.")
}

/// What an issuer is compiled from beside the fields of its route: what every grant says, and the credential that it names.
package struct GrantContext: Sendable {
    package let target: Grant.Target
    /// The grant's bucket, nil when the caller chooses.
    package let bucket: [UInt8]?
    /// The public half of the grant's credential.
    package let accessKey: [UInt8]
    /// Its secret half; nil where the service does not have it before it asks a vendor.
    package var secret: Secret?
    /// What belongs to that key where it is temporary.
    package let securityToken: [UInt8]?
    /// The credential's fields.
    package let credential: FieldValues
    /// Whether the credential is for sessions, one of which signs what is issued (`IssuerKind.signingBySession`).
    package let hasSessions: Bool

    package init(
        target: Grant.Target, bucket: [UInt8]? = nil, accessKey: [UInt8],
        securityToken: [UInt8]? = nil, credential: FieldValues = FieldValues(), hasSessions: Bool = false
    ) {
        self.target = target
        self.bucket = bucket
        self.accessKey = accessKey
        self.securityToken = securityToken
        self.credential = credential
        self.hasSessions = hasSessions
    }
}
