import Crypto
import TestKeys
import Testing

@testable import Access
@testable import Bytes

/// Issuers of tokens and somebody who believes them, for the tests of this room.
enum TokenFixture {
    static let issuer = "https://id.example.com"
    static let audience = "uploads"
    static let leeway: Int64 = 30

    static func key(_ algorithm: SignatureAlgorithm) throws -> TestKey { try #require(TestKey.shared[algorithm]) }

    /// What verifies the tokens of a key.
    static func verifier(_ key: TestKey) throws -> VerificationKey {
        if key.algorithm == .hs256 { return try #require(VerificationKey(Secret(key.secret))) }
        return VerificationKey(try PublicKey(pem: Array(key.pem.utf8).span))
    }

    static func entry(
        _ keys: [JWTKeySet.Key], _ algorithms: [SignatureAlgorithm], id: String = "login", issuer: String = issuer,
        leeway: Int64 = leeway
    ) throws -> JWTIssuer {
        try JWTIssuer(
            id: Array(id.utf8), issuer: Array(issuer.utf8), audience: Array(audience.utf8), algorithms: algorithms,
            keys: .known(JWTKeySet(keys)), leeway: leeway)
    }

    /// Believes the tokens of one key, which is called `k1`.
    static func authenticator(
        _ key: TestKey, leeway: Int64 = leeway, claims: [String] = [], remembered: Int = 0, denied: Set<Principal> = []
    ) throws -> Authenticator {
        Authenticator(
            .init(
                apiKeys: [try Fixture.key("android", "first-key")],
                issuers: [
                    try entry([.init(id: Array("k1".utf8), try verifier(key))], [key.algorithm], leeway: leeway)
                ],
                claimNames: Set(claims.map { Array($0.utf8) }), rememberedTokens: remembered, denied: denied))
    }

    static func header(_ algorithm: SignatureAlgorithm) -> String { "{\"alg\":\"\(algorithm.rawValue)\"}" }

    /// Claims that are believed, each of which can be said otherwise, or left out with nil.
    static func claims(_ changes: KeyValuePairs<String, String?> = [:]) -> String {
        var members: [(name: String, value: String)] = [
            ("iss", "\"\(issuer)\""), ("aud", "\"\(audience)\""), ("sub", "\"42\""), ("exp", "\(Fixture.now + 600)"),
        ]
        for (name, value) in changes {
            members.removeAll { $0.name == name }
            if let value { members.append((name, value)) }
        }
        return "{\(members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ","))}"
    }
}

extension Authenticator {
    /// What becomes of a bearer credential.
    func finding(_ credential: String, at now: Int64 = Fixture.now) -> Finding {
        var memory = makeMemory()
        return finding(credential, at: now, &memory)
    }

    func finding(_ credential: String, at now: Int64 = Fixture.now, _ memory: inout CredentialCache) -> Finding {
        let field = Array("Bearer \(credential)".utf8)
        return identify(authorization: field.span, apiKey: nil, at: now, remembering: &memory)
    }

    /// The caller of a bearer credential; nil where it is refused.
    func caller(_ credential: String, at now: Int64 = Fixture.now) -> Caller? {
        if case .caller(let caller) = finding(credential, at: now) { caller } else { nil }
    }

    /// Why a token is refused, as the log has it; nil where it is believed.
    func reason(_ credential: String, at now: Int64 = Fixture.now) -> String? {
        switch finding(credential, at: now) {
        case .caller: nil
        case .refused(let reason, let fault): fault?.token?.reason.description ?? reason.description
        }
    }
}
