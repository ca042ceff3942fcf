import Crypto
import Foundation
import TestKeys
import TestTraits
import Testing

@testable import TestService

/// Who is denied or loses a credential while a request is on its way.
@Suite("Revocation: R12, R19", .waiting, .timeLimit(.minutes(20)))
struct RevocationTests {
    @Test func `R12: a process that was replaced gives nothing that the other denies, though no file is watched`()
        throws
    {
        let port = try Listener.freePort()
        func setup(_ denied: String) -> Setup {
            Setup(
                name: "handed over",
                // A loop without connections would end at once, and say no more.
                server: "workers: 1,",
                rest: """
                    reload: { watch: false, interval: "100ms" },
                      authentication: { apiKeys: [\(APIKey.alice.entry)], deny: [\(denied)] }, grants: {
                        "own": { route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"], bucket: "media",
                          keyPrefix: "own/" },
                      },
                    """, listen: "\"127.0.0.1:\(port)\"", admin: "listen: []")
        }
        try Service.run(setup(""), .epoll) { service in
            let body = #"{"key": "own/a"}"#
            let fields = ["Content-Type: application/json", APIKey.alice.bearer, "Expect: 100-continue"]
            let head = service.text("POST", "/qiniu/uptoken", fields, body: body).dropLast(body.utf8.count)
            let clients = try (0..<2).map { _ in
                let client = try service.connect()
                try client.send(String(head))
                #expect(try client.answer().status == 100)
                return client
            }
            service.process.signal(SIGUSR2)
            let log = try service.process.waitForError(holding: "handed over process=")
            let words = try #require(log.ranges(of: "handed over process=").last)
            let other = try #require(pid_t(log[words.upperBound...].prefix { $0.isNumber }))
            defer { kill(other, SIGKILL) }
            _ = try service.process.waitForError(
                holding: "configuration reloaded by the old process process=\(service.process.identifier)\n")
            try clients[0].send(body)
            try clients[0].answer().expectSuccess()
            try service.replaceConfiguration(with: setup("\"apiKey:alice\""), .epoll)
            kill(other, SIGHUP)
            // The first was read when the process was replaced; now each of the two reads it.
            _ = try service.process.waitForError(holding: "configuration reloaded", times: 3)
            try clients[1].send(body)
            try clients[1].answer().expectProblem(403, "forbidden")
        }
    }

    @Test
    func
        `R1, R2, R19: who waits for a session over a change of hosts or origins gets it where both are still admitted`()
        throws
    {
        let server = #"hosts: ["a.test", "b.test"], cors: { origins: ["https://a.test", "https://b.test"] },"#
        let vendor = try HeldSTS()
        let setup = vendor.setup("rules", server: "workers: 1, " + server)
        try Service.run(setup, .epoll) { service in
            let asks: [(host: String, origin: String, isAdmitted: Bool)] = [
                ("a.test", "https://a.test", true), ("b.test", "https://a.test", false),
                ("a.test", "https://b.test", false),
                ("a.test", "", true), ("b.test", "", false),
            ]
            let clients = try asks.map { host, origin, _ in
                let client = try service.connect()
                let page = origin.isEmpty ? "" : "Origin: \(origin)\r\n"
                let head = "GET \(Self.own) HTTP/1.1\r\nHost: \(host)\r\n\(APIKey.alice.bearer)\r\n\(page)\r\n"
                try client.send(head)
                return client
            }
            vendor.awaitCall()
            // One loop: what came before is read when these are answered.
            for _ in 0..<3 { try service.get("/livez").expectSuccess() }
            var changed = setup
            changed.server = #"workers: 1, hosts: ["a.test"], cors: { origins: ["https://a.test"] },"#
            try service.reload(changed, .epoll, generation: 2)
            vendor.answer()
            for (client, ask) in zip(clients, asks) {
                let answer = try client.answer()
                if ask.isAdmitted { answer.expectSuccess() } else { Self.expectSuperseded(answer) }
            }
        }
    }

    @Test
    func
        `R11, R19: who waits for a session gets none once the ticket has ended, or the key of its token is rotated out`()
        throws
    {
        let (old, new) = (TestKey(.es256), TestKey(.es256))
        let issuer = try FakeIssuer([old])
        for isByTicket in [true, false] {
            issuer.publish([old])
            let vendor = try HeldSTS()
            // One loop: what it says to others, it has judged the waiting request by, too.
            var setup = vendor.setup("ending", server: "workers: 1,")
            let tickets = "tickets: { secret: \"\(Setup.ticketSecret)\" },"
            setup.rest = setup.rest.replacing(
                "authentication: {", with: "authentication: { \(tickets) \(FakeIssuer.entry(issuer.url))")
            setup.rest = setup.rest.replacing(
                "callers: [\"apiKey:ending\"]", with: "callers: [\"apiKey:alice\", \"jwt:login\"]")
            try Service.run(setup, .epoll) { service in
                var target = "/distribute-token.json?grant=outlive"
                var fields = ["Authorization: Bearer \(FakeIssuer.token(of: old))"]
                func wait(until status: Int) throws {
                    let end = now + 60
                    // HEAD asks whether, and neither waits for the vendor nor gets anything.
                    while try service.ask("HEAD", target, fields).status != status {
                        try #require(now < end, "it never came to \(status)")
                    }
                }
                if isByTicket {
                    let made = try service.post(
                        "/tickets", json: #"{"grant":"outlive","expires":5}"#, APIKey.alice.bearer)
                    target = "/distribute-token.json?ticket=\(try #require(made.json["ticket"]?.string))"
                    fields = []
                } else {
                    try wait(until: 200)
                }
                let client = try service.connect()
                try client.send(service.text("GET", target, fields))
                vendor.awaitCall()
                issuer.publish([new])
                try wait(until: 401)
                vendor.answer()
                try Self.expectSuperseded(client.answer())
            }
        }
    }

    private static let own = "/distribute-token.json?grant=own"

    private static func expectSuperseded(_ answer: Answer) {
        answer.expectProblem(503, "upstream_unavailable", forSDK: true)
        #expect(answer["Retry-After"] == "1" && answer.json["SecurityToken"] == nil)
    }
}
