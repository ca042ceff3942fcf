/// A request that cannot be understood or is too large. The connection is closed after the answer, since where the next
/// request would begin is not certain.
package struct RequestError: Error, Equatable {
    package enum Kind: Sendable {
        case malformed
        case uriTooLong
        case headersTooLarge
        case bodyTooLarge
        case timeout
        case overloaded
    }
    package let kind: Kind
    /// What is wrong and what would be right; never anything that the client sent.
    package let reason: StaticString

    package init(_ kind: Kind, _ reason: StaticString) {
        self.kind = kind
        self.reason = reason
    }

    static func malformed(_ reason: StaticString) -> RequestError { RequestError(.malformed, reason) }

    package static func == (a: RequestError, b: RequestError) -> Bool {
        a.kind == b.kind && a.reason.description == b.reason.description
    }
}
