import Foundation
import TestPeers
import Testing

@testable import TestService

/// What stands in `deploy/` and at `/metrics`.
@Suite("Metrics", .timeLimit(.minutes(20)))
struct MetricsTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    @Test func `metrics are for those who have a key of admin.auth, where there is one`() throws {
        let key = APIKey(key: "key-of-the-operator-0123456789", id: "operator")
        let ended = APIKey(key: "key-of-nobody-any-more-0123456789", id: "former", notAfter: now - 10)
        var setup = Setup(name: "keyed metrics", rest: Setup.open.rest)
        setup.admin += ", auth: [\(key.entry), \(ended.entry)]"
        try Service.run(setup) { service in
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
        try Service.run(.vendor("counted", ["http://127.0.0.1:\(peer.port)"], Setup.patient)) { service in
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
        try Service.run(setup) { service in
            let lines = try service.admin.get("/metrics").text.split(separator: "\n").filter { $0.hasPrefix(sign) }
            #expect(lines.count == 3, "\(lines)")
            #expect(lines.contains("\(sign){kind=\"previousKey\"} \(later)"))
            #expect(lines.contains("\(sign){kind=\"apiKey\"} \(soon)"))
            let certificate = lines.first { $0.contains("\"certificate\"") }?.split(separator: " ").last
            #expect(try certificate.flatMap { Int64($0) } == end(ofCertificate: pair.chain))
        }
        // Nothing ends, so nothing is told.
        let text = try Service.shared(.open).admin.get("/metrics").text
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
        let page = try Service.shared(.open).admin.get("/metrics").text
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

    @Test func `the alert of growing memory begins below the limit for Kubernetes, above what clients take`() throws {
        func text(_ file: String) throws -> String {
            try String(contentsOf: MetricsTests.root.appending(path: file), encoding: .utf8)
        }
        let alert = try #require(
            text("deploy/alerts.yml").firstMatch(of: /process_resident_memory_bytes\{[^}]*\} > ([0-9.e]+)/))
        let limit = try #require(
            text("deploy/kubernetes/base/deployment.yaml").firstMatch(of: /limits: \{ memory: (\d+)Mi \}/))
        let clients = try #require(text("docs/operations.md").firstMatch(of: /\| sum \| \| (\d+) MiB \|/))
        let begin = try #require(Double(alert.output.1)) / 1_048_576
        #expect(try begin < #require(Double(limit.output.1)))
        #expect(try begin > #require(Double(clients.output.1)))
    }
}
