import Bytes
import Crypto
import Testing
import Upstream

@testable import Access
@testable import Configuration
@testable import Providers
@testable import Gateway
@testable import TestSamples

/// What a loop remembers of sessions: whose is whose, and for how long what was served is served again.
@Suite struct SessionMemoTests {
    /// What `memo` says for one permitted request.
    private struct Fixture: ~Copyable {
        let configuration: Configuration
        var memo = SessionMemo()
        var workspace = PolicyWorkspace()
        var made = 0

        /// - Parameter grants: more of them, as the configuration has them.
        init(callers: [String] = ["alice", "bob"], grants: String = "") throws {
            let digests = try callers.map {
                "{ id: '\($0)', sha256: '\(Hex.encode(try Digest(.sha256, of: Array("key-\($0)".utf8).span).bytes.array).text)' }"
            }
            configuration = try SampleConfiguration.load(
                """
                { version: 1,
                  credentials: { s: { provider: "sts", roleArn: "acs:ram::1234567890123456:role/app", \(SampleConfiguration.stsKey) } },
                  authentication: { apiKeys: [\(digests.joined(separator: ", "))] },
                  grants: {
                    g: { route: "distribute-token", credential: "s", bucket: "media", keyPrefix: "up/",
                      actions: ["oss:PutObject"], callers: ["authenticated"], maxLifetime: "12h" },
                    h: { route: "distribute-token", credential: "s", bucket: "media", keyPrefix: "up/",
                      actions: ["oss:PutObject"], callers: ["authenticated"] },
                    narrow: { route: "distribute-token", credential: "s", bucket: "media", keyPrefix: "up/",
                      actions: ["oss:PutObject"], callers: ["authenticated"], narrow: true },
                    day: { route: "distribute-token", credential: "s", bucket: "media",
                      keyPrefix: "up/${date.yyyy}/${date.mm}/${date.dd}/", actions: ["oss:PutObject"],
                      callers: ["authenticated"] },
                    \(grants)
                  } }
                """)
        }

        mutating func session(
            _ grant: String, for name: String, expires: Int64 = 3600, _ more: String = "",
            at seconds: Int64 = 1_800_000_000
        ) throws -> RememberedSession {
            let route = try #require(Registry.route(named: "distribute-token"))
            var ask = Ask(Nonce(InlineArray(repeating: 7)))
            try ask.parameters.read(form: Array("grant=\(grant)&expires=\(expires)\(more)".utf8).span)
            try ask.read(by: Registry.routes[route].description.request.parameters)
            guard
                case .caller(let caller) = configuration.authenticator.identify(
                    apiKey: Array("key-\(name)".utf8).span, at: seconds)
            else { throw SessionFixture.Fault("nobody is called \(name)") }
            let instant = Instant(unixSeconds: seconds, nanoseconds: 0)
            switch configuration.policy.decide(ask, on: route, by: caller, at: instant, in: &workspace) {
            case .denied(let denial): throw SessionFixture.Fault("\(denial)")
            case .permitted(let permit):
                let account = try #require(configuration.credentials[0].sessions?.source)
                guard case .session(let issuer) = configuration.issuers[permit.grant.index] else {
                    throw SessionFixture.Fault("the grant is none of sessions")
                }
                var scratch = ByteWriter()
                var made = made
                let session = try memo.session(under: permit, for: caller) { permit throws(SessionRequestFault) in
                    made += 1
                    return try issuer.session(under: permit, for: caller.principal, of: account, using: &scratch)
                }
                self.made = made
                permit.end(in: &workspace)
                return session
            }
        }
    }

    @Test func `each caller, grant, lifetime and day has a session of its own, made once`() throws {
        var fixture = try Fixture()
        let first = try fixture.session("g", for: "alice")
        let again = try fixture.session("g", for: "alice")
        #expect(first === again)
        #expect(fixture.made == 1)
        // The two grants give the same session, which is remembered for each.
        let twin = try fixture.session("h", for: "alice")
        #expect(twin !== first && twin.session.key == first.session.key)
        var keys = [first.session.key]
        keys.append(try fixture.session("g", for: "bob").session.key)
        keys.append(try fixture.session("g", for: "alice", expires: 3601).session.key)
        keys.append(try fixture.session("day", for: "alice").session.key)
        keys.append(try fixture.session("day", for: "alice", at: 1_800_000_000 + 86_400).session.key)
        #expect(Set(keys).count == keys.count)
        #expect(fixture.made == 6)
    }

