import Foundation
import TestPeers
import Testing

@testable import TestService

/// What stands in `deploy/` and at `/metrics`.
@Suite("Metrics", .timeLimit(.minutes(20)))
struct MetricsTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// Drives a service, and has Prometheus' own parser compare what it says before and after.
    private func expect(_ expected: String, of service: Service, _ drive: () throws -> Void) throws {
        func save(_ name: String) throws -> String {
            let answer = try service.admin.get("/metrics")
            #expect(answer.status == 200)
            #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            return try Keeper.write(answer.text, to: service.folder + "/" + name)
        }
        let before = try save("before")
        try drive()
        try Python.expectSuccess("metrics.py", before, try save("after"), expected)
    }

    @Test(.enabled(if: Python.path != nil), arguments: Transport.allCases)
    func `what is asked is counted, by route, status, reason and proof`(_ transport: Transport) throws {
        var setup = Setup(
            name: "metrics", server: "workers: 1, limits: { requestLine: 512 },",
            rest: "rateLimit: { perCaller: \"20/d\" }," + Setup.closed.rest)
        setup.admin += ", auth: []"
        let expected = """
            [["countersign_issued_total", {"route": "qiniu.uptoken", "provider": "qiniu"}, 4],
             ["countersign_issued_total", {"route": "nos.token", "provider": "nos"}, 0],
             ["countersign_http_requests_total", {"route": "qiniu.uptoken", "status": "200"}, 5],
             ["countersign_http_requests_total", {"route": "qiniu.uptoken", "status": "204"}, 1],
             ["countersign_http_requests_total", {"route": "qiniu.uptoken", "status": "401"}, 3],
             ["countersign_http_requests_total", {"route": "qiniu.uptoken", "status": "400"}, 2],
             ["countersign_http_requests_total", {"route": "livez", "status": "200"}, 1],
             ["countersign_http_requests_total", {"route": "none", "status": "404"}, 1],
             ["countersign_http_requests_total", {"route": "none", "status": "414"}, 1],
             ["countersign_http_requests_total", {"route": "qiniu.uptoken", "status": "429"}, 1],
             ["countersign_http_request_duration_seconds_count", {"route": "qiniu.uptoken"}, 32],
             ["countersign_denied_total", {"reason": "unauthenticated"}, 3],
             ["countersign_denied_total", {"reason": "unknown_parameter"}, 1],
             ["countersign_denied_total", {"reason": "ambiguous_grant"}, 1],
             ["countersign_denied_total", {"reason": "not_in_grant"}, 20],
             ["countersign_denied_total", {"reason": "rate_limited"}, 1],
             ["countersign_denied_total", {"reason": "other"}, 0],
             ["countersign_authentication_total", {"kind": "apiKey", "outcome": "accepted"}, 28],
             ["countersign_authentication_total", {"kind": "apiKey", "outcome": "refused"}, 2],
             ["countersign_authentication_total", {"kind": "other", "outcome": "refused"}, 0],
             ["countersign_authentication_total", {"kind": "anonymous", "outcome": "accepted"}, 1],
             ["countersign_limits_hit_total", {"limit": "perCaller"}, 1],
             ["countersign_limits_hit_total", {"limit": "requestLine"}, 1],
             ["countersign_limits_hit_total", {"limit": "handshakes"}, 0],
             ["countersign_limits_hit_total", {"limit": "buffers"}, 0],
             ["countersign_connections_accepted_total", {"listener": "public"}, 35],
             ["countersign_connections_accepted_total", {"listener": "admin"}, 1],
             ["countersign_upstream_calls_total", {"target": "sts", "outcome": "ok"}, 0],
             ["countersign_reloads_total", {"outcome": "failed"}, 0],
             ["countersign_log_lines_lost_total", {}, 0]]
            """
        try Service.run(setup, transport) { service in
            try expect(expected, of: service) {
                let (path, alice) = ("/qiniu/uptoken", APIKey.alice.bearer)
                for _ in 0..<4 { #expect(try service.get(path + "?grant=alice", alice).status == 200) }
                #expect(try service.ask("HEAD", path + "?grant=alice", [alice]).status == 200)
                #expect(try service.ask("OPTIONS", path).status == 204)
                #expect(try service.get(path).status == 401)
                #expect(try service.get(path, "X-API-Key: wrong").status == 401)
                #expect(try service.get(path, alice, "X-API-Key: two").status == 401)
                #expect(try service.get(path + "?kez=1", alice).status == 400)
                #expect(try service.get(path, alice).status == 400)
                for _ in 0..<20 { #expect(try service.get(path + "?grant=none", APIKey.bob.bearer).status == 403) }
                #expect(try service.get(path + "?grant=none", APIKey.bob.bearer).status == 429)
                _ = try service.get("/livez")
                _ = try service.get("/nothing")
                _ = try service.get("/" + String(repeating: "a", count: 600))
            }
        }
    }

    @Test func `metrics are for those who have a key of admin.auth, where there is one`() throws {
        let key = APIKey(key: "key-of-the-operator-0123456789", id: "operator")
        let ended = APIKey(key: "key-of-nobody-any-more-0123456789", id: "former", notAfter: now - 10)
        var setup = Setup(name: "keyed metrics", rest: Setup.open.rest)
        setup.admin += ", auth: [\(key.entry), \(ended.entry)]"
        try Service.run(setup, .epoll) { service in
            #expect(try service.admin.get("/metrics", key.bearer).status == 200)
            #expect(try service.admin.get("/metrics", "X-API-Key: \(key.key)").status == 200)
            let refusals: [[String]] = [
                [], [ended.bearer], [APIKey.alice.bearer], ["X-API-Key: \(APIKey.alice.key)"],
                ["Authorization: Basic x"],
                ["Authorization: Bearer"], ["X-API-Key:"], [key.bearer, "X-API-Key: \(key.key)"],
                [key.bearer, key.bearer],
            ]
            for fields in refusals {
                let answer = try service.admin.ask("GET", "/metrics", fields)
                answer.expectProblem(401, "unauthenticated")
                #expect(answer.has("WWW-Authenticate"), "\(fields)")
            }
            // Its key opens nothing elsewhere.
            try service.get("/qiniu/uptoken?key=photos/a", key.bearer).expectProblem(401, "unauthenticated")
        }
    }

    @Test func `sessions and calls to the vendor are counted by how they end`() throws {
        let failing = Flag()
        let peer = try ClientPeer { peer, _ in
            while true {
                try peer.request()
                if failing.isOn {
                    try peer.answer("{\"Code\":\"NoPermission\",\"Message\":\"no\"}", status: "403 No")
                } else {
                    try peer.answer(STSFault.credentials(), fields: "Date: \(httpDate(now))\r\n")
                }
            }
        }
        defer { _ = peer.stop() }
        try Service.run(.vendor("counted", ["http://127.0.0.1:\(peer.port)"], Setup.patient), .epoll) { service in
            for _ in 0..<3 { try service.get("/distribute-token.json").expectSuccess() }
            failing.isOn = true
            #expect(try service.get("/distribute-token.json?expires=1000").status == 502)
            let text = try service.admin.get("/metrics").text
            for line in [
                "countersign_upstream_calls_total{target=\"sts\",outcome=\"ok\"} 1",
                "countersign_upstream_calls_total{target=\"sts\",outcome=\"refused\"} 1",
                "countersign_sts_slots{state=\"fresh\"} 1", "countersign_sts_slots{state=\"failed\"} 1",
                "countersign_issued_total{route=\"distribute-token\",provider=\"sts\"} 3",
                "countersign_denied_total{reason=\"upstream_failed\"} 1", "countersign_clock_off 0",
                "countersign_http_requests_total{route=\"distribute-token\",status=\"502\"} 1",
                "countersign_http_request_duration_seconds_count{route=\"distribute-token\"} 4",
            ] { #expect(text.contains("\n\(line)\n"), "\(line)") }
        }
    }

    @Test func `TLS handshakes are counted, and connections while they are open`() throws {
        let pair = try ClientCertificates.shared.get().good
        let server = """
            workers: 1,
            tls: { certificates: [{ names: "localhost", certificateFile: "\(pair.chain)", keyFile: "\(pair.key)" }] },
            """
        try Service.run(Setup(name: "tls metrics", server: server, rest: "grants: {},"), .epoll) { service in
            do {
                let client = try service.connect()
                try client.send("this is no TLS, but it is long enough for one to see that")
                _ = try? client.answer()
            }
            _ = try CurlTests.curl(["-k", "https://localhost:\(service.port)/livez"])
            let told = [
                "countersign_tls_handshakes_total{outcome=\"ok\"} 1\n",
                "countersign_tls_handshakes_total{outcome=\"failed\"} 1\n",
                "countersign_connections_open{listener=\"admin\"} 1\n",
            ]
            // A handshake has failed, and a connection is none, when it is closed, which the service hears of in its own time.
            let deadline = Date.now.addingTimeInterval(60)
            var text = ""
            while !told.allSatisfy(text.contains), Date.now < deadline { text = try service.admin.get("/metrics").text }
            for line in told { #expect(text.contains(line), "\(text)") }
        }
    }

    @Test func `the first end of each kind of credential is told, of what has not ended when it starts`() throws {
        let pair = try ClientCertificates.shared.get().good
        let tls = """
            tls: { certificates: [{ names: "localhost", certificateFile: "\(pair.chain)", keyFile: "\(pair.key)" }] },
            """
        let (soon, later) = (now + 500, now + 2000)
        let credentials = """
            credentials: { "qiniu": { provider: "qiniu", accessKey: "AK", secretKey: "secret-of-the-end-to-end-tests",
              previous: [{ accessKey: "OLD", secretKey: "another-of-the-tests", until: "\(iso8601(later))" }] } }
            """
        let keys = [
            APIKey.alice, .ended, APIKey(key: "key-that-ends-later-0123456789", id: "later", notAfter: later),
            APIKey(key: "key-that-ends-first-0123456789", id: "first", notAfter: soon),
        ]
        let setup = Setup(
            name: "ends", server: tls, credentials: credentials,
            rest: "authentication: { apiKeys: [\(keys.map(\.entry).joined(separator: ", "))] }, grants: {},")
        let sign = "countersign_credential_end_timestamp_seconds"
        try Service.run(setup, .epoll) { service in
            let lines = try service.admin.get("/metrics").text.split(separator: "\n").filter { $0.hasPrefix(sign) }
            #expect(lines.count == 3, "\(lines)")
            #expect(lines.contains("\(sign){kind=\"previousKey\"} \(later)"))
            #expect(lines.contains("\(sign){kind=\"apiKey\"} \(soon)"))
            let certificate = lines.first { $0.contains("\"certificate\"") }?.split(separator: " ").last
            #expect(try certificate.flatMap { Int64($0) } == end(ofCertificate: pair.chain))
        }
        // Nothing ends, so nothing is told.
        let text = try Service.shared(.open, .epoll).admin.get("/metrics").text
        #expect(text.contains("# TYPE \(sign) gauge\n") && !text.contains("\n\(sign){"))
    }

    /// When a certificate ends, by openssl.
    private func end(ofCertificate path: String) throws -> Int64 {
        let told = try Program("openssl", ["x509", "-noout", "-enddate", "-in", path]).wait().out
        let text = told.replacing("notAfter=", with: "").trimmingCharacters(in: .whitespacesAndNewlines)
        return Int64(try Program("date", ["-u", "-d", text, "+%s"]).wait().out.dropLast()) ?? 0
    }

    private final class Flag: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        var isOn: Bool {
            get { lock.withLock { value } }
            set { lock.withLock { value = newValue } }
        }
    }

    // MARK: deploy/

    /// All names of metrics in a text.
    private func names(in text: String) -> Set<String> {
        Set(
            text.matches(of: /\b(?:countersign|process)_[a-z_]+/).map { match in
                ["_bucket", "_sum", "_count"].reduce(String(match.output)) { name, suffix in
                    name.contains("duration_seconds") && name.hasSuffix(suffix)
                        ? String(name.dropLast(suffix.count)) : name
                }
            })
    }

    @Test(arguments: ["deploy/grafana.json", "deploy/alerts.yml", "docs/operations.md"])
    func `dashboard, alerts and what operators read name only metrics that there are`(file: String) throws {
        let text = try String(contentsOf: MetricsTests.root.appending(path: file), encoding: .utf8)
        let page = try Service.shared(.open, .epoll).admin.get("/metrics").text
        let known = Set(page.matches(of: #/# TYPE ([a-z_]+) /#).map { String($0.output.1) })
        #expect(known.count > 20)
        let named = names(in: text)
        #expect(!named.isEmpty)
        #expect(named.subtracting(known) == [])
        // And leaves out none of the service's own.
        if file != "deploy/alerts.yml" {
            #expect(known.filter { $0.hasPrefix("countersign_") }.subtracting(named) == [])
        }
    }

    @Test func `operators read what to do about every alert`() throws {
        let alerts = try String(contentsOf: MetricsTests.root.appending(path: "deploy/alerts.yml"), encoding: .utf8)
        let guide = try String(contentsOf: MetricsTests.root.appending(path: "docs/operations.md"), encoding: .utf8)
        let names = alerts.matches(of: /- alert: (\w+)/).map { String($0.output.1) }
        #expect(names.count > 15)
        for name in names { #expect(guide.contains("`\(name)`"), "\(name)") }
        let rows = guide.matches(of: /\| `(Countersign\w+)`/).map { String($0.output.1) }
        #expect(Set(rows).subtracting(names) == [])
    }
}
