/// What the caller shows the service with every request. No description of it tells the secret.
public struct CallerCredential: Sendable {
    enum Kind: Sendable {
        case anonymous
        case bearer(@Sendable (_ wasRefused: Bool) async throws -> String)
        case apiKey(String)
    }

    let kind: Kind

    /// Nothing is shown: only grants for `anonymous` answer.
    public static let anonymous = CallerCredential(kind: .anonymous)

    /// `Authorization: Bearer TOKEN`, with an API key, or with a token (JWT) that stays the same.
    public static func bearer(_ token: String) -> CallerCredential { CallerCredential(kind: .bearer { _ in token }) }

    /// `Authorization: Bearer TOKEN`, with a token (JWT) that your app renews.
    /// - Parameter token: gives the token to send; it is asked before every request to the service, so it should remember one.
    ///   When the service has refused the last one (401), it is asked once more with `wasRefused: true`, and should give a new one.
    public static func bearer(
        renewedBy token: @escaping @Sendable (_ wasRefused: Bool) async throws -> String
    ) -> CallerCredential {
        CallerCredential(kind: .bearer(token))
    }

    /// `X-API-Key: KEY`, for where a proxy takes the field `Authorization` for itself.
    public static func apiKey(_ key: String) -> CallerCredential { CallerCredential(kind: .apiKey(key)) }

    /// The header field to send; nil for anonymous callers.
    func field(wasRefused: Bool) async throws -> (name: String, value: String)? {
        let field: (name: String, value: String)
        switch kind {
        case .anonymous: return nil
        case .apiKey(let key): field = ("X-API-Key", key)
        case .bearer(let token): field = ("Authorization", "Bearer " + (try await token(wasRefused)))
        }
        // A line break would begin another header field.
        guard field.value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw CountersignError.unusableCredential
        }
        return field
    }

    /// Whether it is worth asking for another one after a refusal.
    var canBeRenewed: Bool { if case .bearer = kind { true } else { false } }
}

extension CallerCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Which kind it is, and nothing of the secret.
    public var description: String {
        switch kind {
        case .anonymous: "anonymous"
        case .bearer: "bearer token"
        case .apiKey: "API key"
        }
    }

    /// The same.
    public var debugDescription: String { description }

    /// The same: `dump` shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
