import Testing

@testable import Configuration

@Suite("Grants that admit the same ask: R4")
struct OverlapTests {
    private static func text(_ grants: String, _ more: String = "") -> String {
        """
        { version: 1, \(more)
          credentials: { kodo: { provider: "qiniu", accessKey: "AK", secretKey: { env: "QINIU_SECRET_KEY" } } },
          authentication: {
            apiKeys: [
              { id: "app", sha256: "\(Sample.digest)" }, { id: "backend", sha256: "\(Sample.otherDigest)" },
            ],
            jwt: [{ id: "login", issuer: "i", audience: "a", algorithms: "HS256", secret: { env: "TOKEN_SECRET" } }],
          },
          grants: { \(grants) } }
        """
    }

    private static func grant(_ name: String, _ fields: String, callers: String = "apiKey:app") -> String {
        "\(name): { route: 'qiniu.uptoken', credential: 'kodo', callers: '\(callers)', bucket: 'media', \(fields) },"
    }

    private static func warnings(_ grants: String...) throws -> [String] {
        try Sample.load(text(grants.joined())).warnings.filter { $0.contains("ambiguous_grant") }
    }

    @Test func `two that give a key to whoever names none are warned of`() throws {
        let warnings = try Self.warnings(
            Self.grant("photos", "keyPrefix: 'photos/'"), Self.grant("videos", "keyPrefix: 'videos/'"))
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("grants.videos: ") == true && warnings.first?.contains("photos") == true)
        #expect(warnings.first?.contains("parameter grant") == true)
    }

    @Test(arguments: [
        ("key: 'a/me.${ext}'", "keyPrefix: 'a/'", true), ("key: 'a/me.${ext}'", "keyPrefix: 'b/'", false),
        ("key: 'a/${uuid}.${ext}'", "keyPrefix: 'a/'", false), ("key: 'a/b'", "key: 'a/c'", true),
        ("key: 'a/b'", "keyPrefix: 'c/'", true), ("keyPrefix: 'c/'", "key: 'a/${caller.id}.jpg'", true),
        ("key: 'a/${caller.id}/m.${ext}'", "key: 'b/${caller.id}/m.${ext}'", false),
        ("key: 'a/${caller.id}/x.${ext}'", "keyPrefix: 'a/app/'", true),
        ("key: 'a/${caller.id}/x.${ext}'", "keyPrefix: 'a/other/'", false),
    ])
    func `keys that both give are found`(one: String, two: String, meet: Bool) throws {
        #expect(try Self.warnings(Self.grant("one", one), Self.grant("two", two)).isEmpty != meet)
    }

    @Test func `callers that differ are told apart, and so are claims that no token has both of`() throws {
        let prefix = "keyPrefix: 'p/'"
        #expect(try Self.warnings(Self.grant("a", prefix), Self.grant("b", prefix, callers: "apiKey:backend")).isEmpty)
        #expect(
            try Self.warnings(Self.grant("a", prefix), Self.grant("b", prefix, callers: "authenticated")).count == 1)
        func role(_ name: String, _ claim: String, _ value: String) -> String {
            Self.grant(name, "\(prefix), where: { 'claims.\(claim)': ['\(value)'] }", callers: "jwt:login")
        }
        #expect(try Self.warnings(role("a", "role", "admin"), role("b", "role", "user")).isEmpty)
        #expect(try Self.warnings(role("a", "scope", "admin"), role("b", "scope", "user")).count == 1)
    }

    @Test func `one and the same under two names is an error`() {
        let problems = Sample.problems(
            in: Self.text(Self.grant("a", "keyPrefix: 'p/'") + Self.grant("b", "keyPrefix: 'p/'")))
        #expect(
            problems.map(\.path) == ["grants.b"] && problems.first?.reason.contains("the same as grants.a,") == true)
    }

    @Test func `R9: grants that name callers of two identities alike are warned of`() throws {
        func warnings(_ one: String, _ two: String, callers: String = "jwt:login") throws -> [String] {
            let grants =
                Self.grant("a", "keyPrefix: '\(one)'") + Self.grant("b", "keyPrefix: '\(two)'", callers: callers)
            return try Sample.load(Self.text(grants)).warnings.filter { $0.contains("(R9)") }
        }
        let found = try warnings("u/${caller.id}/", "u/${caller.id}/")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("grants.b: names the caller as grants.a does") == true)
        #expect(try warnings("u/${caller.id}/", "v/${caller.id}/").isEmpty)
        #expect(try warnings("u/${caller.source}/${caller.id}/", "u/${caller.source}/${caller.id}/").isEmpty)
        #expect(try warnings("u/", "u/").isEmpty)
        #expect(
            try warnings("u/${caller.id}/", "u/${caller.id}/", callers: "apiKey:app', addresses: '10.0.0.0/8").isEmpty)
    }

    @Test func `a key whose extension was taken from any key is told of`() throws {
        let grants = Self.grant("avatars", "key: 'a/me.${ext}'")
        let warnings = try Sample.load(Self.text(grants)).warnings
        #expect(
            warnings.contains {
                $0.hasPrefix("grants.avatars.key: callers send the value of ${ext} in the parameter ext")
            })
    }
}
