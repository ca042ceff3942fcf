import Access
import Bytes
import Crypto
import Testing

@testable import Configuration

/// What every grant may say: when it holds, from where, for which claims; and texts that environment variables hold.
@Suite(.timeLimit(.minutes(20)))
struct GrantLanguageTests {
    private static let own = "overwrite: false,"
    private static let sub = "variable-token-secret-of-32-bytes"

    private static func mistake(_ text: String, _ path: String, _ word: String) -> Mistake {
        Mistake(own, "\(own) \(text),", "grants.files.\(path)", word)
    }

    @Test(
        "refuses times and addresses that are none, or that leave nothing",
        arguments: [
            mistake("‸addresses: 7", "addresses", "list of strings"),
            mistake("addresses: [\"::1\", ‸\"10.0.0.1/8\"]", "addresses[1]", "no bits set beyond its prefix"),
            mistake("‸addresses: \"example.com\"", "addresses", "a block such as \"10.0.0.0/8\" or \"2001:db8::/32\""),
            mistake("‸addresses: \"10.0.0.0/33\"", "addresses", "must be an address"),
            mistake("‸notBefore: \"tomorrow\"", "notBefore", "a time in UTC such as"),
            mistake("‸notAfter: 1900000000", "notAfter", "a time in UTC such as"),
            mistake("‸notAfter: \"2027-01-01\"", "notAfter", "a time in UTC such as"),
            mistake(
                "notBefore: \"2027-01-01T00:00:00Z\", ‸notAfter: \"2027-01-01T00:00:00Z\"", "notAfter",
                "later than notBefore"),
            mistake("‸enabled: \"no\"", "enabled", "true or false"),
            mistake("‸description: \"\"", "description", "empty"),
            mistake("‸descripton: \"x\"", "descripton", "did you mean description?"),
            mistake("‸notafter: \"x\"", "notafter", "did you mean notAfter?"),
        ])
    func availability(mistake: Mistake) throws { try mistake.check() }

    @Test func `what never ends cannot stand beside an end`() throws {
        let text = Sample.text.replacing(
            "\"files\": {",
            with:
                "\"old\": { route: \"qiniu.authorization\", credential: \"kodo\", callers: \"apiKey:app\", bucket: \"b\","
                + " keyPrefix: \"p/\", neverExpires: true, ‸notAfter: \"2099-01-01T00:00:00Z\" }, \"files\": {")
        try Mistake.check(text, "grants.old.notAfter", "cannot stand beside neverExpires")
    }

    @Test func `what every grant may say is compiled, and check tells of those that give nothing`() throws {
        let text = Sample.text.replacing(
            Self.own,
            with: "\(Self.own) description: \"Reports\", enabled: false, notBefore: \"2026-01-01T00:00:00Z\","
                + " notAfter: \"2099-01-01T00:00:00Z\", addresses: [\"10.0.0.0/8\", \"2001:db8::/32\"],")
        let configuration = try Sample.load(text)
        let grant = try #require(configuration.grants.first { $0.name.text == "files" })
        #expect(grant.description?.text == "Reports")
        #expect(!grant.availability.isEnabled && grant.availability.addresses.map(\.description).count == 2)
        #expect(grant.availability.notAfter == ISO8601.parse(Array("2099-01-01T00:00:00Z".utf8).span))
        #expect(configuration.warnings.contains("grants.files: gives nothing, since enabled is false"))
        let past = try Sample.load(
            Sample.text.replacing(Self.own, with: "\(Self.own) notAfter: \"2020-01-01T00:00:00Z\","))
        #expect(past.warnings.contains("grants.files: gives nothing any more, since notAfter is in the past"))
    }

    // MARK: where

    private static func problems(_ conditions: String) -> [String] {
        Sample.problems(in: text(where: conditions)).map { "\($0.path): \($0.reason)" }
    }

    private static func text(where conditions: String) -> String {
        """
        { version: 1, credentials: { q: { provider: "qiniu", accessKey: "a", secretKey: "s" } },
          authentication: { jwt: [{ id: "j", issuer: "i", audience: "a", algorithms: "HS256", secret: "\(sub)" }] },
          grants: { g: { route: "qiniu.uptoken", credential: "q", callers: "jwt:j", bucket: "bbb", keyPrefix: "p/",
            where: { \(conditions) } } } }
        """
    }

    @Test func `conditions are about texts, whole numbers and booleans, one or a list of any`() throws {
        let configuration = try Sample.load(
            Self.text(
                where: "\"claims.role\": [\"editor\", \"admin\"], \"claims.level\": 3, \"claims.staff\": true,"
                    + " \"claims.mixed\": [\"3\", 3, false], \"claims.stage\": { env: \"QINIU_SECRET_KEY\" }"))
        #expect(configuration.grants.first?.principals.conditions.count == 5)
    }

