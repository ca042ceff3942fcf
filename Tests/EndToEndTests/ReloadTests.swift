import Crypto
import Foundation
import TestKeys
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// Another configuration replaces the one that serves, and nobody notices who need not.
@Suite("Reload: R12, R19", .waiting, .timeLimit(.minutes(20)))
struct ReloadTests {
    static let quiet = "reload: { watch: false },"

    /// Uploads for anybody, which tell by their bucket under which configuration they were issued.
    private static func open(_ bucket: String, _ more: String = quiet) -> Setup {
        Setup(
            name: "reload",
            rest: """
                grants: { "all": { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
                    bucket: "\(bucket)", unscoped: true } },
                  \(more)
                """)
    }

    fileprivate static func bucket(_ answer: Answer) throws -> String? {
        try UploadTokenReading(nos: answer.json["token"]?.string, secret: Setup.nosSecret).policy["Bucket"]?.string
    }

    // MARK: Nobody notices

    /// Clients on threads of their own, who ask all the time until they are told to stop.
    private final class Load: @unchecked Sendable {
        private let lock = NSLock()
        private let left = DispatchGroup()
        private var isOver = false
        private var counts: [Int]
        private var faults: [any Error] = []

        init(_ clients: Int, asking service: Service) {
            counts = Array(repeating: 0, count: clients)
            for client in 0..<clients {
                left.enter()
                Thread.detachNewThread { [self] in
                    do { try ask(service, as: client) } catch { lock.withLock { faults.append(error) } }
                    left.leave()
                }
            }
        }

        /// How many answers the client has that has fewest.
        var fewest: Int { lock.withLock { faults.isEmpty ? counts.min() ?? 0 : .max } }

        private func ask(_ service: Service, as number: Int) throws {
            let request = service.text("GET", "/nos/token?object=a")
            let client = try service.connect()
            while !lock.withLock({ isOver }) {
                try client.send(request)
                let answer = try client.answer()
                guard answer.status == 200, !answer.closes, ["one", "two"].contains(try ReloadTests.bucket(answer))
                else {
                    throw Program.Failure(description: "\(answer.status) \(answer.text)")
                }
                let count = lock.withLock {
                    counts[number] += 1
                    return counts[number]
                }
                // One in so many comes on a connection of its own.
                if count % 16 == 0 { try service.get("/nos/token?object=b").expectSuccess() }
            }
        }

        /// - Returns: what went wrong.
        func end() -> [any Error] {
            lock.withLock { isOver = true }
            left.wait()
            return faults
        }
    }

    @Test(arguments: Transport.allCases)
    func `50 reloads under load: every request is answered, by one configuration or the other`(
        _ transport: Transport
    ) throws {
        let service = try Service(ReloadTests.open("one"), transport)
        defer { service.stop() }
        let load = Load(6, asking: service)
        for number in 1...50 {
            // Everybody is served by each of them.
            let before = load.fewest
            let bucket = number.isMultiple(of: 2) ? "one" : "two"
            try service.reload(ReloadTests.open(bucket), transport, generation: number + 1)
            // From then on it is the new one's.
            #expect(try ReloadTests.bucket(service.get("/nos/token?object=a")) == bucket)
            let deadline = Date.now.addingTimeInterval(60)
            while load.fewest <= before, deadline > .now { try service.get("/livez").expectSuccess() }
        }
        #expect(load.fewest >= 50)
        let faults = load.end()
        #expect(faults.isEmpty, "\(faults)")
        let outcome = service.process.stop()
        #expect(outcome.code == 0)
        #expect(!outcome.err.contains("not reloaded"))
    }

