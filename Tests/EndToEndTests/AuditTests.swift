import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// What is issued is on record, and who is refused; nothing else is.
@Suite("The audit", .waiting, .timeLimit(.minutes(20)))
struct AuditTests {
    private static let open = Setup(
        name: "audited",
        rest: """
            authentication: {
                apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)], deny: ["apiKey:bob"],
              },
              grants: {
                "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous", "apiKey:alice"],
                  public: true, bucket: "demo-media", keyPrefix: "photos/", lifetime: "10m", maxLifetime: "1h" },
                "objects": { route: "oss.sign", credential: "oss", callers: ["apiKey:alice"], bucket: "demo-bucket",
                  keyPrefix: "demo/", methods: ["GET"] },
              },
            """)

    /// What the answer gives, by what the documentation says of each route.
    private static func token(_ route: EveryRoute, _ answer: Answer) -> String? {
        let json = answer.json
        switch route.name {
        case "distribute-token": return json["SecurityToken"]?.string
        case "s3.credentials": return json["SessionToken"]?.string
        case "s3.sts": return json["credentials"]?["SessionToken"]?.string
        case "qiniu.uptoken": return json["uptoken"]?.string
        case "nos.token": return json["token"]?.string
        case "oss.sign": return json["authorization"]?.string
        case "oss.post-policy", "s3.sign": return json["signature"]?.string
        case "s3.iceberg": return json["headers"]?["Authorization"]?.list?.first?.string
        case "s3.post-policy": return json["fields"]?["x-amz-signature"]?.string
        case "qiniu.authorization", "nos.authorization", "oss.authorization", "s3.authorization":
            return json["headers"]?["Authorization"]?.string
        default: return json["url"]?.string
        }
    }

    static func fingerprint(_ token: String) -> String {
        String(Digests.hex(Digests.sha256(Array(token.utf8))).prefix(32))
    }

