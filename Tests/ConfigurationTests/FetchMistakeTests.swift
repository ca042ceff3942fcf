import Access
import Bytes
import Providers
import Testing

@testable import Configuration

/// Grants of what the service asks the vendor itself.
@Suite(.timeLimit(.minutes(20)))
struct FetchMistakeTests {
    private static func text(_ grant: String) -> String {
        """
        { version: 1,
          credentials: { "kodo": { provider: "qiniu", accessKey: "AK-qiniu", secretKey: { env: "QINIU_SECRET_KEY" } } },
          grants: { "g": { credential: "kodo", callers: "anonymous", public: true, \(grant) } } }
        """
    }

    private static let files = "route: \"qiniu.files\", bucket: \"media\", keyPrefix: \"photos/\", "
    private static let buckets = "route: \"qiniu.buckets\", "

    @Test(arguments: [
        (files, ["https rsf.qbox.me"]), (buckets + "unscoped: true,", ["https uc.qbox.me"]),
        ("route: \"qiniu.stat\", unscoped: true,", ["https rs.qbox.me"]),
        ("route: \"qiniu.stat\", bucket: \"media\", unscoped: true,", ["https rs.qbox.me"]),
        (files + "hosts: {}", ["https rsf.qbox.me"]),
        (files + "hosts: { rsf: \"rsf-z0.qbox.me:8443\" }", ["https rsf-z0.qbox.me:8443"]),
        (files + "hosts: { rsf: [\"https://a.example\", \"http://[::1]:9\"] }", ["https a.example", "http [::1]:9"]),
    ])
    func `the vendor is asked where the grant says, over TLS but for this machine`(grant: String, hosts: [String])
        throws
    {
        guard case .asking(let issuer)? = try Sample.load(FetchMistakeTests.text(grant)).issuers.first else {
            Issue.record("it asks nobody")
            return
        }
        #expect(issuer.endpoints.map { ($0.isSecure ? "https " : "http ") + $0.authority.text } == hosts)
    }

    @Test(arguments: [
        ("hosts: { ‸rs: \"a.example\" }", "hosts.rs", "did you mean rsf?"),
        ("hosts: { ‸rsf: \"http://rsf.qbox.me\" }", "hosts.rsf", "only this machine"),
        ("hosts: { ‸rsf: \"https://rsf.qbox.me/list\" }", "hosts.rsf", "must name a host"),
        ("hosts: { ‸rsf: [\"a.example\", \"https://A.example:443\"] }", "hosts.rsf", "twice"),
        ("hosts: { ‸rsf: [] }", "hosts.rsf", "at least one"), ("‸hosts: \"a.example\"", "hosts", "must be an object"),
        ("‸neverExpires: true", "neverExpires", "is not known"),
        ("‸operations: [\"list\"]", "operations", "is not known"),
        ("‸lifetime: \"1m\"", "lifetime", "is not known"), ("‸key: \"photos/a\"", "key", "is not known"),
    ])
    func `hosts are of the route's own service, and nothing else is said`(field: String, path: String, word: String)
        throws
    {
        try Mistake.check(FetchMistakeTests.text(FetchMistakeTests.files + field), "grants.g.\(path)", word)
    }

    private static func limited(_ limits: String) -> String {
        text(files).replacing("_KEY\" } }", with: "_KEY\" }, limits: { \(limits) } }")
    }

    @Test func `how often and how long the vendor is asked is said with its key`() throws {
        let usual = try #require(try Sample.load(FetchMistakeTests.limited("")).credentials.first).fetches
        #expect(usual.callsPerSecond == 1_000 && usual.callBurst == 1_000 && usual.patience == 1_500)
        #expect(usual.callsPerCaller == Rate(200, in: 1000))
        let limits = "callsPerSecond: 20, callBurst: 100000, callsPerCaller: \"9/h\", patience: \"1m\""
        let said = try #require(try Sample.load(FetchMistakeTests.limited(limits)).credentials.first).fetches
        #expect(said.callsPerSecond == 20 && said.callBurst == 100_000 && said.patience == 60_000)
        #expect(said.callsPerCaller == Rate(9, in: 3_600_000))
    }

    @Test(arguments: [
        ("‸callsPerSecond: 0", "callsPerSecond", "from 1 to 100000"),
        ("‸callBurst: 100001", "callBurst", "from 1 to 100000"),
        ("‸patience: \"99ms\"", "patience", "from 100ms to 1m"),
        ("‸patience: \"61s\"", "patience", "from 100ms to 1m"), ("‸sessions: 5", "sessions", "is not known"),
    ])
    func `limits of what is asked are held to their bounds`(field: String, path: String, word: String) throws {
        try Mistake.check(FetchMistakeTests.limited(field), "credentials.kodo.limits.\(path)", word)
    }

    @Test func `the account's buckets are unscoped, and have no bucket`() throws {
        let text = FetchMistakeTests.text(FetchMistakeTests.buckets)
        try Mistake.check(text.replacing("\"g\":", with: "‸\"g\":"), "grants.g", "needs unscoped: true")
        try Mistake.check(
            FetchMistakeTests.text(FetchMistakeTests.buckets + "unscoped: true, ‸bucket: \"media\""), "grants.g.bucket",
            "is not known")
        let files = FetchMistakeTests.text("route: \"qiniu.files\", bucket: \"media\"")
        try Mistake.check(files.replacing("\"g\":", with: "‸\"g\":"), "grants.g", "needs bucket and keyPrefix")
    }
}
