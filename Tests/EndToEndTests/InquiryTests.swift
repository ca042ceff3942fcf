import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// What an operator does at the command line: mint, explain, ticket, and a configuration's own tests.
@Suite("Commands: mint, explain, ticket, policyTests", .waiting)
struct InquiryTests {
    private func run(
        _ command: String, _ configuration: String, _ arguments: [String], input: String? = nil
    ) throws -> Program.Outcome {
        let path = try input.map { try Keeper.write($0, to: Keeper.makeFolder() + "/input") }
        return try Program(
            Program.countersign, [command, "--config", configuration] + arguments, environment: Setup.environment,
            input: path ?? "/dev/null"
        ).wait()
    }

    private static let secrets = [Setup.qiniuSecret, Setup.nosSecret, Setup.ossSecret, Setup.cdnKey]

    // MARK: mint

    @Test func `what mint and ticket give is in the audit, beside what the service gives`() throws {
        var setup = Setup.open.audited()
        let tickets = "], tickets: { secret: \"\(Setup.ticketSecret)\" } },"
        setup.rest = setup.rest.replacing("] },", with: tickets, maxReplacements: 1)
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        let minting = ["--caller", "apiKey:alice", "--grant", "hers", "--parameter", "key=hers/a", "--format", "json"]
        let answer = try service.get("/qiniu/uptoken?key=photos/a")
        let minted = try run("mint", service.configuration, minting)
        let ticket = try run("ticket", service.configuration, minting)
        let refused = try run("mint", service.configuration, minting.map { $0.replacing("hers/a", with: "b/a") })
        #expect(minted.code == 0 && ticket.code == 0 && refused.code == 1, "\(minted.err)\(ticket.err)\(refused.err)")
        let later = try service.get("/qiniu/uptoken?key=photos/a")
        let trail = try AuditTrail(service)
        try trail.expectWhole()
        let (token, text) = (try JSON(minted.out)["uptoken"]?.string, try JSON(ticket.out)["ticket"]?.string)
        for given in [token, text] {
            let lines = trail.lines.filter { $0["fingerprint"]?.string == given.map(AuditTests.fingerprint) }
            #expect(lines.count == 1 && lines[0]["by"]?.string == "command", "\(lines)")
            #expect(lines.first?["principal"]?.string == "apiKey:alice" && lines.first?["grant"]?.string == "hers")
        }
        for answer in [answer, later] { #expect(try trail.line(of: answer)["by"] == nil) }
        #expect(trail.lines(of: "issued").count == 4)
    }

    @Test func `without its audit mint gives nothing`() throws {
        let folder = try Keeper.makeFolder()
        let path = try Setup.open.audited().write(to: folder, transport: .epoll)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (file, code) in [("a.jsonl-head", Int32(1)), ("a.jsonl", 3)] {
            try? FileManager.default.removeItem(atPath: folder + "/audit/a.jsonl")
            try FileManager.default.createDirectory(
                atPath: folder + "/audit/" + file, withIntermediateDirectories: true)
            let outcome = try run(
                "mint", path, ["--caller", "anonymous", "--grant", "files", "--parameter", "object=a"])
            #expect(outcome.code == code && outcome.out.isEmpty && outcome.err.contains(file), "\(outcome.err)")
        }
    }

    /// Expects the route's own answer, byte for byte, in the same second.
    private func expectSame(
        _ service: Service, _ route: String, _ path: String, _ parameters: [(String, String)], by key: APIKey? = nil
    ) throws {
        let query = parameters.map { "\($0)=\(percent($1))" }.joined(separator: "&")
        let arguments =
            ["--caller", key.map { "apiKey:\($0.id)" } ?? "anonymous", "--route", route, "--format", "json"]
            + parameters.flatMap { ["--parameter", "\($0)=\($1)"] }
        for _ in 0..<30 {
            // The command and the request must fall into one second, and ThreadSanitizer makes a command longer than that.
            let isSlow = ProcessInfo.processInfo.environment["SANITIZER"] == "thread"
            let minted = try Unwatched.$isNeeded.withValue(isSlow) {
                try run("mint", service.configuration, arguments)
            }
            let answer = try service.ask("GET", "\(path)?\(query)", key.map { [$0.bearer] } ?? [])
            #expect(minted.code == (answer.status == 200 ? 0 : 1), "\(route): \(minted.out)\(minted.err)")
            guard answer.status == 200 else {
                let (told, route) = (try JSON(minted.out), answer.json)
                for name in ["code", "detail", "status", "clause", "parameter"] { #expect(told[name] == route[name]) }
                return
            }
            guard try JSON(minted.out)["serverTime"] == answer.json["serverTime"] else { continue }
            #expect(minted.out == answer.text && minted.err.isEmpty, "\(minted.out) \(answer.text)")
            return
        }
        Issue.record("\(route): never in the same second")
    }

    @Test func `mint gives what the route gives, byte for byte, and refuses what it refuses`() throws {
        let open = try Service.shared(.open, .epoll)
        try expectSame(open, "qiniu.uptoken", "/qiniu/uptoken", [("key", "photos/a b.jpg"), ("expires", "60")])
        try expectSame(open, "nos.token", "/nos/token", [("bucket", "demo-files"), ("object", "中/a&b=c")])
        try expectSame(open, "qiniu.uptoken", "/qiniu/uptoken", [("key", "hers/a")], by: .alice)
        for refused in [
            [("key", "private/a")], [("kez", "photos/a")], [("key", "photos/a"), ("expires", "999999")],
            [("key", "photos/twin/a")], [("grant", "hers")], [("key", "photos/a"), ("key", "photos/b")],
        ] { try expectSame(open, "qiniu.uptoken", "/qiniu/uptoken", refused) }
        let requests = try Service.shared(.requests, .epoll)
        try expectSame(requests, "qiniu.download-url", "/qiniu/download-url", [("key", "photos/a.jpg")])
        try expectSame(requests, "nos.presigned-url", "/nos/presigned-url", [("key", "in/a.jpg"), ("method", "PUT")])
        try expectSame(
            requests, "nos.authorization", "/nos/authorization",
            [("key", "in/a"), ("method", "PUT"), ("header", "x-nos-meta-a:b"), ("header", "x-nos-meta-b:c")])
        let forms = try Service.shared(.forms, .epoll)
        try expectSame(
            forms, "oss.post-policy", "/oss/post-policy", [("key", "pictures/a.png"), ("contentType", "image/png")])
    }

    @Test func `mint says in words by which grant and until when, and a grant says its route`() throws {
        let service = try Service.shared(.open, .epoll)
        let outcome = try run(
            "mint", service.configuration, ["--caller", "apiKey:alice", "--grant=hers", "--parameter=key=hers/a"])
        #expect(outcome.code == 0 && outcome.err.isEmpty, "\(outcome.err)")
        for line in ["key         hers/a\n", "grant       hers\n", "limitedBy   grant\n"] {
            #expect(outcome.out.contains(line), "\(outcome.out)")
        }
        let refused = try run(
            "mint", service.configuration, ["--caller", "apiKey:bob", "--grant", "hers", "--parameter", "key=hers/a"])
        #expect(refused.code == 1 && refused.out.isEmpty, "\(refused.out)")
        #expect(refused.err.contains("not_in_grant") && refused.err.contains("countersign explain"), "\(refused.err)")
        let nobody = try run("mint", service.configuration, ["--caller", "apiKey:nobody", "--grant", "hers"])
        #expect(nobody.code == 1 && nobody.err.contains("no such id"), "\(nobody.err)")
        let json = try run(
            "mint", service.configuration, ["--caller", "apiKey:nobody", "--grant", "hers", "--format", "json"])
        #expect(try json.code == 1 && JSON(json.out)["code"] == "unauthenticated", "\(json.out)")
    }

    @Test func `strings to sign come from standard input or a file, and are read as they are`() throws {
        let service = try Service.shared(.open, .epoll)
        let string = "PUT\n\nimage/jpeg\n\(httpDate(now))\n/demo-bucket/demo/a.jpg"
        let routed = try service.post("/oss/sign", "text/plain", string)
        let arguments = ["--caller", "anonymous", "--route", "oss.sign", "--format", "json", "--parameter"]
        let file = try Keeper.write(string, to: Keeper.makeFolder() + "/string")
        for (name, input) in [("contentToSign@-", string), ("contentToSign@\(file)", nil)] {
            let minted = try run("mint", service.configuration, arguments + [name], input: input)
            #expect(minted.code == 0, "\(minted.err)")
            #expect(try JSON(minted.out)["signature"] == routed.json["signature"])
        }
        let other = try run("mint", service.configuration, arguments + ["contentToSign@-"], input: string + "\n")
        #expect(other.code == 1, "\(other.out)")
        let explained = try run("explain", service.configuration, arguments + ["contentToSign@-"], input: string)
        #expect(try JSON(explained.out)["permitted"]?["key"] == "demo/a.jpg", "\(explained.out)")
        #expect(routed.json["signature"]?.string.map(explained.out.contains) == false)
    }

    // MARK: Claims and tickets

    @Test func `a caller is named with its claims, obeys where and deny, and ends when its token would`() throws {
        let service = try Service.shared(.tokens, .epoll)
        func mint(_ caller: String, _ claims: String?, _ parameters: String...) throws -> Program.Outcome {
            try run(
                "mint", service.configuration,
                ["--caller", caller, "--route", "qiniu.uptoken", "--format", "json"]
                    + (claims.map { ["--claims", $0] } ?? []) + parameters.flatMap { ["--parameter", $0] })
        }
        let own = try mint("jwt:login/42", nil, "grant=own")
        #expect(try own.code == 0 && JSON(own.out)["keyPrefix"] == "users/42/", "\(own.out)")
        let ending = try JSON(mint("jwt:login/42", "{\"exp\":\(now + 100)}", "grant=own").out)
        #expect(ending["limitedBy"] == "caller", "\(ending)")
        let scoped = try mint("jwt:login/42", #"{"scope":"x upload","tenant":"acme"}"#, "grant=tenant")
        #expect(try JSON(scoped.out)["keyPrefix"]?.string?.hasPrefix("tenants/acme/") == true, "\(scoped.out)")
        #expect(try JSON(mint("jwt:login/42", #"{"tenant":"acme"}"#, "grant=tenant").out)["code"] == "not_in_grant")
        #expect(try JSON(mint("jwt:login/mallory", nil, "grant=own").out)["code"] == "forbidden")
        #expect(try JSON(mint("jwt:login/42", #"{"sub":"43"}"#, "grant=own").out)["code"] == "unauthenticated")
        let file = try Keeper.write(#"{"scope":"upload","tenant":"t"}"#, to: Keeper.makeFolder() + "/claims")
        #expect(try mint("jwt:login/42", "@\(file)", "grant=tenant").code == 0)
    }

    @Test func `the URL of a ticket begins with server.publicURL, which no --host overrides`() throws {
        let setup = Setup(
            name: "command tickets of a public URL", server: #"publicURL: "https://t.example.com/gate/","#,
            rest: """
                authentication: { apiKeys: [\(APIKey.alice.entry)], tickets: { secret: "\(Setup.ticketSecret)" } },
                  grants: {
                    "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: "apiKey:alice", bucket: "media",
                      keyPrefix: "photos/" },
                  },
                """)
        let path = try setup.write(to: Keeper.makeFolder(), transport: .epoll)
        let arguments = ["--caller", "apiKey:alice", "--grant", "photos", "--format", "json"]
        let made = try run("ticket", path, arguments)
        #expect(made.code == 0, "\(made.err)")
        let url = try JSON(made.out)["url"]?.string
        #expect(url?.hasPrefix("https://t.example.com/gate/qiniu/uptoken?ticket=") == true, "\(made.out)")
        let refused = try run("ticket", path, arguments + ["--host", "other.example.com"])
        #expect(refused.code == 1 && refused.out.isEmpty && refused.err.contains("server.publicURL"), "\(refused.err)")
    }

    @Test func `R11: a ticket that is made for somebody else is good at the service`() throws {
        let secret = Setup.ticketSecret
        let setup = Setup(
            name: "command tickets",
            rest: """
                authentication: {
                    apiKeys: [\(APIKey.alice.entry), \(APIKey.denied.entry)], deny: ["apiKey:denied"],
                    jwt: [{ id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                      secret: "\(Setup.makeSecret())" }],
                    tickets: { secret: "\(secret)", maxLifetime: "30m" },
                  },
                  grants: {
                    "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice", "apiKey:denied"],
                      bucket: "media", keyPrefix: "photos/" },
                    "tenant": { route: "qiniu.uptoken", credential: "qiniu", callers: ["jwt:intern"], bucket: "media",
                      where: { "claims.scope": "upload" }, keyPrefix: "tenants/${claims.tenant}/" },
                    "everybody": { route: "qiniu.uptoken", credential: "qiniu", callers: ["authenticated"],
                      bucket: "media", keyPrefix: "all/" },
                  },
                """)
        try Service.run(setup, .epoll) { service in
            func ticket(_ arguments: String...) throws -> Program.Outcome {
                try run("ticket", service.configuration, arguments + ["--format", "json"])
            }
            let alice = try ticket(
                "--caller", "apiKey:alice", "--grant", "photos", "--parameter", "key=photos/a.jpg", "--parameter",
                "expires=120")
            #expect(alice.code == 0 && alice.err.isEmpty, "\(alice.err)")
            let made = try JSON(alice.out)
            let text = try #require(made["ticket"]?.string)
            let used = try service.get("/qiniu/uptoken?ticket=\(text)")
            used.expectSuccess()
            #expect(used.json["key"] == "photos/a.jpg" && used.json["limitedBy"] == "caller")
            try service.get("/qiniu/uptoken?ticket=\(text)&key=photos/b").expectProblem(403, "not_in_grant")
            #expect(made["id"]?.string?.isEmpty == false && made["grant"] == "photos")
            let intern = try ticket(
                "--caller", "jwt:intern/7", "--claims", #"{"scope":"upload","tenant":"acme"}"#, "--grant", "tenant",
                "--host", "t.example.com")
            let internTicket = try #require(JSON(intern.out)["ticket"]?.string)
            #expect(
                try JSON(intern.out)["url"] == .string("http://t.example.com/qiniu/uptoken?ticket=\(internTicket)"))
            #expect(try service.get("/qiniu/uptoken?ticket=\(internTicket)").json["keyPrefix"] == "tenants/acme/")
            for (arguments, code) in [
                (["--caller", "jwt:intern/7", "--grant", "tenant"], "not_in_grant"),
                (["--caller", "apiKey:alice", "--grant", "everybody"], "not_in_grant"),
                (["--caller", "apiKey:denied", "--grant", "photos"], "forbidden"),
                (["--caller", "anonymous", "--grant", "photos"], "unauthenticated"),
                (
                    ["--caller", "apiKey:alice", "--grant", "photos", "--parameter", "expires=1801"],
                    "invalid_parameter"
                ),
                (["--caller", "apiKey:alice", "--grant", "photos", "--parameter", "kez=a"], "unknown_parameter"),
            ] {
                let outcome = try run("ticket", service.configuration, arguments + ["--format", "json"])
                #expect(outcome.code == 1, "\(arguments)")
                #expect(try JSON(outcome.out)["code"] == .string(code), "\(arguments): \(outcome.out)")
            }
        }
        let without = try run(
            "ticket", Service.shared(.open, .epoll).configuration, ["--caller", "apiKey:alice", "--grant", "hers"])
        #expect(without.code == 1 && without.err.contains("authentication.tickets.secret"), "\(without.err)")
    }

    // MARK: explain

    @Test func `explain's verdict is the route's answer, whoever asks for what`() throws {
        let service = try Service.shared(.open, .epoll)
        var random = SystemRandomNumberGenerator()
        func pick<Element>(_ list: [Element]) -> Element { list[Int.random(in: list.indices, using: &random)] }
        for _ in 0..<40 {
            let key = pick([nil, APIKey.alice, APIKey.bob])
            var parameters = [("key", pick(["photos/a", "photos/twin/a", "hers/b", "fixed/report.pdf", "x/.."]))]
            if pick([true, false]) { parameters.append(("expires", pick(["60", "600", "3601"]))) }
            if pick([true, false]) { parameters.append(("grant", pick(["photos", "twin", "hers", "none"]))) }
            let explained = try run(
                "explain", service.configuration,
                [
                    "--caller", key.map { "apiKey:\($0.id)" } ?? "anonymous", "--route", "qiniu.uptoken", "--format",
                    "json",
                ] + parameters.flatMap { ["--parameter", "\($0)=\($1)"] })
            let query = parameters.map { "\($0)=\(percent($1))" }.joined(separator: "&")
            let answer = try service.ask("GET", "/qiniu/uptoken?\(query)", key.map { [$0.bearer] } ?? [])
            let report = try JSON(explained.out)
            #expect(explained.code == (answer.status == 200 ? 0 : 1))
            #expect(report["verdict"] == (answer.status == 200 ? "allow" : "deny"), "\(query): \(explained.out)")
            #expect(report["refusal"]?["code"] == answer.json["code"], "\(query): \(explained.out)")
            #expect(report["permitted"]?["grant"] == answer.json["grant"], "\(query): \(explained.out)")
            #expect(report["permitted"]?["expiresIn"] == answer.json["expiresIn"], "\(query): \(explained.out)")
            #expect(!InquiryTests.secrets.contains { explained.out.contains($0) })
        }
    }

    @Test func `explain tells each grant's clauses in words, and prints no token`() throws {
        let service = try Service.shared(.open, .epoll)
        let outcome = try run(
            "explain", service.configuration,
            [
                "--caller", "apiKey:alice", "--route", "qiniu.uptoken", "--parameter", "key=hers/a", "--parameter",
                "expires=60",
            ])
        #expect(outcome.code == 0 && outcome.err.isEmpty, "\(outcome.err)")
        for text in [
            "qiniu.uptoken for apiKey:alice: allowed\n", "in 60 s\n", "  limited by  requested\n",
            "grant hers: wins\n", "grant photos: does not admit it\n", "REFUSED: the caller is none of these",
            "asked: hers/a; granted: hers/*", "What is signed\n", "Who enforces it\n",
            "  nobody  uses: ",
        ] { #expect(outcome.out.contains(text), "\(text): \(outcome.out)") }
        #expect(!outcome.out.contains("\u{1B}") && !outcome.out.contains(Setup.qiniuAccessKey + ":"))
        #expect(!InquiryTests.secrets.contains { outcome.out.contains($0) })
    }

    // MARK: policyTests

    @Test func `a configuration that fails its own tests is 3 for check and serve, and explain explains it`() throws {
        let folder = try Keeper.makeFolder()
        var setup = Setup.open
        setup.rest += """
            policyTests: [
              { caller: "apiKey:alice", route: "qiniu.uptoken", parameters: { key: "hers/a" }, expect: "allow",
                gives: { grant: "hers", key: "hers/a" } },
              { name: "bob stays out", caller: "apiKey:bob", route: "qiniu.uptoken", parameters: { key: "hers/a" },
                expect: "EXPECTED" },
            ],
            """
        let holding = setup.rest.replacing("EXPECTED", with: "not_in_grant")
        let failing = setup.rest.replacing("EXPECTED", with: "allow")
        setup.rest = holding
        let path = try setup.write(to: folder, transport: .epoll)
        let good = try Program.run("check", "--config", path, environment: Setup.environment)
        #expect(good.code == 0 && good.out.contains("2 policy tests"), "\(good.out)\(good.err)")
        try Service.run(setup, .epoll) { try $0.get("/livez").expectSuccess() }
        setup.rest = failing
        _ = try setup.write(to: folder, transport: .epoll)
        for command in ["check", "serve", "mint"] {
            let asking = command == "mint" ? ["--caller", "anonymous", "--route", "nos.token"] : []
            let outcome = try run(command, path, asking)
            #expect(outcome.code == 3, "\(command): \(outcome.code) \(outcome.err)")
            for text in [
                path, "policyTests[1]", "line ", "\"bob stays out\" fails: it must be allowed", "not_in_grant",
                "grants.hers: callers: the caller is none of these",
            ] { #expect(outcome.err.contains(text), "\(command): \(outcome.err)") }
        }
        let json = try Program.run("check", "--config", path, "--format", "json", environment: Setup.environment)
        let problem = try JSON(json.out)["problems"]?.list?.first
        #expect(json.code == 3 && problem?["path"] == "policyTests[1]" && problem?["line"] != nil, "\(json.out)")
        let explained = try run(
            "explain", path, ["--caller", "apiKey:bob", "--grant", "hers", "--parameter", "key=hers/a"])
        #expect(explained.code == 1 && explained.out.contains("not_in_grant"), "\(explained.out)")
    }

    @Test
    func
        `a reload to a configuration that fails its own tests changes nothing, and explain tells of the one that serves`()
        throws
    {
        func setup(_ prefix: String, _ expected: String) -> Setup {
            Setup(
                name: "reloaded commands",
                rest: """
                    grants: { "all": { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
                        bucket: "files", keyPrefix: "\(prefix)/" } },
                      policyTests: [{ name: "the prefix", caller: "anonymous", route: "nos.token",
                        parameters: { object: "\(expected)/a" }, expect: "allow" }],
                      reload: { watch: false },
                    """)
        }
        try Service.run(setup("one", "one"), .epoll) { service in
            func verdict(_ prefix: String) throws -> JSON? {
                let body = #"{"caller":"anonymous","route":"nos.token","parameters":{"object":"\#(prefix)/a"}}"#
                return try service.admin.post("/explain", json: body).json["verdict"]
            }
            #expect(try verdict("one") == "allow")
            try service.replaceConfiguration(with: setup("two", "one"), .epoll)
            service.process.signal(SIGHUP)
            let log = try service.process.waitForError(holding: "configuration not reloaded")
            #expect(log.contains("the prefix"), "\(log)")
            #expect(try verdict("one") == "allow" && verdict("two") == "deny")
            try service.get("/nos/token?object=one/a").expectSuccess()
            try service.reload(setup("two", "two"), .epoll, generation: 2)
            #expect(try verdict("two") == "allow" && verdict("one") == "deny")
            try service.get("/nos/token?object=two/a").expectSuccess()
        }
    }

    // MARK: Usage

    @Test func `a mistake on the command line is 2, and says what would be right`() throws {
        let path = try Service.shared(.open, .epoll).configuration
        for (command, arguments, reason) in [
            ("mint", [], "--caller"), ("mint", ["--caller", "alice"], "apiKey:ID"),
            ("mint", ["--caller", "anonymous"], "--route or --grant"),
            ("mint", ["--caller", "anonymous", "--route", "qiniu.uptokn"], "did you mean qiniu.uptoken?"),
            ("mint", ["--caller", "anonymous", "--route", "qiniu.callback"], "there is no route"),
            ("mint", ["--caller", "anonymous", "--grant", "photo"], "did you mean photos?"),
            ("explain", ["--caller", "anonymous", "--grant", "photos", "--parameter", "key"], "NAME=VALUE"),
            (
                "explain", ["--caller", "anonymous", "--grant", "photos", "--parameter", "key@/no/such"],
                "cannot be read"
            ),
            ("explain", ["--caller", "anonymous", "--grant", "photos", "--at", "now"], "2027-01-01T00:00:00Z"),
            ("explain", ["--caller", "anonymous", "--grant", "photos", "--claims", "[]"], "JSON object"),
            ("mint", ["--caller", "anonymous", "--at", "2027-01-01T00:00:00Z"], "there is no option --at"),
            ("mint", ["--caller", "anonymous", "--caller", "anonymous"], "more than once"),
            ("ticket", ["--caller", "apiKey:alice", "--route", "qiniu.uptoken"], "there is no option --route"),
            ("ticket", ["--caller", "apiKey:alice"], "--grant"),
            ("explain", ["--secret", "x"], "countersign help explain"),
        ] {
            let outcome = try run(command, path, arguments)
            #expect(outcome.code == 2 && outcome.out.isEmpty, "\(arguments): \(outcome.code) \(outcome.out)")
            #expect(outcome.err.contains(reason), "\(arguments): \(outcome.err)")
        }
        for command in ["mint", "explain", "ticket"] {
            let help = try Program.run(command, "--help")
            #expect(help.code == 0 && help.out.contains("--caller CALLER"), "\(help.out)")
            #expect(try Program.run(command, "--config", "/no/such.json5", "--caller", "anonymous").code == 3)
        }
    }

    @Test func `a grant for callbacks is told to be one`() throws {
        let service = try Service.shared(.callbacks, .epoll)
        let outcome = try run("explain", service.configuration, ["--caller", "anonymous", "--grant", "done"])
        #expect(outcome.code == 2 && outcome.err.contains("done is for a vendor's callbacks"), "\(outcome.err)")
    }
}
