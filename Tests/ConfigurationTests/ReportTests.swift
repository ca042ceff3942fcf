import Bytes
import Machine
import TestTraits
import Testing

@testable import Configuration

@Suite(.timeLimit(.minutes(20)))
struct ReportTests {
    @Test
    func `all that is wrong is said at once, in the order of the file`() throws {
        let edits = [
            ("workers: 2", "worker: 2"), ("\"[::1]:8080\"]", "\"0.0.0.0:8080\"]"),
            ("headerCount: 50", "headerCount: 0"),
            ("\"/sign\": \"oss.sign\"", "\"sign\": \"oss.sign\""), ("\"AK-qiniu\"", "\"a b\""),
            ("{ file: \"nos-key\" }", "{ file: \"open-key\" }"), ("\"\(Sample.otherDigest)\"", "\"\(Sample.digest)\""),
            ("\"apiKey:backend\"],\n  },", "\"apiKey:nobody\"],\n  },"), ("fsizeMin: 1", "fsizeMin: 6000000"),
            ("callers: \"anonymous\", public: true", "callers: \"anonymous\""),
            ("credential: \"nos\"", "credential: \"oss\""), ("format: \"text\"", "format: \"xml\""),
        ]
        var text = Sample.text
        for (old, new) in edits { text = try #require(text.replacingOnce(old, with: new), "\(old)") }
        let problems = Sample.problems(in: text)
        #expect(
            problems.map(\.path) == [
                "server.listen[1]", "server.worker", "server.limits.headerCount", "server.aliases.sign",
                "credentials.kodo.accessKey", "credentials.nos.secretKey.file", "authentication.apiKeys[1].sha256",
                "authentication.deny[0]", "grants.photos.policy.fsizeMin", "grants.shared.callers",
                "grants.files.credential", "log.format",
            ])
        let positions = problems.compactMap(\.position)
        #expect(positions.count == problems.count)
        #expect(zip(positions, positions.dropFirst()).allSatisfy { ($0.line, $0.column) < ($1.line, $1.column) })
    }

