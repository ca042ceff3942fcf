import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// What stands in `deploy/` and at `/metrics`.
@Suite("Metrics", .waiting, .timeLimit(.minutes(20)))
struct MetricsTests {
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

    @Test(.enabled(if: Python.path != nil))
    func `what is asked is counted, by route, status, reason and proof`() throws {
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
        try Service.run(setup, .epoll) { service in
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
}