    @Test(.alone, .unwatched, arguments: Transport.allCases)
    func `what belonged to 200 configurations is let go of`(_ transport: Transport) throws {
        var setup = Setup.tokens
        setup.rest += ReloadTests.quiet
        try Service.run(setup, transport) { service in
            let token = "Authorization: Bearer \(Setup.token())"
            func reload(_ generations: ClosedRange<Int>) throws {
                for generation in generations {
                    service.process.signal(SIGHUP)
                    try service.waitFor(generation: generation)
                    try service.get("/qiniu/uptoken?grant=own", token).expectSuccess()
                }
            }
            func threads() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.process.identifier)/task").count
            }
            try reload(2...40)
            let (memory, before) = (try service.memory(), try threads())
            try reload(41...240)
            // The memory for tokens alone is more than a megabyte of each.
            #expect(try service.memory() < memory + 16_384)
            #expect(try threads() <= before + 8)
        }
    }

    // MARK: What is another

    @Test func `R12: deny takes effect on callers, on tokens that are remembered, and on tickets`() throws {
        func setup(_ deny: String) -> Setup {
            Setup(
                name: "deny",
                rest: """
                    authentication: {
                        apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)],
                        jwt: [{ id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                          secret: { file: "secrets/tokens" } }],
                        tickets: { secret: "\(Setup.ticketSecret)" }, deny: [\(deny)],
                      },
                      grants: {
                        "all": { route: "qiniu.uptoken", credential: "qiniu", callers: ["authenticated"],
                          bucket: "demo-media", keyPrefix: "all/" },
                        "hers": { route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice", "apiKey:bob"],
                          bucket: "demo-media", keyPrefix: "hers/" },
                      },
                      \(ReloadTests.quiet)
                    """,
                files: ["secrets/tokens": String(decoding: Setup.tokenSecret.secret, as: UTF8.self) + "\n"])
        }
        try Service.run(setup(""), .epoll) { service in
            let token = "Authorization: Bearer \(Setup.token(.hs256, sub: "42"))"
            let other = "Authorization: Bearer \(Setup.token(.hs256, sub: "43"))"
            func mint(_ key: APIKey) throws -> (path: String, id: String) {
                let minted = try service.post("/tickets", json: #"{"grant":"hers"}"#, key.bearer).json
                let ticket = try #require(minted["ticket"]?.string)
                return ("/qiniu/uptoken?ticket=\(ticket)", try #require(minted["id"]?.string))
            }
            let (alices, bobs, another) = (try mint(.alice), try mint(.bob), try mint(.bob))
            let paths = [alices.path, bobs.path, another.path]
            for path in paths { try service.get(path).expectSuccess() }
            for fields in [[token], [other], [APIKey.alice.bearer]] {
                try service.ask("GET", "/qiniu/uptoken?grant=all", fields).expectSuccess()
            }
            try service.reload(
                setup("\"jwt:intern/42\", \"apiKey:alice\", \"ticket:\(bobs.id)\""), .epoll, generation: 2)
            for fields in [[token], [APIKey.alice.bearer]] {
                let answer = try service.ask("GET", "/qiniu/uptoken?grant=all", fields)
                #expect([401, 403].contains(answer.status), "\(answer.text)")
            }
            for path in [alices.path, bobs.path] {
                #expect([401, 403].contains(try service.get(path).status))
            }
            try service.ask("GET", "/qiniu/uptoken?grant=all", [other]).expectSuccess()
            try service.get(another.path).expectSuccess()
            // And back.
            try service.reload(setup(""), .epoll, generation: 3)
            try service.ask("GET", "/qiniu/uptoken?grant=all", [token]).expectSuccess()
            for path in paths { try service.get(path).expectSuccess() }
        }
    }

    @Test func `names, limits and the level of the log are the new ones`() throws {
        var setup = ReloadTests.open("one")
        try Service.run(setup, .epoll) { service in
            let body = #"{"object": "a"}"#
            let early = try service.connect()
            try early.send(service.text("GET", "/livez"))
            #expect(try early.answer().status == 200)
            setup.server = #"hosts: ["t.example.com"], limits: { body: "8B" },"#
            setup.logLevel = "debug"
            #expect(try service.get("/grants", "Host: t.example.com").status == 421)
            try service.reload(setup, .epoll, generation: 2)
            #expect(try service.get("/grants", "Host: t.example.com").status == 200)
            try service.post("/nos/token", json: body).expectProblem(413, "body_too_large")
            // Whoever was connected keeps the limits that it came under.
            try early.send(service.text("POST", "/nos/token", ["Content-Type: application/json"], body: body))
            try early.answer().expectSuccess()
            #expect(service.stop().err.contains("answered requestId="))
        }
    }

    @Test func `what has been counted of a caller is kept`() throws {
        let setup = ReloadTests.open("one", ReloadTests.quiet + #"rateLimit: { perCaller: "3/d" },"#)
        try Service.run(setup, .epoll) { service in
            for generation in 2...4 {
                try service.get("/nos/token?object=a").expectSuccess()
                try service.reload(setup, .epoll, generation: generation)
            }
            try service.get("/nos/token?object=a").expectProblem(429, "rate_limited")
            // Another rate counts what there is by its own measure.
            let more = ReloadTests.open("one", ReloadTests.quiet + #"rateLimit: { perCaller: "100/s" },"#)
            try service.reload(more, .epoll, generation: 5)
            var answer = try service.get("/nos/token?object=a")
            for _ in 0..<100 where answer.status == 429 { answer = try service.get("/nos/token?object=a") }
            answer.expectSuccess()
        }
    }

    // MARK: What is under way

    @Test(arguments: Transport.allCases)
    func `R12, R19: a request whose head came before a reload, and its body after it, is judged by what serves then`(
        _ transport: Transport
    ) throws {
        try Service.run(ReloadTests.open("one"), transport) { service in
            let body = #"{"object": "a"}"#
            let plain = service.text("POST", "/nos/token", ["Content-Type: application/json"], body: body)
            let chunked = service.text(
                "POST", "/nos/token", ["Content-Type: application/json", "Transfer-Encoding: chunked"])
            let heads = [
                (String(plain.dropLast(body.utf8.count)), body), (chunked, "f\r\n\(body)\r\n0\r\n\r\n"),
            ]
            let clients = try heads.map { head, rest in
                let client = try service.connect()
                let expecting = head.replacing("\r\n\r\n", with: "\r\nExpect: 100-continue\r\n\r\n")
                try client.send(expecting)
                #expect(try client.answer().status == 100)
                return (client, rest)
            }
            try service.reload(ReloadTests.open("two"), transport, generation: 2)
            for (client, rest) in clients {
                try client.send(rest)
                #expect(try ReloadTests.bucket(client.answer()) == "two")
                try client.send(service.text("GET", "/nos/token?object=a"))
                #expect(try ReloadTests.bucket(client.answer()) == "two")
            }
        }
    }

    @Test
    func
        `R19: who waits for a session over a reload gets it if it still may, and no session is fetched anew that is the same`()
        throws
    {
        let vendor = try HeldSTS()
        var setup = vendor.setup("parked")
        try Service.run(setup, .epoll) { service in
            let request = service.text("GET", "/distribute-token.json?grant=own", [APIKey.alice.bearer])
            let client = try service.connect()
            try client.send(request)
            vendor.awaitCall()
            // Two reloads later, of which one changes something else, it is as it was.
            try service.reload(setup, .epoll, generation: 2)
            var other = setup
            other.rest = setup.rest.replacing("apiKeys: [", with: "apiKeys: [\(APIKey.dotted.entry), ")
            try service.reload(other, .epoll, generation: 3)
            vendor.answer()
            let answer = try client.answer()
            answer.expectSuccess()
            // Under the first configuration again it is remembered: the vendor is not asked a second time.
            try service.reload(setup, .epoll, generation: 4)
            for generation in 5...8 {
                try client.send(request)
                #expect(try client.answer().json["SecurityToken"] == answer.json["SecurityToken"])
                try service.reload(setup, .epoll, generation: generation)
            }
            #expect(vendor.calls == 1)
            // Another key of the service's own is another account.
            setup.credentials = setup.credentials.replacing("LTAI5e2e", with: "LTAI5new")
            try service.reload(setup, .epoll, generation: 9)
            try client.send(request)
            try client.answer().expectSuccess()
            #expect(vendor.calls == 2)
        }
    }

    // MARK: What is refused

    @Test func `a configuration that is not good leaves the one before serving, and says why`() throws {
        try Service.run(ReloadTests.open("one"), .epoll) { service in
            var wrong = ReloadTests.open("two")
            wrong.rest = wrong.rest.replacing("unscoped", with: "unscopd")
            try service.replaceConfiguration(with: wrong, .epoll)
            service.process.signal(SIGHUP)
            var log = try service.process.waitForError(holding: "not reloaded")
            log = try service.process.waitForError(holding: "did you mean unscoped?")
            #expect(log.contains("grants.all.unscopd"))
            let standing = try service.admin.get("/readyz")
            #expect(standing.status == 200 && standing.json["parts"]?["configuration"] == "failing")
            #expect(try ReloadTests.bucket(service.get("/nos/token?object=a")) == "one")
            try service.replace("countersign.json5", with: "{ version: 1")
            service.process.signal(SIGHUP)
            _ = try service.process.waitForError(holding: "line 1, column")
            #expect(try ReloadTests.bucket(service.get("/nos/token?object=a")) == "one")
            unlink(service.configuration)
            service.process.signal(SIGHUP)
            _ = try service.process.waitForError(holding: "no such file")
            #expect(try ReloadTests.bucket(service.get("/nos/token?object=a")) == "one")
            try service.reload(ReloadTests.open("two"), .epoll, generation: 2)
            #expect(try ReloadTests.bucket(service.get("/nos/token?object=a")) == "two")
            #expect(try service.admin.get("/readyz").json["parts"]?["configuration"] == "ok")
        }
    }

    @Test func `nothing is signed for another access key by the secret that a variable still has`() throws {
        var setup = Setup(
            name: "left-behind",
            rest: """
                grants: { "all": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "files", keyPrefix: "a/" } }, \(ReloadTests.quiet)
                """)
        setup.credentials = setup.credentials
            .replacing(#"{ file: "secrets/qiniu" }"#, with: #"{ env: "E2E_OSS_SECRET" }"#)
        try Service.run(setup, .epoll) { service in
            func accessKey() throws -> Substring? {
                try service.get("/qiniu/uptoken?key=a/b").json["uptoken"]?.string?.split(separator: ":").first
            }
            #expect(try accessKey() == Setup.qiniuAccessKey[...])
            var other = setup
            other.credentials = setup.credentials.replacing(Setup.qiniuAccessKey, with: "another-access-key")
            try service.replaceConfiguration(with: other, .epoll)
            service.process.signal(SIGHUP)
            let log = try service.process.waitForError(holding: "credentials.qiniu.secretKey: is still the secret of")
            #expect(log.contains("not reloaded") && !log.contains(Setup.ossSecret))
            #expect(try accessKey() == Setup.qiniuAccessKey[...])
            // With a secret of its own it is taken up.
            other.credentials = other.credentials
                .replacing(#"{ env: "E2E_OSS_SECRET" }"#, with: #"{ file: "secrets/qiniu" }"#, maxReplacements: 1)
            try service.reload(other, .epoll, generation: 2)
            #expect(try accessKey() == "another-access-key")
        }
    }

    @Test func `a caller is denied at once, also where a policy test says that it is allowed`() throws {
        func setup(_ denied: String) -> Setup {
            Setup(
                name: "emergency",
                rest: """
                    authentication: { apiKeys: [\(APIKey.alice.entry)], deny: [\(denied)] },
                    grants: { all: { route: "nos.token", credential: "nos", callers: ["apiKey:alice"], bucket: "files",
                      unscoped: true } },
                    policyTests: [{ caller: "apiKey:alice", route: "nos.token", parameters: { object: "a" },
                      expect: "allow" }], \(ReloadTests.quiet)
                    """)
        }
        let service = try Service(setup(""), .epoll)
        defer { service.stop() }
        #expect(try service.get("/nos/token?object=a", APIKey.alice.bearer).status == 200)
        try service.reload(setup(#""apiKey:alice""#), .epoll, generation: 2)
        let log = try service.process.waitForError(holding: "does not count while authentication.deny names its caller")
        #expect(log.contains("warning: ") && log.contains("policyTests[0]"), "\(log)")
        #expect(try service.get("/nos/token?object=a", APIKey.alice.bearer).status == 403)
        let check = try Program(
            Program.countersign, ["check", "--config", service.configuration], environment: Setup.environment
        ).wait()
        #expect(check.code == 0 && check.out.contains("0 policy tests passed, 1 not counted"), "\(check.out)")
        #expect(check.err.contains("does not count while authentication.deny"), "\(check.err)")
    }

    @Test func `what counts from start to end is not changed, and neither is anything beside it`() throws {
        let setup = ReloadTests.open("one")
        try Service.run(setup, .epoll) { service in
            var several = ReloadTests.open("two")
            several.listen = #"["127.0.0.1:0", "[::1]:0"]"#
            several.server = "workers: 7,"
            try service.replaceConfiguration(with: several, .epoll)
            service.process.signal(SIGHUP)
            let log = try service.process.waitForError(holding: "server.workers: cannot change")
            #expect(log.contains("server.listen: cannot change") && log.contains("\(service.configuration)"))
            #expect(try ReloadTests.bucket(service.get("/nos/token?object=a")) == "one")
        }
    }
}