    @Test
    func `a grant of many mistakes names them all`() {
        let text = """
            { version: 1, credentials: { nos: { provider: "nos", accessKey: "a" } }, grants: { g: {
              route: "nos.token", credential: "nosy", callers: ["apiKey:x", "me"], bucket: "a/b", keyPrefix: "/x",
              extensions: ["JPG"], lifetime: "1h", maxLifetime: "1m", policy: { Size: 1 }, overwrite: 1,
            } } }
            """
        #expect(
            Sample.problems(in: text).map(\.path) == [
                "credentials.nos", "grants.g.credential", "grants.g.callers[0]", "grants.g.callers[1]",
                "grants.g.bucket", "grants.g.keyPrefix", "grants.g.extensions[0]", "grants.g.maxLifetime",
                "grants.g.policy.Size", "grants.g.overwrite",
            ])
    }

    @Test(
        "all that is wrong with one grant is said at once",
        arguments: [
            // A route that is not known, with or without one that seems to be meant.
            (
                [("route: \"nos.token\"", "route: \"nos.tokn\""), ("lifetime: \"1d\"", "lifetme: \"1d\"")],
                ["route", "lifetme"]
            ),
            ([("route: \"nos.token\", ", ""), ("lifetime: \"1d\"", "lifetme: \"1d\"")], ["", "lifetme"]),
            (
                [
                    ("route: \"nos.token\"", "route: \"upload\""), ("overwrite: false", "overwrite: 0"),
                    ("credential: \"nos\"", "credential: \"noss\""),
                ], ["route", "credential", "overwrite"]
            ),
            (
                [
                    ("route: \"nos.token\", ", "rote: \"nos.token\", "),
                    ("lifetime: \"1d\"", "keyPrefix: \"files\", key: \"/a\""),
                ], ["", "rote", "keyPrefix", "key"]
            ),
            // A mistake of the file's, and several of what fields say together.
            (
                [("ObjectSizeMin: 1", "ObjectSizeMin: 2000"), ("Region: \"HZ\"", "Regin: \"HZ\"")],
                ["policy.ObjectSizeMin", "policy.Regin"]
            ),
            (
                [
                    ("ObjectSizeMin: 1", "ObjectSizeMin: 2000"),
                    ("CallbackUrl: \"https://app.example.com/nos\", ", ""),
                ], ["policy.ObjectSizeMin", "policy.CallbackBody"]
            ),
        ])
    func everything(edits: [(String, String)], paths: [String]) throws {
        var text = Sample.text
        for (old, new) in edits { text = try #require(text.replacingOnce(old, with: new), "\(old)") }
        let problems = Sample.problems(in: text)
        #expect(
            problems.map(\.path) == paths.map { $0.isEmpty ? "grants.files" : "grants.files.\($0)" },
            "\(problems.map(\.description).joined(separator: "\n"))")
    }

    @Test
    func `a credential whose provider is not known is judged all the same`() throws {
        let text = try #require(
            Sample.text.replacingOnce(
                "provider: \"nos\", accessKey: \"AK-nos\"", with: "provider: \"noss\", acessKey: \"AK-nos\""))
        #expect(Sample.problems(in: text).map(\.path) == ["credentials.nos.provider", "credentials.nos.acessKey"])
    }

    @Test(
        "what depends on something wrong is not complained of too",
        arguments: [
            ("credentials: {", "credential: {", "credential"),
            ("\"kodo\": { provider: \"qiniu\"", "\"kodo\": { provider: \"kodo\"", "credentials.kodo.provider"),
            ("env: \"QINIU_SECRET_KEY\"", "env: \"NOT_SET\"", "credentials.kodo.secretKey.env"),
            ("authentication: {", "authentification: {", "authentification"),
            ("apiKeys: [", "apiKey: [", "authentication.apiKey"),
            ("sha256: \"\(Sample.otherDigest)\"", "sha256: \"00\"", "authentication.apiKeys[1].sha256"),
            ("id: \"backend\"", "id: null", "authentication.apiKeys[1].id"),
            ("grants: {", "grant: {", "grant"),
            ("plaintext: false", "plaintext: 1", "server.plaintext"),
            ("bucket: \"app-objects\"", "bukcet: \"app-objects\"", "grants.sign.bukcet"),
            ("keyPrefix: \"users/${caller.source}/\"", "keyPrefix: \"users/${x}/\"", "grants.sign.keyPrefix"),
            ("methods: [", "method: [", "grants.sign.method"),
            ("callbackUrl: \"", "callbackURL: \"", "grants.photos.policy.callbackURL"),
            ("callers: \"anonymous\", ", "callers: 1, ", "grants.shared.callers"),
            ("callers: \"anonymous\", ", "callers: \"anyone\", ", "grants.shared.callers"),
            ("lifetime: \"1d\"", "lifetime: \"1w\"", "grants.files.lifetime"),
            ("key: \"avatars/${caller.source}/", "key: \"avatars/${name}/", "grants.avatars.key"),
        ])
    func noise(old: String, new: String, path: String) throws {
        let problems = Sample.problems(in: try #require(Sample.text.replacingOnce(old, with: new)))
        #expect(problems.map(\.path) == [path], "\(problems.map(\.description).joined(separator: "\n"))")
    }

    @Test
    func `names that are alike as text are different as bytes (R9)`() {
        let text = """
            { version: 1, credentials: { "\u{E9}": { provider: "nos", accessKey: "a", secretKey: "s" } }, grants: { g: {
              route: "nos.token", credential: "e\u{301}", callers: "authenticated", bucket: "b", keyPrefix: "p/" } } }
            """
        #expect(Sample.problems(in: text).map(\.path) == ["grants.g.credential"])
    }

    @Test
    func `a message says file, line, column, path and reason`() {
        let text = "{\n  version: 1,\n  credentials: {}, grants: {},\n  /* 日志 */ log: { level: 1 } }"
        do throws(ConfigurationError) {
            _ = try Sample.load(text, as: "c.json5")
            Issue.record("it loads")
        } catch {
            #expect(
                error.description
                    == "c.json5: line 4, column 19: log.level: "
                    + "must be \"debug\" or \"info\" or \"warning\" or \"error\"")
        }
    }

    @Test
    func `a text that is wrong all over takes no more than a moment, and its messages a page`() throws {
        let count = 9_000
        let keys = (0..<count).map { "k\($0): 0" }.joined(separator: ",")
        let problems = Sample.problems(in: "{\(keys)}")
        #expect(problems.count == ProblemList.most + 1)
        #expect(problems.last?.reason.contains("\(count + 3 - ProblemList.most) more") == true)
        #expect(problems.last?.position == nil)
        let grants = (0..<count / 10).map { "g\($0): { route: 'nos.token', credential: 'c\($0)' }" }
        let dotted = String(repeating: "a.", count: 100_000)
        let ids = (0..<count / 3).map { "{ id: 'k', sha256: '\(String(repeating: "0", count: 59))\($0 + 10000)' }" }
        for text in [
            "{ grants: { \(grants.joined(separator: ",")) } }", "{ '\(dotted)': 0, grants: { '\(dotted)': {} } }",
            "{ authentication: { apiKeys: [\(ids.joined(separator: ","))] } }",
            "{ server: { listen: [\(String(repeating: "0,", count: count))] } }",
            String(repeating: "[", count: count), String(repeating: "{a:", count: count),
        ] {
            let problems = Sample.problems(in: text)
            #expect((1...ProblemList.most + 1).contains(problems.count))
            #expect(problems.allSatisfy { $0.description.utf8.count < 1000 })
        }
    }

    @Test
    func `no damage to a file stops the reader, and every problem has a position in it`() {
        var random = SplitMix64(seed: 7)
        let good = Array(Sample.text.utf8)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "null", "0", "-1", "${", "\\u0000", "//", "\u{E9}", "\u{0}", "'",
        ]
        for _ in 0..<Rounds.share(of: 1500) {
            var text = good
            for _ in 0...Int.random(in: 0...2, using: &random) {
                let start = Int.random(in: 0..<text.count, using: &random)
                let end = min(text.count, start + Int.random(in: 0...12, using: &random))
                let piece = Array((pieces.randomElement(using: &random) ?? "").utf8)
                text.replaceSubrange(start..<end, with: Bool.random(using: &random) ? piece : [])
            }
            let file = ReadFile(bytes: text, isWorldReadable: false)
            let environment = Environment(
                variable: { Sample.variables[$0] }, file: { $0 == "conf/c.json5" ? file : Sample.files[$0] })
            do throws(ConfigurationError) {
                _ = try Configuration.load("conf/c.json5", in: environment)
            } catch {
                #expect(!error.problems.isEmpty)
                #expect(error.problems.allSatisfy { $0.position != nil })
            }
        }
    }
}