    @Test func `every route leaves one line of what it has issued, with the token's fingerprint and never the token`()
        throws
    {
        let kodo = try FakeKodo(secret: Setup.qiniuSecret) { _, _, _ in false }
        let nos = try FakeNOS()
        let sts = try ClientPeer { peer, _ in
            while true {
                try peer.answer(STSFault.granted(try peer.request()))
            }
        }
        defer { _ = sts.stop() }
        let setup = Setup.everyRoute("audit", kodo: kodo.url, nos: nos.url, sts: "http://127.0.0.1:\(sts.port)")
            .audited()
        let service = try Service(setup, .epoll, Setup.Secrets().environment)
        defer { service.stop() }
        var given: [(route: EveryRoute, answer: Answer, principal: String, object: String)] = []
        for route in EveryRoute.all(kodo: kodo.url, nos: nos.url) where !route.isCallback {
            for (asker, principal, object) in [
                (APIKey.alice.bearer, "apiKey:alice", "alice"),
                ("Authorization: Bearer \(Setup.token())", "jwt:login/42", "42"),
            ] {
                let form = EveryRoute.form(route.parameters?(object) ?? [])
                #expect(try service.ask("HEAD", "\(route.path)?\(form)", [asker]).status == 200)
                // Sessions and fetches wait for the vendor the first time only.
                for _ in 0..<2 {
                    let answer = try service.get("\(route.path)?\(form)", asker)
                    #expect(answer.status == 200, "\(route.name): \(answer.text)")
                    given.append((route, answer, principal, object))
                }
            }
        }
        let trail = try AuditTrail(service)
        #expect(given.count > 60)
        #expect(trail.lines.filter { $0["requestId"] != nil }.count == given.count, "HEAD leaves no line")
        for (route, answer, principal, object) in given {
            let line = try trail.line(of: answer)
            #expect(line["principal"]?.string == principal)
            #expect(line["route"]?.string == route.name)
            #expect(line["grant"]?.string == Endpoint.issuing(route).grants(of: object).own)
            #expect(line["credential"]?.string == route.credential)
            #expect(line["provider"]?.string == route.credential)
            let isFetched = ["qiniu.buckets", "qiniu.files", "qiniu.stat", "nos.files"].contains(route.name)
            #expect(line["event"]?.string == (isFetched ? "fetched" : "issued"))
            let token = AuditTests.token(route, answer)
            #expect(line["fingerprint"]?.string == (isFetched ? nil : token.map(AuditTests.fingerprint)))
            #expect(isFetched == (token == nil))
            if let key = answer.json["key"]?.string { #expect(line["key"]?.string == key) }
            if let end = answer.json["expiresIn"] {
                #expect(line["lifetime"] == end && line["limitedBy"] == answer.json["limitedBy"])
            }
            if route.name == "distribute-token" {
                #expect(line["accessKeyId"] == answer.json["AccessKeyId"])
                #expect(line["prefix"]?.string == "users/\(object)/" && line["limitedBy"]?.string != nil)
            }
        }
        try trail.expectWhole()
    }

    @Test func `who is known and refused has a line with the clause; all others are counted`() throws {
        let service = try Service(AuditTests.open.audited(), .epoll)
        defer { service.stop() }
        let (alice, bob) = (APIKey.alice.bearer, APIKey.bob.bearer)
        let refused = try [
            (service.get("/qiniu/uptoken?key=a.jpg", alice), 403, "qiniu.uptoken", "clause", "keyPrefix"),
            (service.get("/qiniu/uptoken?kez=a", alice), 400, "qiniu.uptoken", "parameter", "kez"),
            (service.get("/oss/sign?contentToSign=x", alice), 422, "oss.sign", "parameter", "contentToSign"),
            (service.get("/qiniu/uptoken?key=photos/a", bob), 403, "qiniu.uptoken", "", ""),
            (service.get("/grants", bob), 403, "grants", "", ""),
        ]
        for _ in 0..<3 {
            #expect(try service.get("/qiniu/uptoken?key=photos/a", "X-API-Key: nobody's").status == 401)
            #expect(try service.get("/qiniu/uptoken?key=a").status == 403)
        }
        service.process.signal(SIGTERM)
        _ = try service.process.wait()
        let trail = try AuditTrail(service)
        for (answer, status, route, kind, name) in refused {
            #expect(answer.status == status, "\(answer.text)")
            let line = try trail.line(of: answer)
            #expect(line["event"]?.string == "denied" && line["status"] == .integer(Int64(status)))
            #expect(line["code"] == answer.json["code"] && line["route"]?.string == route)
            if !kind.isEmpty { #expect(line[kind]?.string == name) }
            #expect(
                line["principal"]?.string
                    == (["grants"].contains(route) || kind.isEmpty ? "apiKey:bob" : "apiKey:alice"))
        }
        #expect(trail.lines(of: "denied").count == refused.count)
        var counts: [String: Int64] = [:]
        for line in trail.lines(of: "summary") {
            guard case .object(let members)? = line["counts"] else { continue }
            for case (let name, .integer(let count)) in members { counts[name, default: 0] += count }
        }
        #expect(counts == ["unauthenticated": 3, "not_in_grant": 3])
        #expect(trail.lines(of: "summary").count <= 3)
        try trail.expectWhole()
    }

    @Test func `who floods the audit with refusals has few lines, is counted, and keeps nobody from being served`()
        throws
    {
        var setup = AuditTests.open.audited("batch", "deniedPerMinute: 5")
        setup.server = "workers: 1,"
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        let client = try service.connect()
        for _ in 0..<10 {
            let request = service.text("GET", "/qiniu/uptoken?key=others/a", [APIKey.alice.bearer])
            try client.send(String(repeating: request, count: 50))
            for _ in 0..<50 { #expect(try client.answer().status == 403) }
        }
        let other = try service.get("/grants", APIKey.bob.bearer)
        #expect(other.status == 403)
        let given = try service.get("/qiniu/uptoken?key=photos/a", APIKey.alice.bearer)
        #expect(given.status == 200)
        service.process.signal(SIGTERM)
        _ = try service.process.wait()
        let trail = try AuditTrail(service)
        let denied = trail.lines(of: "denied").map { $0["principal"]?.string }
        #expect(denied == [String?](repeating: "apiKey:alice", count: denied.count - 1) + ["apiKey:bob"])
        // Five at once, and one more in twelve seconds.
        #expect((6...12).contains(denied.count), "\(denied.count)")
        let counts = trail.lines(of: "summary").compactMap { $0["counts"]?["not_in_grant"]?.integer }
        #expect(counts.reduce(0, +) == Int64(500 - (denied.count - 1)))
        _ = try trail.line(of: given)
        try trail.expectWhole()
    }

    @Test func `the trace of a request is in its line, and metrics and the log tell of it`() throws {
        var setup = AuditTests.open.audited()
        setup.log = "requests: true"
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let field = "traceparent: 00-\(trace)-00f067aa0ba902b7-01"
        let given = try service.get("/qiniu/uptoken?key=photos/a", field)
        let refused = try service.get("/qiniu/uptoken?key=a", APIKey.alice.bearer, field)
        let other = try service.get("/qiniu/uptoken?key=photos/a")
        #expect(given.status == 200 && refused.status == 403 && other.status == 200)
        // The figures are told a moment after the answers.
        var page = try service.admin.get("/metrics").text
        let deadline = Date.now.addingTimeInterval(60)
        while !page.contains("\ncountersign_audit_lines_total 4\n"), deadline > .now {
            page = try service.admin.get("/metrics").text
        }
        for sample in [
            "countersign_audit_lines_total 4", "countersign_audit_faults_total 0", "countersign_audit_lost_total 0",
            "countersign_audit_ready 1", #"countersign_issued_total{route="qiniu.uptoken",provider="qiniu"} 2"#,
        ] {
            #expect(page.contains("\n\(sample)\n"), "\(sample)")
        }
        let trail = try AuditTrail(service)
        for answer in [given, refused] { #expect(try trail.line(of: answer)["traceId"]?.string == trace) }
        #expect(try trail.line(of: other)["traceId"] == nil)
        let log = service.stop().err
        for answer in [given, refused, other] {
            let lines = log.split(separator: "\n").filter {
                $0.contains("answered") && $0.contains(answer["X-Request-Id"] ?? "-")
            }
            #expect(lines.count == 1, "\(lines)")
        }
    }

    @Test(arguments: ["none", "batch", "each"])
    func `whatever an answer waits for, a service that ends leaves all lines`(_ durability: String) throws {
        let service = try Service(AuditTests.open.audited(durability, "maxSize: 4096"), .epoll)
        defer { service.stop() }
        let answers = try (0..<60).map { try service.get("/qiniu/uptoken?key=photos/\($0)") }
        service.process.signal(SIGTERM)
        #expect(try service.process.wait().code == 0)
        let trail = try AuditTrail(service)
        for answer in answers { #expect(try trail.line(of: answer)["principal"]?.string == "anonymous") }
        #expect(trail.files.count > 1)
        try trail.expectWhole()
    }

    @Test func `SIGUSR1 and a file that is moved away begin a new one, and no line is lost under load`() async throws {
        let service = try Service(AuditTests.open.audited(), .epoll)
        defer { service.stop() }
        let load = AuditLoad(service, "/qiniu/uptoken?key=photos/a", clients: 4)
        let current = service.folder + "/audit/a.jsonl"
        for round in 0..<10 {
            try load.wait(forMore: 50)
            if round % 2 == 0 {
                service.process.signal(SIGUSR1)
            } else {
                try FileManager.default.moveItem(atPath: current, toPath: current + ".9999-moved-\(round)")
            }
        }
        try load.wait(forMore: 50)
        let answered = load.stop()
        service.process.signal(SIGTERM)
        let outcome = try service.process.wait()
        #expect(outcome.err.ranges(of: "the audit begins a new file").count == 5)
        let folder = service.folder + "/audit"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasPrefix("a.jsonl") && !$0.hasSuffix("-head")
        }
        #expect(names.count >= 8, "\(names)")
        // Names that tests have given do not tell the order; the first numbers do.
        let texts = try names.map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
        let trails = texts.sorted { AuditTests.firstNumber($0) < AuditTests.firstNumber($1) }
        let numbers = try trails.joined().split(separator: "\n").map { try JSON(String($0))["seq"] }
        #expect(numbers == (1...Int64(numbers.count)).map { .integer($0) })
        let all = trails.joined()
        #expect(answered.count > 500)
        for id in answered { #expect(all.contains("\"\(id)\""), "no line of \(id)") }
    }

    private static func firstNumber(_ text: String) -> Int {
        Int(text.dropFirst(7).prefix { $0.isNumber }) ?? 0
    }

    @Test func `another key is not taken up by a reload, and the log says so`() throws {
        var setup = AuditTests.open.audited()
        setup.rest += "reload: { watch: false },"
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        try service.replace("secrets/audit", with: String(repeating: "another key ", count: 3))
        service.process.signal(SIGHUP)
        let log = try service.process.waitForError(holding: "configuration not reloaded")
        #expect(log.contains("audit.key: cannot change while the service runs, also not by SIGUSR2; put it back, or"))
        #expect(!log.contains("another key"))
        let answer = try service.get("/qiniu/uptoken?key=photos/a")
        let trail = try AuditTrail(service)
        _ = try trail.line(of: answer)
        try trail.expectWhole()
        try service.replace("secrets/audit", with: AuditTrail.key)
        service.process.signal(SIGHUP)
        try service.waitFor(generation: 2)
    }

    @Test func `two services that write the same file make one chain of it, and no line is lost under load`() throws {
        let first = try Service(AuditTests.open.audited("batch", "maxSize: 65536"), .epoll)
        defer { first.stop() }
        let second = try Service(serving: first.configuration, in: first.folder)
        defer { _ = second.process.stop() }
        let loads = [first, second].map { AuditLoad($0, "/qiniu/uptoken?key=photos/a", clients: 4) }
        for load in loads { try load.wait(forMore: 500) }
        let answered = loads.map { $0.stop() }
        #expect(loads.allSatisfy { $0.refusals.isEmpty })
        for service in [first, second] {
            service.process.signal(SIGTERM)
            #expect(try service.process.wait().code == 0)
        }
        let trail = try AuditTrail(first)
        try trail.expectWhole()
        let ids = Set(trail.lines.compactMap { $0["requestId"]?.string })
        #expect(answered.allSatisfy { ids.isSuperset(of: $0) })
    }

    @Test func `a torn last line is set aside at the next start, and the log says so`() throws {
        let service = try Service(AuditTests.open.audited(), .epoll)
        defer { service.stop() }
        let answer = try service.get("/qiniu/uptoken?key=photos/a")
        service.process.signal(SIGKILL)
        _ = try service.process.wait()
        let current = service.folder + "/audit/a.jsonl"
        let text = try String(contentsOfFile: current, encoding: .utf8)
        try Keeper.write(text + #"{"seq":77,"time"#, to: current)
        #expect(try AuditTrail(service).verify().out.contains("the end is cut off here"))
        let next = try Program(
            Program.countersign, ["serve", "--config", service.configuration], environment: Setup.environment)
        defer { _ = next.stop() }
        _ = try next.waitForError(holding: "listening")
        #expect(try next.waitForError(holding: "the last line was torn").contains("a.jsonl-torn."))
        let trail = try AuditTrail(service)
        _ = try trail.line(of: answer)
        try trail.expectWhole()
    }
}
