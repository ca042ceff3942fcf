import Access
import Bytes
import Foundation
import Machine
import Net
import Testing

@testable import Configuration

/// `defaults`: what grants have that do not say it themselves.
@Suite(.timeLimit(.minutes(20)))
struct DefaultsTests {
    private static func text(_ defaults: String, _ grants: String) -> String {
        """
        { version: 1,
          credentials: {
            kodo: { provider: "qiniu", accessKey: "a", secretKey: "s", cdnKey: "c" },
            nos: { provider: "nos", accessKey: "b", secretKey: "s" },
          },
          authentication: { apiKeys: [{ id: "app", sha256: "\(Sample.digest)" }, { id: "web", sha256: "\(Sample.otherDigest)" }] },
          defaults: { \(defaults) },
          grants: { \(grants) } }
        """
    }

    private static let usual =
        "grants: { callers: \"apiKey:app\", lifetime: \"10m\" },"
        + " routes: { \"qiniu.uptoken\": { credential: \"kodo\", bucket: \"media\", policy: { fsizeLimit: \"5MiB\" } } }"

    private static func grant(_ name: String, in configuration: Configuration) throws -> Grant {
        try #require(configuration.grants.first { $0.name.text == name })
    }

    private static func problems(_ defaults: String, _ grants: String) -> [String] {
        Sample.problems(in: text(defaults, grants)).map(\.description)
    }

    @Test func `a grant says what differs; its route's default goes before that of all grants`() throws {
        let configuration = try Sample.load(
            Self.text(
                Self.usual.replacing("policy:", with: "maxLifetime: \"1h\", policy:"),
                """
                a: { route: "qiniu.uptoken", keyPrefix: "a/" },
                b: { route: "qiniu.uptoken", keyPrefix: "b/", callers: "apiKey:web", lifetime: "20m" },
                c: { route: "nos.token", credential: "nos", bucket: "files", keyPrefix: "c/" },
                """))
        let (a, b, c) = (
            try Self.grant("a", in: configuration), try Self.grant("b", in: configuration),
            try Self.grant("c", in: configuration)
        )
        #expect(a.lifetimes.usual == 600 && a.lifetimes.longest == 3600 && c.lifetimes.longest == 600)
        #expect(a.callers == [.identity(.apiKey, id: Array("app".utf8))])
        #expect(b.lifetimes.usual == 1200 && b.callers == [.identity(.apiKey, id: Array("web".utf8))])
        guard case .named(let bucket) = a.resources.bucket, case .named(let files) = c.resources.bucket else {
            return #expect(Bool(false))
        }
        #expect(bucket.text == "media" && files.text == "files")
    }

    @Test func `defaults make the same grants as if each said all of it`() throws {
        func content(_ text: String) throws -> String {
            var content = ""
            dump(try Sample.load(text).grants, to: &content)
            return content
        }
        let short = Self.text(Self.usual, "a: { route: \"qiniu.uptoken\", keyPrefix: \"a/\" }")
        let long = Self.text(
            "",
            "a: { route: \"qiniu.uptoken\", keyPrefix: \"a/\", credential: \"kodo\", bucket: \"media\","
                + " policy: { fsizeLimit: \"5MiB\" }, callers: \"apiKey:app\", lifetime: \"10m\" }")
        #expect(try content(short) == content(long))
    }