    @Test func `R17: a key and a prefix of the same bytes have sessions of their own`() throws {
        var fixture = try Fixture()
        let prefix = try fixture.session("narrow", for: "alice", "&keyPrefix=up/a/").session
        let key = try fixture.session("narrow", for: "alice", "&key=up/a/").session
        #expect(prefix.key != key.key)
        #expect(prefix.request.policy?.text.contains("media/up/a/*\"") == true)
        #expect(key.request.policy?.text.contains("media/up/a/\"") == true)
        #expect(try fixture.session("narrow", for: "alice", "&keyPrefix=up/a/").session.key == prefix.key)
    }

    @Test func `thousands of lifetimes share a bounded memory, and none gets another's session`() throws {
        var fixture = try Fixture()
        var keys: [Int64: CredentialKey] = [:]
        for expires in Int64(900)...2_900 {
            keys[expires] = try fixture.session("g", for: "alice", expires: expires).session.key
        }
        for expires in Int64(900)...2_900 {
            let session = try fixture.session("g", for: "alice", expires: expires).session
            #expect(session.key == keys[expires])
            #expect(session.request.lifetime == expires)
        }
        #expect(Set(keys.values).count == 2_001)
    }

    @Test func `no caller gets another's session, be there more of them than slots`() throws {
        let names = (0..<600).map { "caller\($0)" }
        var fixture = try Fixture(callers: names)
        let keys = try names.map { try fixture.session("g", for: $0).session.key }
        #expect(Set(keys).count == names.count)
        // One after the other, and each of them twice: what is remembered is his own.
        for (name, key) in zip(names, keys) {
            let (once, again) = (try fixture.session("g", for: name), try fixture.session("g", for: name))
            #expect(once === again && once.session.key == key)
        }
    }

    @Test func `no grant gives another's session, be there more of them than slots`() throws {
        // As many lists of actions, each of which makes another policy for the same keys.
        let lists = SessionPolicy.oss.objectActions.flatMap { first in
            SessionPolicy.oss.objectActions.flatMap { second in
                SessionPolicy.oss.objectActions.map { [first, second, $0] }
            }
        }
        .filter { Set($0).count == 3 }
        let names = lists.indices.map { "more\($0)" }
        let grants = zip(names, lists).map { name, list in
            """
            \(name): { route: "distribute-token", credential: "s", bucket: "media", keyPrefix: "up/",
              actions: ["\(list.joined(separator: "\", \""))"], callers: ["authenticated"] },
            """
        }
        var fixture = try Fixture(grants: grants.joined(separator: "\n"))
        #expect(names.count == 336)
        let keys = try names.map { try fixture.session($0, for: "alice").session.key }
        #expect(Set(keys).count == names.count)
        for (name, key) in zip(names, keys) { #expect(try fixture.session(name, for: "alice").session.key == key) }
    }

    @Test func `no day has another's session`() throws {
        var fixture = try Fixture()
        for _ in 0..<2 {
            let keys = try (0..<400).map {
                try fixture.session("day", for: "alice", at: 1_800_000_000 + $0 * 86_400).session.key
            }
            #expect(Set(keys).count == 400)
        }
        #expect(fixture.made == 800)
    }

    @Test func `what was served is served again for a moment only, by both clocks`() throws {
        var fixture = try Fixture()
        let session = try fixture.session("g", for: "alice")
        let credential = try #require(
            SessionCredential(
                accessKeyID: Array("STS.1".utf8), secret: [65], securityToken: [66], expiresAt: 1_800_003_600))
        let start = Instant(unixSeconds: 1_800_000_000, monotonic: 5_000)
        #expect(session.credential(at: start) == nil)
        session.remember(credential, at: start)
        for (seconds, milliseconds) in [(0, 0), (0, 249), (1, 249)] as [(Int64, Int64)] {
            let now = Instant(unixSeconds: start.unixSeconds + seconds, monotonic: start.monotonic + milliseconds)
            #expect(session.credential(at: now) === credential)
        }
        for (seconds, milliseconds) in [(0, 250), (2, 1), (-1, 1), (1_200, 1)] as [(Int64, Int64)] {
            let now = Instant(unixSeconds: start.unixSeconds + seconds, monotonic: start.monotonic + milliseconds)
            #expect(session.credential(at: now) == nil)
        }
    }
}
