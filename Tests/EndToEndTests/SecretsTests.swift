import Foundation
import TestKeys
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// Drives every route with all that goes well and wrong, then looks for every secret wherever others may look.
@Suite("Secrets appear nowhere: R7", .waiting, .timeLimit(.minutes(20)))
struct SecretsTests {
    /// Letters and digits that stand nowhere else.
    private static func canary(_ length: Int = 48) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<length).compactMap { _ in letters.randomElement() })
    }

    private static func bytes(_ name: String, _ text: String) -> (name: String, bytes: [UInt8]) {
        (name, Array(text.utf8))
    }

    /// What a test turns on from outside of the vendors' threads.
    private final class Switch: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false

        var isOn: Bool {
            get { lock.withLock { value } }
            set { lock.withLock { value = newValue } }
        }
    }

    /// A service whose secrets are told apart, its vendors, and all that it has said.
    private final class Fixture {
        let service: Service
        let keys = EveryKey(
            alice: APIKey(key: canary(), id: "alice"), bob: APIKey(key: canary(), id: "bob"),
            ended: APIKey(key: canary(), id: "ended", notAfter: now - 10),
            denied: APIKey(key: canary(), id: "denied"))
        let secrets = Setup.Secrets(
            qiniu: canary(), cdn: canary(), nos: canary(), oss: canary(), sts: canary(), tickets: canary())
        /// What the vendor issues, for its caller's eyes only.
        let issued = (secret: canary(), token: canary())
        let failing = Switch()
        let endpoints: [Endpoint]
        private let kodo: FakeKodo
        private let nos: FakeNOS
        private let sts: ClientPeer
        /// The bodies and fields of all answers, and of those that issued something.
        private(set) var answers: [UInt8] = []
        private(set) var successes: [Answer] = []
        private(set) var statuses: [Int: Int] = [:]
        private var count = 0

        init(_ format: String) throws {
            let (failing, issued) = (failing, issued)
            kodo = try FakeKodo(secret: secrets.qiniu) { connection, seen, _ in
                guard failing.isOn else { return false }
                try connection.answer("{\"error\":\"\(seen.authorization)\"}", status: "500 \(seen.target)")
                return true
            }
            nos = try FakeNOS(secret: secrets.nos) { target in
                failing.isOn ? ("500 \(target)", FakeNOS.document(target)) : nil
            }
            sts = try ClientPeer { peer, _ in
                while true {
                    let request = try peer.request()
                    let name = request.prefix { $0 != "\r\n" }
                    let body =
                        failing.isOn
                        ? "{\"Code\":\"NoPermission\",\"Message\":\"\(issued.token) \(name)\"}"
                        : STSFault.granted(request, secret: issued.secret, token: issued.token, end: now + 900)
                    try peer.answer(
                        body, status: failing.isOn ? "403 No" : "200 OK", fields: "Date: \(httpDate(now))\r\n")
                }
            }
            endpoints = EveryRoute.all(kodo: kodo.url, nos: nos.url).map { .issuing($0) } + [.grants, .tickets]
            var setup = Setup.everyRoute(
                "secrets", kodo: kodo.url, nos: nos.url, sts: "http://127.0.0.1:\(sts.port)", secrets: secrets,
                keys: keys,
                logLevel: "debug")
            setup.logFormat = format
            setup = setup.audited()
            service = try Service(setup, .epoll, secrets.environment)
        }

        /// What is looked for everywhere: what is configured, and the clients' keys and tokens. Of a token that is the signature in
        /// slices and the claims as a whole, since short pieces of claims are in base64 what pieces of other JSON are.
        func search(for askers: [Asker]) -> SecretSearch {
            let words = Set(askers.flatMap(\.fields).flatMap { $0.split(separator: " ") })
            let tokens = words.map { $0.split(separator: ".") }.filter { $0.count == 3 && $0[2].count > 40 }
            #expect(tokens.count >= 5)
            var search = SecretSearch(
                configured + keys.all.map { bytes("the key of \($0.id)", $0.key) } + [bytes("a wrong key", Asker.wrong)]
                    + tokens.map { bytes("a signature", String($0[2])) })
            for token in tokens { search.add(whole: String(token[1]), named: "a token's claims") }
            return search
        }

        var configured: [(name: String, bytes: [UInt8])] {
            [
                bytes("qiniu", secrets.qiniu), bytes("cdnKey", secrets.cdn), bytes("nos", secrets.nos),
                bytes("oss", secrets.oss), bytes("sts", secrets.sts), bytes("aws-sts", secrets.awsSTS),
                bytes("jwt", secrets.tokens),
                bytes("tickets", secrets.tickets), bytes("audit", AuditTrail.key),
            ]
        }

        /// Notes an answer, and takes what the log has, lest it be full.
        @discardableResult
        func note(_ answer: Answer) throws -> Answer {
            answers += answer.body + answer.fields.flatMap { Array("\n\($0.name): \($0.value)".utf8) }
            statuses[answer.status, default: 0] += 1
            if answer.status == 200, !answer.body.isEmpty { successes.append(answer) }
            count += 1
            if count % 100 == 0 {
                _ = try service.process.waitForError(holding: answer["X-Request-Id"] ?? "no id")
            }
            return answer
        }

        @discardableResult
        func ask(_ text: String, toHead: Bool = false) throws -> Answer {
            let client = try service.connect()
            try client.send(text)
            return try note(try client.answer(toHead: toHead))
        }
    }

    /// What is refused with a line of its own in the log, before others use up the few lines of a second (`RefusalLog`).
    private func askFirst(_ fixture: Fixture, _ askers: [Asker]) throws {
        let forger = try #require(askers.first { $0.name == "a forged token" })
        for endpoint in fixture.endpoints.filter(\.isCallback) + [.grants] {
            let method = endpoint.isCallback ? "POST" : "GET"
            #expect(try fixture.ask(forger.request(method, endpoint, .none, to: fixture.service)).status == 401)
        }
    }

    /// Every row of the table of callers, or a share of them.
    private func askInTurn(_ fixture: Fixture, _ askers: [Asker]) throws {
        var number = 0
        for endpoint in fixture.endpoints {
            for asker in askers {
                for method in ["GET", "HEAD", "POST"] {
                    for flaw in Flaw.allCases {
                        number += 1
                        guard Rounds.takes(number) else { continue }
                        let text = asker.request(method, endpoint, flaw, to: fixture.service)
                        try fixture.ask(text, toHead: method == "HEAD" && flaw != .unknownMethod)
                    }
                }
            }
        }
    }

    /// What is wrong with the request itself, with a credential wherever a client may put one.
    private func askWrongly(_ fixture: Fixture, _ askers: [Asker]) throws {
        let (service, key) = (fixture.service, fixture.keys.alice)
        for endpoint in fixture.endpoints {
            let path = endpoint.path
            let form = "Content-Type: application/x-www-form-urlencoded"
            for text in [
                service.text("GET", "\(path)?ticket=\(key.key)&grant=\(key.key)", [key.bearer]),
                service.text("GET", "\(path)?\(key.key)=1", [key.bearer]),
                service.text("GET", "\(path)?expires=\(key.key)&key=\(key.key)", [key.bearer]),
                service.text("GET", "\(path)/\(key.key)", [key.bearer]),
                service.text("GET", path, [key.bearer, "Host: \(key.key)"]),
                service.text("GET", path, [key.bearer, "Origin: https://\(key.key)"]),
                service.text("GET", path, ["Authorization: \(key.key)"]),
                service.text(
                    "GET", path, ["Authorization: Basic \(Base64Text.encode(Array(key.key.utf8), urlSafe: false))"]),
                service.text("POST", path, [key.bearer, "Content-Type: \(key.key)/x"], body: key.key),
                service.text("POST", path, [key.bearer, "Content-Type: application/json"], body: "{\"\(key.key)\":"),
                service.text("POST", path, [key.bearer, form], body: "key=%\(key.key)"),
                service.text("POST", path, [key.bearer, form], body: "key=\(key.key)&key=\(key.key)"),
                service.text("POST", path, [key.bearer, form, "Content-Length: 9999999"]),
                service.text("GET", "\(path)?key=" + String(repeating: key.key, count: 400), [key.bearer]),
                service.text("GET", path, [key.bearer, "X-Long: " + String(repeating: key.key, count: 900)]),
                "GET \(path) HTTP/3.0\r\n\(key.bearer)\r\n\r\n", "GET \(path) \(key.key)\r\n\(key.bearer)\r\n\r\n",
                "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization Bearer \(key.key)\r\n\r\n",
            ] { try fixture.ask(text) }
        }
    }

    /// Tickets for all that tickets are for, used well, and beside another credential.
    private func askByTicket(_ fixture: Fixture) throws {
        let (service, key) = (fixture.service, fixture.keys.alice)
        let form = "Content-Type: application/x-www-form-urlencoded"
        for route in fixture.endpoints.compactMap(\.route) where !route.isCallback {
            let minted = try fixture.ask(
                service.text("POST", "/tickets", [key.bearer, form], body: "grant=\(route.keyGrant)&expires=1200"))
            let ticket = try #require(minted.json["ticket"]?.string, "\(minted.text)")
            // A ticket needs no escapes, and takes none.
            let parameters = EveryRoute.form(route.parameters?("alice") ?? [])
            let target = route.path + (parameters.isEmpty ? "?" : "?\(parameters)&") + "ticket=\(ticket)"
            #expect(try fixture.ask(service.text("GET", target, [])).status == 200, "\(route.name)")
            #expect(try fixture.ask(service.text("GET", target, [key.bearer])).status == 401)
            #expect(try fixture.ask(service.text("GET", target + "A", [])).status == 401)
        }
    }

    /// What goes wrong at the vendors'.
    private func askInVain(_ fixture: Fixture) throws {
        fixture.failing.isOn = true
        let key = fixture.keys.alice.bearer
        for target in [
            "/qiniu/buckets", "/qiniu/files", "/qiniu/stat?key=photos/a.jpg", "/nos/files",
            "/distribute-token.json?expires=1000",
        ] {
            let answer = try fixture.ask(fixture.service.text("GET", target, [key]))
            #expect([502, 503].contains(answer.status), "\(target): \(answer.text)")
        }
    }

    /// What is told to those who run the service, and what they may send it.
    private func askAdmin(_ fixture: Fixture) throws {
        let key = fixture.keys.alice.key
        for path in ["/livez", "/readyz", "/metrics", "/openapi.json", "/\(key)", "/metrics?\(key)"] {
            for fields in [[], ["Authorization: Bearer \(key)"], ["X-Request-Id: secret \(key)"], ["Origin: \(key)"]] {
                try fixture.note(try fixture.service.admin.ask("GET", path, fields))
            }
        }
        let metrics = try fixture.service.admin.get("/metrics")
        #expect(metrics.text.contains("countersign_issued_total"))
    }

    /// What anybody on the machine may read of a process; the environment is its owner's.
    private func whatTheMachineShows(of process: pid_t) throws -> [UInt8] {
        var text: [UInt8] = []
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
        for file in ["cmdline", "comm", "status", "stat"] + tasks.map({ "task/\($0)/comm" }) {
            text += Array(try Data(contentsOf: URL(filePath: "/proc/\(process)/\(file)"))) + [10]
        }
        #expect(String(decoding: text, as: UTF8.self).contains("serve"))
        return text
    }

    /// Signatures, tokens and the like: what stands in an answer without a break. Names are shorter.
    private func issued(in answers: [Answer]) -> Set<String> {
        let marks = Set("+/_=-%".utf8)
        var runs: Set<String> = []
        for answer in answers {
            let parts = answer.body.split { byte in
                !(marks.contains(byte) || Character(Unicode.Scalar(byte)).isASCII && isalnum(Int32(byte)) != 0)
            }
            for part in parts where part.count >= 27 { runs.insert(String(decoding: part, as: UTF8.self)) }
        }
        return runs
    }

    @Test(
        "R7: whatever is asked, no secret is in the log, in an answer, or in what the machine shows of the process",
        arguments: ["text", "json"])
    func nowhere(_ format: String) throws {
        let fixture = try Fixture(format)
        defer { fixture.service.stop() }
        let askers = Asker.all(fixture.keys)
        try askFirst(fixture, askers)
        try askInTurn(fixture, askers)
        try askWrongly(fixture, askers)
        try askByTicket(fixture)
        try askInVain(fixture)
        try askAdmin(fixture)
        let audit = try AuditTrail(fixture.service).text
        let shown = try whatTheMachineShows(of: fixture.service.process.identifier)
        let check = try Program.run(
            "check", "--config", fixture.service.configuration, environment: fixture.secrets.environment)
        #expect(check.code == 0)
        let outcome = fixture.service.stop()
        // All that is driven was driven.
        for status in [200, 400, 401, 403, 404, 405, 413, 414, 415, 421, 431] {
            #expect(fixture.statuses[status] ?? 0 > 0, "nothing was answered by \(status)")
        }
        let log = outcome.err + outcome.out + check.out + check.err
        for line in ["token refused", "callback refused", "answered", "listening"] { #expect(log.contains(line)) }

        var search = fixture.search(for: askers)
        #expect(search.find(in: shown) == [])
        #expect(search.find(in: fixture.answers) == [])
        #expect(audit.contains("fingerprint") && audit.contains("denied"))
        #expect(search.find(in: audit) == [])
        // What is issued to its caller is in answers, and only there.
        let own = SecretSearch([
            SecretsTests.bytes("a session's secret", fixture.issued.secret),
            SecretsTests.bytes("a session's token", fixture.issued.token),
        ])
        #expect(own.find(in: fixture.answers) != [] && own.find(in: log) == [] && own.find(in: shown) == [])
        #expect(own.find(in: audit) == [])
        let runs = issued(in: fixture.successes)
        #expect(runs.count > 30)
        for run in runs { search.add(whole: run, named: "issued: \(run)") }
        #expect(search.find(in: log) == [])
        // The id of a ticket, by which it is denied, is no secret.
        let ids = Set(fixture.successes.compactMap { $0.json["id"]?.string })
        var others = fixture.search(for: askers)
        for run in runs.subtracting(ids) { others.add(whole: run, named: "issued: \(run)") }
        #expect(others.find(in: audit) == [])
    }

    @Test func `a secret that stood anywhere in any form would be found`() {
        let secret = SecretsTests.canary()
        let search = SecretSearch([SecretsTests.bytes("it", secret)])
        let bytes = Array(secret.utf8)
        for padding in ["", "a", "ab", "abc"] {
            let longer = Array("\(padding)\(secret)\(padding)".utf8)
            for text in [
                "log: \(secret)", "\"\(secret.dropFirst(9).prefix(12))\"",
                Base64Text.encode(longer, urlSafe: false), Base64Text.encode(longer, urlSafe: true),
                Digests.hex(longer), Digests.hex(longer).uppercased(), Digests.hex(Array(bytes[20..<32])),
            ] { #expect(search.find(in: text) != [], "\(text)") }
        }
        #expect(search.find(in: "\(secret.prefix(11)) \(secret.suffix(11))") == [])
        #expect(search.find(in: SecretsTests.canary(5000)) == [])
    }
}
