import Access
import Bytes
import Providers
import Testing

@testable import Configuration

/// Issuers of tokens, and grants that look at claims.
@Suite(.timeLimit(.minutes(20)))
struct TokenMistakeTests {
    static let text = #"""
        {
          version: 1,
          credentials: { "kodo": { provider: "qiniu", accessKey: "AK", secretKey: { env: "QINIU_SECRET_KEY" } } },
          authentication: {
            apiKeys: [{ id: "app", sha256: "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b" }],
            jwt: [
              { id: "login", issuer: "https://id.example.com", audience: "uploads", algorithms: ["RS256", "ES256"],
                jwksFile: "jwks.json" },
              { id: "partner", issuer: "partner", audience: "uploads", algorithms: "PS256",
                publicKeyFile: "issuer.pem", leeway: "0s" },
              { id: "intern", issuer: "intern", audience: "uploads", algorithms: ["HS256"],
                secret: { env: "TOKEN_SECRET" } },
            ],
            rememberedTokens: 500,
            deny: ["jwt:login/42", "jwt:partner/a/b", "apiKey:app"],
          },
          grants: {
            "own": {
              route: "qiniu.uptoken", credential: "kodo", callers: ["jwt:login"], bucket: "media",
              keyPrefix: "users/${claims.sub}/", where: { "claims.scope": ["upload", "all"], "claims.role": "editor" },
            },
            "all": {
              route: "qiniu.uptoken", credential: "kodo", callers: ["jwt:login", "jwt:intern"], bucket: "media",
              keyPrefix: "all/${caller.source}/${sha256:claims.sub}/", policy: { endUser: "${caller.source}/${claims.email}" },
            },
            "mixed": {
              route: "qiniu.uptoken", credential: "kodo", callers: ["jwt:partner", "apiKey:app"], bucket: "media",
              keyPrefix: "mixed/${caller.source}/${caller.id}/",
            },
          },
        }
        """#

    private static func mistake(_ old: String, _ new: String, _ path: String, _ word: String) -> Mistake {
        Mistake(old, new, path, word, in: text)
    }

    private static func issuer(_ old: String, _ new: String, _ key: String, _ word: String, at index: Int = 0)
        -> Mistake
    {
        mistake(old, new, "authentication.jwt[\(index)]\(key)", word)
    }

    @Test func `what the mistakes are made in is right`() throws {
        let configuration = try Sample.load(Self.text)
        #expect(configuration.grants.count == 3)
        #expect(configuration.warnings.allSatisfy { $0.contains("ambiguous_grant") })
        #expect(
            configuration.grants.map { $0.claimNames.map(\.text).sorted() } == [
                ["role", "scope", "sub"], ["email", "sub"], [],
            ])
    }

    @Test(
        "refuses issuers whose tokens nobody could judge (R10)",
        arguments: [
            issuer("id: \"login\", ", "", "", "needs id").at("{ issuer: \"https://id.example.com\""),
            issuer("id: \"partner\"", "‸id: \"a/b\"", ".id", "1 to 128 of", at: 1)
                .without("\"jwt:partner/a/b\", ").without("\"jwt:partner\", "),
            issuer("id: \"partner\"", "‸id: \"login\"", ".id", "another entry's id", at: 1)
                .without("\"jwt:partner/a/b\", ").without("\"jwt:partner\", "),
            issuer(
                "issuer: \"partner\"", "‸issuer: \"https://id.example.com\"", ".issuer", "another entry's issuer", at: 1
            ),
            issuer("issuer: \"partner\"", "‸issuer: \"\"", ".issuer", "empty", at: 1),
            issuer("issuer: \"partner\"", "‸issuer: [\"partner\"]", ".issuer", "string", at: 1),
            issuer(
                "audience: \"uploads\", algorithms: \"PS256\",", "algorithms: \"PS256\",", "", "needs audience", at: 1
            )
            .at("{ id: \"partner\""),
            issuer("algorithms: \"PS256\",", "", "", "needs algorithms", at: 1).at("{ id: \"partner\""),
            issuer("algorithms: \"PS256\"", "‸algorithms: []", ".algorithms", "at least one", at: 1),
            issuer(
                "algorithms: \"PS256\"", "‸algorithms: \"none\"", ".algorithms", "is not known; there are ES256, EdDSA",
                at: 1),
            issuer("algorithms: \"PS256\"", "‸algorithms: \"PS512\"", ".algorithms", "is not known", at: 1),
            issuer("algorithms: \"PS256\"", "‸algorithms: \"ps256\"", ".algorithms", "is not known", at: 1),
            issuer("\"ES256\"]", "‸\"RS256\"]", ".algorithms[1]", "in the list already"),
            issuer("algorithms: [\"HS256\"]", "‸algorithms: [\"HS256\", \"RS256\"]", ".algorithms", "(R10)", at: 2),
            issuer("leeway: \"0s\"", "‸leeway: \"11m\"", ".leeway", "from 0ms to 10m", at: 1),
            issuer("leeway: \"0s\"", "‸leeway: \"1500ms\"", ".leeway", "whole seconds", at: 1),
            issuer("leeway: \"0s\"", "‸leeway: 30", ".leeway", "duration", at: 1),
            issuer("leeway: \"0s\"", "‸clockSkew: \"0s\"", ".clockSkew", "is not known", at: 1),
            mistake(
                "rememberedTokens: 500", "‸rememberedTokens: -1", "authentication.rememberedTokens", "from 0 to 1000000"
            ),
        ])
    func issuers(mistake: Mistake) throws { try mistake.check() }

    @Test(
        "refuses keys that are none, of other algorithms, too short, or not public",
        arguments: [
            issuer("jwksFile: \"jwks.json\"", "‸jwksFile: \"no.json\"", ".jwksFile", "conf/no.json cannot be read"),
            issuer("jwksFile: \"jwks.json\"", "‸jwksFile: \"nothing\"", ".jwksFile", "conf/nothing is empty"),
            issuer("jwksFile: \"jwks.json\"", "‸jwksFile: \"writable\"", ".jwksFile", "chmod o-w"),
            issuer(
                "jwksFile: \"jwks.json\"", "‸jwksFile: \"issuer.pem\"", ".jwksFile",
                "is a PEM, which belongs in publicKeyFile"),
            issuer("jwksFile: \"jwks.json\"", "‸jwksFile: \"short.json\"", ".jwksFile", "keys[0] has not the size"),
            issuer("jwksFile: \"jwks.json\"", "‸jwksFile: \"private.json\"", ".jwksFile", "private half"),
            issuer("jwksFile: \"jwks.json\"", "‸jwksFile: \"twice.json\"", ".jwksFile", "the kid of another key"),
            issuer("jwksFile: \"jwks.json\"", "‸jwksFile: \"encrypting.json\"", ".jwksFile", "has no key for RS256"),
            issuer(
                "jwksFile: \"jwks.json\"", "‸publicKeyFile: \"issuer.pem\"", ".publicKeyFile", "has no key for ES256"),
            issuer("jwksFile: \"jwks.json\"", "‸publicKeyFile: \"two.pem\"", ".publicKeyFile", "one public key"),
            issuer("jwksFile: \"jwks.json\"", "‸publicKeyFile: \"jwks.json\"", ".publicKeyFile", "in PEM"),
            issuer("jwksFile: \"jwks.json\"", "‸publicKeyFile: \"private.pem\"", ".publicKeyFile", "private half"),
            issuer("jwksFile: \"jwks.json\"", "‸publicKeyFile: \"short.pem\"", ".publicKeyFile", "2048"),
            issuer(
                "jwksFile: \"jwks.json\"", "‸publicKeyFile: \"p384.pem\"", ".publicKeyFile", "RSA, P-256 or Ed25519"),
            issuer(
                "jwksFile: \"jwks.json\"", "jwksFile: \"jwks.json\", publicKeyFile: \"issuer.pem\"", "",
                "has jwksFile and publicKeyFile: keep one of them"
            )
            .at("{ id: \"login\""),
            issuer("jwksFile: \"jwks.json\"", "", "", "needs one of jwksUrl, jwksFile, publicKeyFile, secret")
                .at("{ id: \"login\""),
            issuer("jwksFile: \"jwks.json\"", "‸secret: { env: \"TOKEN_SECRET\" }", ".secret", "is for HS256 alone"),
            issuer(
                "secret: { env: \"TOKEN_SECRET\" }", "‸jwksFile: \"jwks.json\"", ".jwksFile", "HS256 needs a secret",
                at: 2),
            issuer(
                "secret: { env: \"TOKEN_SECRET\" }", "‸secret: { env: \"SHORT_TOKEN_SECRET\" }", ".secret",
                "at least 32 bytes (R10)", at: 2),
            issuer(
                "secret: { env: \"TOKEN_SECRET\" }", "secret: { ‸env: \"NO_SECRET\" }", ".secret.env", "is not set",
                at: 2),
        ])
    func keys(mistake: Mistake) throws { try mistake.check() }

    @Test(arguments: ["https://id.example.com/keys", "https://id.example.com:8443/a/b", "http://127.0.0.1:8080/keys"])
    func `takes keys from a URL`(url: String) throws {
        let text = try #require(
            Self.text.replacingOnce("jwksFile: \"jwks.json\"", with: "jwksUrl: \"\(url)\", jwksKeep: \"2d\""))
        let source = try #require(try Sample.load(text).keySources[Array("login".utf8)])
        let scheme = source.endpoint.isSecure ? "https" : "http"
        #expect("\(scheme)://\(source.endpoint.authority.text)\(source.path.text)" == url)
        #expect(source.refresh == 600_000 && source.keep == 172_800_000)
    }

    @Test(
        "refuses a URL that keys cannot come from safely",
        arguments: [
            ("http://id.example.com/keys", "https://"), ("ftp://id.example.com/keys", "https://"), ("keys", "https://"),
            ("/keys", "https://"), ("https://", "host"), ("https:///keys", "host"),
            ("https://id.example.com", "a path"),
            ("https://id.example.com/keys?a=b", "no query"), ("https://id.example.com/a b", "a path"),
            ("https://user@id.example.com/keys", "a host"), ("https://id.example.com:0/keys", "a port"),
            ("https://id.example.com/keys#a", "a path"), ("//id.example.com/keys", "https://"),
            ("https:/a/b", "https://"),
        ])
    func url(url: String, word: String) throws {
        try Mistake(
            "jwksFile: \"jwks.json\"", "‸jwksUrl: \"\(url)\"", "authentication.jwt[0].jwksUrl", word, in: Self.text
        ).check()
    }

    @Test(arguments: [
        issuer(
            "jwksFile: \"jwks.json\"", "jwksUrl: \"https://a/b\", ‸jwksRefresh: \"2d\"", ".jwksRefresh", "from 1s to 1d"
        ),
        issuer(
            "jwksFile: \"jwks.json\"", "jwksUrl: \"https://a/b\", ‸jwksRefresh: \"0s\"", ".jwksRefresh", "from 1s to 1d"
        ),
        issuer(
            "jwksFile: \"jwks.json\"", "jwksUrl: \"https://a/b\", ‸jwksKeep: \"31d\"", ".jwksKeep", "from 1s to 30d"),
        issuer(
            "jwksFile: \"jwks.json\"", "jwksUrl: \"https://a/b\", ‸jwksKeep: \"10m\"", ".jwksKeep",
            "must be longer than jwksRefresh"),
    ])
    func `refuses to fetch keys too often, too seldom, or to keep them too long`(mistake: Mistake) throws {
        try mistake.check()
    }

    @Test(
        "refuses names of nobody, and claims of callers who have none (R9, R12, R14)",
        arguments: [
            mistake("\"jwt:login/42\"", "‸\"jwt:logon/42\"", "authentication.deny[0]", "did you mean jwt:login?"),
            mistake("\"jwt:login/42\"", "‸\"jwt:login\"", "authentication.deny[0]", "jwt:ID/SUBJECT"),
            mistake("\"jwt:login/42\"", "‸\"jwt:login/\"", "authentication.deny[0]", "jwt:ID/SUBJECT"),
            mistake(
                "\"jwt:partner/a/b\", \"apiKey:app\"]", "\"jwt:partner/a/b\", ‸\"apiKey:login\"]",
                "authentication.deny[2]", "names no API key"),
            mistake("callers: [\"jwt:login\"]", "callers: [‸\"jwt:app\"]", "grants.own.callers[0]", "names no issuer"),
            mistake("callers: [\"jwt:login\"]", "callers: [‸\"jwt:\"]", "grants.own.callers[0]", "\"jwt:ID\""),
            mistake(
                "users/${claims.sub}/", "users/${claims.sub}${caller.id}/", "grants.own.keyPrefix",
                "in one path segment"
            ).at("keyPrefix: \"users/"),
            mistake("${caller.source}/${sha256:claims.sub}/", "${sha256:claims.sub}/", "grants.all.keyPrefix", "(R9)")
                .at("keyPrefix: \"all/"),
            mistake(
                "mixed/${caller.source}/${caller.id}/", "mixed/${caller.source}/${claims.sub}/",
                "grants.mixed.keyPrefix",
                "only callers jwt:ID"
            ).at("keyPrefix: \"mixed/"),
            mistake(
                "keyPrefix: \"mixed/", "‸where: { \"claims.a\": \"b\" }, keyPrefix: \"mixed/", "grants.mixed.where",
                "only callers jwt:ID"),
            mistake(
                "\"claims.role\": \"editor\"", "‸\"role\": \"editor\"", "grants.own.where.role", "must be claims.NAME"),
            mistake(
                "\"claims.role\": \"editor\"", "‸\"claims.\": \"editor\"", "grants.own.where[\"claims.\"]",
                "must be claims.NAME"),
            mistake(
                "\"claims.role\": \"editor\"", "‸\"claims.role\": []", "grants.own.where[\"claims.role\"]",
                "at least one"),
            mistake(
                "\"claims.role\": \"editor\"", "‸\"claims.role\": null", "grants.own.where[\"claims.role\"]",
                "a whole number, true or false"),
            mistake(
                "where: { \"claims.scope\": [\"upload\", \"all\"], \"claims.role\": \"editor\" }", "‸where: {}",
                "grants.own.where",
                "at least one condition"),
        ])
    func grants(mistake: Mistake) throws { try mistake.check() }
}