    @Test(arguments: [
        ("\"claims.a\": 3.5", "grants.g.where[\"claims.a\"]: must be a whole number of at most 64 bits"),
        ("\"claims.a\": 1e3", "must be a whole number"),
        ("\"claims.a\": 9223372036854775808", "must be a whole number"),
        ("\"claims.a\": Infinity", "must be a whole number"),
        ("\"claims.a\": null", "must be a string, a whole number, true or false, or a list of these"),
        ("\"claims.a\": {}", "must be a string, a whole number"),
        ("\"claims.a\": [1, [2]]", "grants.g.where[\"claims.a\"][1]: must be a string, a whole number"),
        ("\"claims.a\": [1, true, 1]", "[2]: is in the list already"),
        ("\"claims.a\": []", "must name at least one value"), ("\"claims.a\": \"\"", "must not be empty"),
    ])
    func `a condition that cannot be compared exactly is refused`(conditions: String, message: String) {
        let problems = Self.problems(conditions)
        #expect(problems.count == 1 && problems.first?.contains(message) == true, "\(problems)")
    }

    // MARK: Environment

    private static let variables = [
        "DOMAIN": "cdn.example.com", "BUCKET": "media-staging", "ACCESS": "staging-key", "LIFE": "5m", "SIZE": "2MiB",
        "PREFIX": "staging/", "KODO": "q", "ROUTE": "qiniu.uptoken", "CALLER": "anonymous", "EMPTY": "",
        "TEMPLATE": "u/${caller.id}/", "DOLLAR": "a$b/", "LINES": "a\nb", "RATE": "7/min",
        "END": "2099-01-01T00:00:00Z",
    ]

    private static func environmentText(_ grant: String) -> String {
        """
        { version: 1, credentials: { q: { provider: "qiniu", accessKey: { env: "ACCESS" }, secretKey: "s" } },
          grants: { g: { route: { env: "ROUTE" }, credential: { env: "KODO" }, callers: [{ env: "CALLER" }], public: true,
            bucket: { env: "BUCKET" }, \(grant) } } }
        """
    }

    private static let rest =
        "keyPrefix: { env: \"PREFIX\" }, lifetime: { env: \"LIFE\" }, domain: { env: \"DOMAIN\" },"
        + " policy: { fsizeLimit: { env: \"SIZE\" } }, rate: { perGrant: { env: \"RATE\" } }, notAfter: { env: \"END\" }"

    @Test func `any text may be that of an environment variable`() throws {
        let configuration = try Sample.load(Self.environmentText(Self.rest), variables: Self.variables)
        let grant = try #require(configuration.grants.first)
        #expect(configuration.credentials.first?.key?.accessKey.text == "staging-key")
        #expect(grant.lifetimes.usual == 300 && grant.callers == [.anonymous] && grant.rates.perGrant?.count == 7)
        guard case .named(let bucket) = grant.resources.bucket, case .prefix(let prefix) = grant.resources.target else {
            return #expect(Bool(false))
        }
        #expect(bucket.text == "media-staging" && prefix.literalStart.text == "staging/" && prefix.isConstant)
    }

    @Test(arguments: [
        ("NONE", "the environment variable NONE is not set, or empty"), ("EMPTY", "is not set, or empty"),
        ("TEMPLATE", "has ${ in it, and placeholders are filled in only where the file has them"),
        ("not a name", "must be the name of an environment variable: letters, digits and _"), ("", "must not be empty"),
    ])
    func `a variable that is missing or has a placeholder is refused where it is named`(name: String, reason: String) {
        let text = Self.environmentText("keyPrefix: { env: \"\(name)\" }")
        let problems = Sample.problems(in: text, variables: Self.variables)
        #expect(problems.map(\.path) == ["grants.g.keyPrefix.env"])
        #expect(problems.first?.reason.contains(reason) == true, "\(problems)")
        #expect(problems.first?.position != nil)
    }

    @Test func `of a variable that is missing nothing follows`() {
        let text = Self.environmentText(
            "keyPrefix: \"p/\", policy: { callbackUrl: { env: \"NONE\" }, callbackBody: \"key=$(key)\" }")
        let problems = Sample.problems(in: text, variables: Self.variables)
        #expect(problems.map(\.path) == ["grants.g.policy.callbackUrl.env"], "\(problems)")
    }