    @Test func `a key stands whole: an object is not merged, and null takes a default away`() throws {
        let grants = """
            own: { route: "qiniu.uptoken", keyPrefix: "a/", policy: { fsizeMin: 1 } },
            none: { route: "qiniu.uptoken", keyPrefix: "b/", policy: null, lifetime: null },
            """
        let listing = try Self.listing(Self.text(Self.usual, grants))
        #expect(listing.contains("\"policy\": {\"fsizeMin\": \"1B\"}"))
        #expect(!listing.contains("fsizeLimit"))
        let configuration = try Sample.load(Self.text(Self.usual, grants))
        #expect(try Self.grant("own", in: configuration).lifetimes.usual == 600)
        #expect(try Self.grant("none", in: configuration).lifetimes.usual == 3600)
        // Only a default can be taken away.
        let problems = Self.problems(Self.usual, "a: { route: \"qiniu.uptoken\", keyPrefix: \"a/\", domain: null }")
        #expect(
            problems.count == 1 && problems.first?.contains("grants.a.domain: must be a string") == true, "\(problems)")
    }

    @Test func `a route may be without a default that all grants have`() throws {
        let defaults =
            "grants: { callers: \"apiKey:app\", lifetime: \"10m\" }, routes: { \"nos.token\": { lifetime: null } }"
        let grants = "c: { route: \"nos.token\", credential: \"nos\", bucket: \"files\", keyPrefix: \"c/\" }"
        #expect(try Self.grant("c", in: try Sample.load(Self.text(defaults, grants))).lifetimes.usual == 3600)
    }

    @Test(arguments: [
        ("grants: { ‸lifetme: \"1m\" }", "defaults.grants.lifetme", "did you mean lifetime?"),
        ("grants: { ‸lifetime: 7 }", "defaults.grants.lifetime", "must be a duration"),
        ("grants: { ‸route: \"nos.token\" }", "defaults.grants.route", "is not known"),
        ("grants: { ‸policy: {} }", "defaults.grants.policy", "say it in defaults.routes[\"qiniu.uptoken\"]"),
        ("routes: { ‸\"qiniu-uptoken\": {} }", "defaults.routes.qiniu-uptoken", "did you mean qiniu.uptoken?"),
        ("routes: { ‸\"qiniu.uptoken\": 7 }", "defaults.routes[\"qiniu.uptoken\"]", "must be an object"),
        (
            "routes: { \"qiniu.uptoken\": { ‸route: \"nos.token\" } }", "defaults.routes[\"qiniu.uptoken\"].route",
            "is not known"
        ),
        (
            "routes: { \"qiniu.uptoken\": { policy: { ‸fsizeLimt: 1 } } }",
            "defaults.routes[\"qiniu.uptoken\"].policy.fsizeLimt", "did you mean fsizeLimit?"
        ),
        ("‸grant: {}", "defaults.grant", "did you mean grants?"),
        ("‸grants: []", "defaults.grants", "must be an object"),
    ])
    func `what is wrong with a default is told once, where it stands`(defaults: String, path: String, word: String)
        throws
    {
        let grants = (0..<3).map { index in
            "g\(index): { route: \"qiniu.uptoken\", credential: \"kodo\", callers: \"apiKey:app\", bucket: \"b\","
                + " keyPrefix: \"\(index)/\" },"
        }
        try Mistake.check(Self.text(defaults, grants.joined()), path, word)
    }

    @Test func `a default that does not fit a grant is told at the grant, with the default's position`() throws {
        try Mistake.check(
            Self.text(
                "grants: { callers: \"apiKey:app\", ‸keyPrefix: \"a/\" }",
                "g: { route: \"qiniu.uptoken\", credential: \"kodo\", bucket: \"b\", key: \"k\" }"),
            "grants.g.keyPrefix", "cannot stand beside key (this is a default)")
        try Mistake.check(
            Self.text(
                "grants: { callers: \"apiKey:app\", ‸credential: \"kodo\", bucket: \"b\" }",
                "g: { route: \"nos.token\", keyPrefix: \"k/\" }"),
            "grants.g.credential", "this route needs one of nos (this is a default)")
        try Mistake.check(
            Self.text(
                "grants: { callers: [\"anonymous\"], public: true, ‸keyPrefix: \"${caller.id}/\" }",
                "g: { route: \"nos.token\", credential: \"nos\", bucket: \"b\" }"),
            "grants.g.keyPrefix", "(R9) (this is a default)")
    }

    @Test(arguments: [
        ("‸callers: \"apikey:app\"", "grants.g0.callers", "did you mean apiKey:app? (this is a default)"),
        ("‸credential: \"kodoo\", callers: \"apiKey:app\"", "grants.g0.credential", "is not known"),
    ])
    func `a default that no grant can use is told at the first alone`(default: String, path: String, word: String)
        throws
    {
        let own = `default`.contains("credential") ? "" : "credential: \"kodo\", "
        let grants = (0..<3).map {
            "g\($0): { route: \"qiniu.uptoken\", \(own)bucket: \"b\", keyPrefix: \"\($0)/\" },"
        }
        try Mistake.check(Self.text("grants: { \(`default`) }", grants.joined()), path, word)
    }

    @Test func `a grant whose route is misspelt has the defaults of the one that is meant`() throws {
        try Mistake.check(
            Self.text(
                "grants: { callers: \"apiKey:app\" }, routes: { \"qiniu.uptoken\": { credential: \"kodo\", bucket: \"b\" } }",
                "g: { ‸route: \"qiniu.uptokn\", keyPrefix: \"a/\" }"),
            "grants.g.route", "did you mean qiniu.uptoken?")
    }

    @Test func `check tells of a route's defaults that no grant has`() throws {
        let configuration = try Sample.load(
            Self.text(
                "grants: { callers: \"apiKey:app\" }, routes: { \"nos.token\": {}, \"qiniu.uptoken\": {} }",
                "c: { route: \"nos.token\", credential: \"nos\", bucket: \"files\", keyPrefix: \"c/\" }"))
        #expect(
            configuration.warnings.filter { $0.hasPrefix("defaults") }
                == ["defaults.routes[\"qiniu.uptoken\"]: no grant is of this route"])
    }

    @Test func `another default is another grant, for what was asked before a reload`() throws {
        func print(_ defaults: String) throws -> Grant.Fingerprint {
            let grants = "c: { route: \"nos.token\", credential: \"nos\", bucket: \"files\", keyPrefix: \"c/\" }"
            return try Self.grant("c", in: try Sample.load(Self.text(defaults, grants))).entry.fingerprint
        }
        let first = try print("grants: { callers: \"apiKey:app\" }")
        #expect(try print("grants: { callers: \"apiKey:app\" }") == first)
        #expect(try print("grants: { callers: \"apiKey:web\" }") != first)
    }

    // MARK: Listing

    private static func listing(_ text: String, variables: [String: String] = [:]) throws -> String {
        let file = Sample.file(text)
        let environment = Environment(variable: { variables[$0] }, file: { $0 == "c.json5" ? file : nil })
        return try listing("c.json5", in: environment)
    }

    private static func listing(_ path: String, in environment: Environment) throws -> String {
        let listing = GrantListing()
        _ = try Configuration.load(path, in: environment, listing: listing)
        return listing.text
    }

    @Test func `a listing is of the configuration that was loaded: its file is read once`() throws {
        let file = Sample.file(Self.text(Self.usual, "a: { route: \"qiniu.uptoken\", keyPrefix: \"a/\" },"))
        let reads = Guarded(0)
        let environment = Environment(
            variable: { _ in nil },
            file: { _ in
                reads.withLock { $0 += 1 }
                return file
            })
        #expect(try Self.listing(ReadFile.standardInput, in: environment).contains("\"keyPrefix\": \"a/\""))
        #expect(reads.withLock { $0 } == 1)
    }

    @Test func `a listing shows each grant whole, as it holds`() throws {
        let text = Self.text(
            Self.usual,
            """
            a: { route: "qiniu.uptoken", keyPrefix: { env: "PREFIX" }, rate: { perGrant: "90/h" }, description: "X\\u202Ey",
              notAfter: "2099-01-01T00:00:00Z" },
            """)
        #expect(
            try Self.listing(text, variables: ["PREFIX": "staging/"]) == """
                {
                  "grants": {
                    "a": {
                      "route": "qiniu.uptoken",
                      "credential": "kodo",
                      "description": "X\\u202ey",
                      "enabled": true,
                      "notAfter": "2099-01-01T00:00:00Z",
                      "callers": ["apiKey:app"],
                      "public": false,
                      "unscoped": false,
                      "rate": {"perGrant": "90/h"},
                      "bucket": "media",
                      "keyPrefix": "staging/",
                      "lifetime": "10m",
                      "policy": {"fsizeLimit": "5MiB"},
                      "overwrite": false
                    }
                  }
                }
                """)
    }

    @Test func `a listing has the values of variables in conditions, too`() throws {
        let issuer =
            "id: 'login', issuer: 'i', audience: 'a', algorithms: 'HS256', "
            + "secret: 'a-secret-of-32-bytes-and-no-more'"
        let text = Self.text(
            "",
            """
            a: { route: "nos.token", credential: "nos", callers: "jwt:login", bucket: "media", keyPrefix: "p/",
              where: { "claims.plan": [{ env: "PLAN" }, 3, true], "claims.team": { env: "PLAN" } } },
            """
        ).replacing("authentication: {", with: "authentication: { jwt: [{ \(issuer) }],")
        #expect(
            try Self.listing(text, variables: ["PLAN": "gold"])
                .contains("\"where\": {\"claims.plan\": [\"gold\", 3, true], \"claims.team\": [\"gold\"]}"))
    }

    @Test func `what is listed is a configuration's grants again`() throws {
        let file = Sample.file(Sample.text)
        let environment = Environment(
            variable: { Sample.variables[$0] }, file: { $0 == "conf/c.json5" ? file : Sample.files[$0] })
        let listed = try Self.listing("conf/c.json5", in: environment)
        let start = try #require(Sample.text.range(of: "grants: {")?.lowerBound)
        let end = try #require(Sample.text.range(of: "log: {")?.lowerBound)
        let again = String(Sample.text[..<start]) + listed.dropFirst().dropLast() + "," + Sample.text[end...]
        let second = Sample.file(again)
        let other = Environment(
            variable: { Sample.variables[$0] }, file: { $0 == "conf/c.json5" ? second : Sample.files[$0] })
        #expect(try Self.listing("conf/c.json5", in: other) == listed)
        for secret in Sample.secrets { #expect(!listed.contains(secret)) }
    }
}
