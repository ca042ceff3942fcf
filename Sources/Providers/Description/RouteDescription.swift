import Access
import Bytes

/// One thing that a provider issues: where it is asked for, with what, and what a grant of it says.
///
/// It is a class so that looking one up for every request copies nothing.
package final class RouteDescription: Sendable {
    /// The name in a grant's `route`, such as `qiniu.uptoken`.
    package let name: String
    /// The path on the public listener.
    package let path: [UInt8]
    /// One sentence for the documentation.
    package let summary: String
    package let parameters: [ParameterDescription]
    /// What a grant may hold beside the fields that every grant has.
    package let grantFields: [FieldDescription]
    /// The members of a successful answer that are the vendor's, in order.
    package let answer: [AnswerField]
    /// Which members of the answer are what is given, the first that is there: by its digest the audit knows it again. None where
    /// only the vendor's own answer is handed on.
    package let token: [String]
    /// The names of providers beside its own whose credentials a grant may name.
    package let otherProviders: [String]
    /// Fields of a credential that only some routes need, of which this is one.
    package let credentialNeeds: [String]
    /// What happens when a grant names a prefix and no key is asked for.
    package let withoutKey: Grant.WithoutKey
    /// The most seconds that the vendor, or good sense, lets a credential of this route hold; nil where the ask itself says
    /// when what is signed ends, so that a grant has no lifetime.
    package let longestLifetime: Int64?
    /// The last moment that the vendor's format can name, in seconds since 1970; nil for none.
    package let lastMoment: Int64?
    /// By which fields a grant says what it gives (R13).
    package let scope: GrantScope
    /// Who sees to it that what a grant says holds when what is issued is used (R18).
    package let enforcement: [Enforcement]
    /// Whether a grant says who may use it. Without callers nothing is given to anybody: a request proves by itself whom it is
    /// from, and so a grant of such a route has no scope either.
    package let hasCallers: Bool
    /// The parameter that a `text/plain` body stands for, if the route takes one; such a caller may also ask for a plain answer.
    package let textParameter: String?
    /// Whether errors, too, have the members that Alibaba's SDKs read: `StatusCode`, `ErrorCode`, `ErrorMessage`.
    package let errorsForSDK: Bool
    /// Reads what the parameters alone do not tell, such as the object that a string to sign is about.
    package let read: @Sendable (inout Ask, borrowing Moment) throws(AskError) -> Void
    /// Compiles a grant's fields.
    package let makeIssuer: @Sendable (GrantFields) throws(FieldProblem) -> IssuerKind

    init(
        _ name: String, path: String, _ summary: String, parameters: [ParameterDescription],
        grantFields: [FieldDescription], answer: [AnswerField], token: [String] = [], scope: GrantScope,
        enforcement: [Enforcement], hasCallers: Bool = true,
        otherProviders: [String] = [],
        credentialNeeds: [String] = [], withoutKey: Grant.WithoutKey, longestLifetime: Int64?, lastMoment: Int64? = nil,
        textParameter: String? = nil,
        errorsForSDK: Bool = false,
        read: @escaping @Sendable (inout Ask, borrowing Moment) throws(AskError) -> Void = { _, _ throws(AskError) in },
        makeIssuer: @escaping @Sendable (GrantFields) throws(FieldProblem) -> IssuerKind
    ) {
        self.name = name
        self.path = Array(path.utf8)
        self.summary = summary
        self.parameters = parameters
        self.grantFields = grantFields
        self.answer = answer
        self.token = token
        self.withoutKey = withoutKey
        self.longestLifetime = longestLifetime
        self.lastMoment = lastMoment
        self.scope = scope
        self.enforcement = enforcement
        self.hasCallers = hasCallers
        self.otherProviders = otherProviders
        self.credentialNeeds = credentialNeeds
        self.textParameter = textParameter
        self.errorsForSDK = errorsForSDK
        self.read = read
        self.makeIssuer = makeIssuer
    }

    /// The fewest seconds that the vendor lets a credential of this route hold, at least one.
    package var shortestLifetime: Int64 {
        for case .lifetime(let least) in parameters.map(\.kind) { return least }
        return 1
    }

    /// The longest key that the route takes, in bytes.
    package var maximumKeyLength: Int {
        for case .key(let length) in parameters.map(\.kind) { return length }
        return ObjectKeyRule.maximumLength
    }

    /// The place of a parameter in `parameters`, by which an `Ask` is read.
    package func position(of parameter: String) -> Int? { parameters.firstIndex { $0.name == parameter } }
}

/// A member of an answer.
package struct AnswerField: Sendable {
    package let name: String
    package enum Kind: String, Sendable { case string, integer, object, list }
    package let type: Kind
    package let summary: String

    package init(_ name: String, type: Kind = .string, _ summary: String) {
        self.name = name
        self.type = type
        self.summary = summary
    }
}

/// What an issuer is compiled from: the fields of a grant that are its route's own, and its target.
package struct GrantFields: Sendable {
    package let grant: FieldValues
    package let target: Grant.Target
    /// The grant's bucket, nil when the caller chooses.
    package let bucket: [UInt8]?
    /// The public half of the grant's credential.
    package let accessKey: [UInt8]
    /// The credential's fields.
    package let credential: FieldValues
    /// Whether the credential is for sessions, one of which signs what is issued (`IssuerKind.signingBySession`).
    package let hasSessions: Bool

    package init(
        _ grant: FieldValues, target: Grant.Target, bucket: [UInt8]? = nil, accessKey: [UInt8],
        credential: FieldValues = FieldValues(), hasSessions: Bool = false
    ) {
        self.grant = grant
        self.bucket = bucket
        self.accessKey = accessKey
        self.credential = credential
        self.hasSessions = hasSessions
        self.target = target
    }
}