    @Test func `a variable is held to the key's own rules, and its text is in no message`() {
        for (field, name, path, word) in [
            ("keyPrefix", "BUCKET", "keyPrefix", "must end in /"),
            ("keyPrefix", "DOLLAR", "keyPrefix", "a $ must begin"),
            ("keyPrefix", "LINES", "keyPrefix", "control characters"),
            ("keyPrefix: \"p/\", lifetime", "SIZE", "lifetime", "must be a duration"),
        ] {
            let problems = Sample.problems(
                in: Self.environmentText("\(field): { env: \"\(name)\" }"), variables: Self.variables)
            #expect(problems.map(\.path) == ["grants.g.\(path)"], "\(problems)")
            #expect(problems.first?.reason.contains(word) == true, "\(problems)")
            #expect(problems.first?.reason.contains(Self.variables[name] ?? "-") == false)
        }
    }

    @Test func `true and false can come from a variable, which must say one of these words`() throws {
        for (word, flag) in [("true", true), ("false", false)] {
            let text = Self.environmentText("enabled: { env: \"ENABLED\" }, keyPrefix: \"p/\"")
            let configuration = try Sample.load(text, variables: Self.variables.merging(["ENABLED": word]) { $1 })
            #expect(configuration.grants.first?.availability.isEnabled == flag)
        }
        for word in ["yes", "1", "True", "null"] {
            let problems = Sample.problems(
                in: Self.environmentText("enabled: { env: \"ENABLED\" }, keyPrefix: \"p/\""),
                variables: Self.variables.merging(["ENABLED": word]) { $1 })
            #expect(problems.map(\.path) == ["grants.g.enabled"] && problems.first?.reason == "must be true or false")
        }
        let literal = Sample.problems(
            in: Self.environmentText("enabled: \"true\", keyPrefix: \"p/\""), variables: Self.variables)
        #expect(literal.map(\.path) == ["grants.g.enabled"])
    }

    @Test func `what is no text cannot be a variable, nor can two sources stand beside each other`() {
        for (field, word) in [
            ("public: { env: \"BUCKET\" }", "true or false"),
            ("keyPrefix: { env: \"PREFIX\", file: \"a\" }", "must be a string"),
            ("keyPrefix: { file: \"a\" }", "must be a string"),
            ("keyPrefix: { env: { env: \"PREFIX\" } }", "must be a string"),
        ] {
            let text = Self.environmentText(field).replacing(
                "public: true,", with: field.hasPrefix("public") ? "keyPrefix: \"p/\"," : "public: true,")
            let problems = Sample.problems(in: text, variables: Self.variables)
            #expect(problems.first?.reason.contains(word) == true, "\(problems)")
        }
    }

    // MARK: Sizes

    @Test(arguments: [("5242880", "\"5MiB\""), ("1024", "\"1KiB\""), ("7", "\"7B\""), ("5368709120", "\"5GiB\"")])
    func `a size in a put policy is the same as its bytes`(bytes: String, size: String) throws {
        func content(_ value: String) throws -> String {
            var content = ""
            let text = Sample.text.replacing("fsizeLimit: 5242880", with: "fsizeLimit: \(value)")
                .replacing("ObjectSizeMax: 1000", with: "ObjectSizeMax: \(value)")
            let configuration = try Sample.load(text)
            for grant in configuration.grants where ["photos", "files"].contains(grant.name.text) {
                dump(configuration.issuers[grant.index], to: &content)
            }
            return content
        }
        #expect(try content(bytes) == content(size))
    }

    @Test func `days in a put policy may be a duration, and only a whole number of days`() throws {
        func content(_ value: String) throws -> String {
            var content = ""
            let text = Sample.text.replacing("deleteAfterDays: 7", with: "deleteAfterDays: \(value)")
            let configuration = try Sample.load(text)
            for grant in configuration.grants where grant.name.text == "photos" {
                dump(configuration.issuers[grant.index], to: &content)
            }
            return content
        }
        #expect(try content("30") == content("\"30d\""))
        #expect(try content("30") != content("31"))
        for value in ["\"24h\"", "\"30\"", "\"0d\"", "0", "1.5", "\"36501d\"", "true"] {
            let problems = Sample.problems(
                in: Sample.text.replacing("deleteAfterDays: 7", with: "deleteAfterDays: \(value)"))
            #expect(
                problems.map(\.reason) == [
                    "must be whole days such as \"30d\" or a number of days, from 1 to 36500"
                ], "\(value)")
        }
    }

    @Test func `a size that is none is refused, and the message shows one`() {
        for value in ["\"5MB\"", "\"5 MiB\"", "\"\"", "1.5", "-1", "\"0B\"", "true"] {
            let problems = Sample.problems(
                in: Sample.text.replacing("ObjectSizeMax: 1000", with: "ObjectSizeMax: \(value)"))
            #expect(problems.map(\.path) == ["grants.files.policy.ObjectSizeMax"], "\(value)")
            #expect(
                problems.first?.reason.hasPrefix("must be a size such as \"8KiB\" or a number of bytes, at least 1B")
                    == true)
        }
    }
}
