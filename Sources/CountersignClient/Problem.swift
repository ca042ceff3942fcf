import Foundation

/// What the service says of a refusal (RFC 9457; docs/api.md, "Errors").
public struct Problem: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The refusal's name for programs, such as `not_in_grant`; it never changes its meaning.
    public let code: String
    /// The reason, for people; it is not for parsing.
    public let detail: String
    /// The part of the grant that refuses, such as `keyPrefix`.
    public let clause: String?
    /// The parameter that is wrong or missing.
    public let parameter: String?
    /// The request's name in the service's log.
    public let requestId: String?
    /// After how long to ask again, if the service said so (`Retry-After`).
    public let retryAfter: Duration?
}

extension Problem: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        let parts = [
            "\(status) \(code): \(detail)", clause.map { "clause \($0)" }, parameter.map { "parameter \($0)" },
            requestId.map { "request \($0)" },
        ]
        return parts.compactMap { $0 }.joined(separator: "; ")
    }
}

extension Problem {
    private struct Document: Decodable {
        let code: String
        let status: Int?
        let detail: String?
        let title: String?
        let clause: String?
        let parameter: String?
        let requestId: String?
    }

    /// The problem that an answer holds; nil when the answer is no problem document.
    init?(_ answer: HTTPAnswer) {
        guard let document = try? JSON.decoder.decode(Document.self, from: answer.body) else { return nil }
        status = answer.status
        code = document.code
        detail = document.detail ?? document.title ?? ""
        clause = document.clause
        parameter = document.parameter
        requestId = document.requestId ?? answer.field("X-Request-Id")
        retryAfter = answer.retryAfter
    }
}
