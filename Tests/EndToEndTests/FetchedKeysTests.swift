import Crypto
import Foundation
import TestKeys
import TestTraits
import Testing

@testable import TestService

@Suite("Keys that are fetched by URL: R8, R19", .waiting)
struct FetchedKeysTests {
    /// Asks with a token of the key until the status comes that is expected, for 60 s at most; on the way there is only what is
    /// said.
    private func ask(
        _ service: Service, _ key: TestKey, until status: Int, past others: Set<Int>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let token = FakeIssuer.token(of: key)
        let end = now + 60
        while true {
            let answer = try service.get("/qiniu/uptoken", "Authorization: Bearer \(token)")
            if answer.status == status { return }
            #expect(others.contains(answer.status), "\(answer.text)", sourceLocation: sourceLocation)
            try #require(now < end, "it never came to \(status)", sourceLocation: sourceLocation)
        }
    }

    @Test func `keys are fetched at start, taken up when they change, and outlive the issuer`() throws {
        let (old, new) = (TestKey(.es256), TestKey(.eddsa))
        let issuer = try FakeIssuer([old])
        try Service.run(FakeIssuer.setup(issuer.url), .epoll) { service in
            try ask(service, old, until: 200, past: [401])
            try ask(service, TestKey(.eddsa), until: 401, past: [])
            issuer.publish([old, new])
            try ask(service, new, until: 200, past: [401])
            try ask(service, old, until: 200, past: [])
            issuer.publish([new])
            try ask(service, old, until: 401, past: [200])
            // It fails from now on.
            issuer.publish([])
            _ = try service.process.waitForError(holding: "keys of an issuer not fetched")
            for _ in 0..<5 { try ask(service, new, until: 200, past: []) }
            try ask(service, old, until: 401, past: [])
        }
        let requests = issuer.seen
        #expect(requests.allSatisfy { $0.hasPrefix("GET /.well-known/jwks.json HTTP/1.1\r\n") })
        #expect(requests.allSatisfy { !$0.contains("Authorization") && !$0.contains("eyJ") })
    }

    @Test func `R19: a ticket ends when the key that signed its maker's token is gone from the issuer's set`() throws {
        let (old, new) = (TestKey(.es256), TestKey(.eddsa))
        let issuer = try FakeIssuer([old, new])
        var setup = FakeIssuer.setup(issuer.url)
        setup.rest = setup.rest.replacing(
            "authentication: {",
            with: "authentication: { tickets: { secret: \"\(Setup.ticketSecret)\" },")
        try Service.run(setup, .epoll) { service in
            try ask(service, old, until: 200, past: [401])
            func mint(_ key: TestKey) throws -> String {
                let bearer = "Authorization: Bearer \(FakeIssuer.token(of: key))"
                let answer = try service.post("/tickets", json: #"{"grant":"own"}"#, bearer)
                return "/qiniu/uptoken?ticket=\(try #require(answer.json["ticket"]?.string))"
            }
            let (first, second) = (try mint(old), try mint(new))
            for url in [first, second] { try service.get(url).expectSuccess() }
            let inspected = try Program(
                Program.countersign, ["inspect", "--config", service.configuration], environment: Setup.environment,
                input: try Keeper.write(String(first.split(separator: "=").last ?? ""), to: service.folder + "/ticket")
            ).wait()
            #expect(inspected.out.contains("fetched only while the service runs"), "\(inspected.out)\(inspected.err)")
            issuer.publish([new])
            try ask(service, old, until: 401, past: [200])
            // The loops take the set over one after the other.
            let end = now + 60
            while try service.get(first).status != 401 { try #require(now < end, "it never ended") }
            try service.get(second).expectSuccess()
        }
    }

    @Test func `of a set of 20 keys 16 are good, and the log says in one line how many are not used`() throws {
        let keys = (0..<20).map { _ in TestKey(.eddsa) }
        let issuer = try FakeIssuer(keys)
        try Service.run(FakeIssuer.setup(issuer.url), .epoll) { service in
            try ask(service, keys[15], until: 200, past: [401])
            for key in keys[16...] { try ask(service, key, until: 401, past: []) }
            let log = service.stop().err
            #expect(log.contains("4 of its keys are not used: at most 16 are, and RSA of at most 4096 bits"), "\(log)")
            #expect(log.components(separatedBy: "keys of an issuer left out").count == 2, "\(log)")
        }
    }

    @Test func `before the issuer can be reached it is 401, and good when it is there`() throws {
        let key = TestKey(.es256)
        let port: UInt16
        do {
            // Nobody is there when this is gone.
            let issuer = try FakeIssuer([key])
            port = issuer.port
        }
        try Service.run(FakeIssuer.setup("http://127.0.0.1:\(port)/.well-known/jwks.json"), .epoll) { service in
            let answer = try service.get("/qiniu/uptoken", "Authorization: Bearer \(FakeIssuer.token(of: key))")
            answer.expectProblem(401, "unauthenticated", "token")
            let issuer = try FakeIssuer([key], port: port)
            try ask(service, key, until: 200, past: [401])
            #expect(!issuer.seen.isEmpty)
        }
    }

    /// All that an answer says but when, and by which request's id, which need not be as long as another's.
    private func ask(_ service: Service, bearing token: String) throws -> [String] {
        let answer = try service.get("/qiniu/uptoken", "Authorization: Bearer \(token)")
        let id = answer["X-Request-Id"] ?? ""
        let others = answer.fields.filter { !["Date", "Content-Length"].contains($0.name) }
        let fields = others.map { "\($0.name): \($0.value)" }
        return (["\(answer.status)"] + fields + [answer.text]).map { $0.replacing(id, with: "<id>") }
    }

    @Test func `forged tokens do not tell which issuers there are, before keys come and when they are old`() throws {
        let (key, other) = (TestKey(.es256), TestKey(.es256))
        let issuer = try FakeIssuer([])
        try Service.run(FakeIssuer.setup(issuer.url, keep: "5s"), .epoll) { service in
            let unknown = try ask(service, bearing: FakeIssuer.token(of: other, from: "https://nobody.example.com"))
            #expect(unknown.first == "401" && !unknown.contains { $0.hasPrefix("Retry-After") })
            let forged = [
                FakeIssuer.token(of: other), FakeIssuer.token(of: other, kid: FakeIssuer.name(of: key)),
                FakeIssuer.token(of: key, kid: "unknown"),
            ]
            for token in forged + [FakeIssuer.token(of: key)] {
                #expect(try ask(service, bearing: token) == unknown, "no keys have come")
            }
            issuer.publish([key])
            try ask(service, key, until: 200, past: [401])
            issuer.publish([])
            try ask(service, key, until: 503, past: [200])
            let answer = try service.get("/qiniu/uptoken", "Authorization: Bearer \(FakeIssuer.token(of: key))")
            answer.expectProblem(503, "upstream_unavailable", "keys are out of date")
            #expect(answer["Retry-After"] == "1")
            for token in forged { #expect(try ask(service, bearing: token) == unknown, "keys are old") }
        }
    }

    @Test func `keys are fetched again when it is time, though nobody asks`() throws {
        let issuer = try FakeIssuer([TestKey(.es256)])
        try Service.run(FakeIssuer.setup(issuer.url), .epoll) { _ in
            let end = now + 60
            while issuer.seen.count < 3 {
                usleep(20_000)
                try #require(now < end, "\(issuer.seen.count) times in 20 s")
            }
        }
    }
}
