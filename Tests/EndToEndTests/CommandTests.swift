import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("The command line", .waiting)
struct CommandTests {
    // MARK: version, help, usage

    @Test func `version says its number, as text and as JSON`() throws {
        for arguments in [["version"], ["--version"]] {
            let outcome = try Program(Program.countersign, arguments).wait()
            #expect(outcome.code == 0)
            #expect(outcome.out.wholeMatch(of: #/countersign \d+\.\d+\.\d+\n/#) != nil, "\(outcome.out)")
        }
        let outcome = try Program.run("version", "--format", "json")
        #expect(outcome.code == 0)
        #expect(try JSON(outcome.out)["version"]?.string?.isEmpty == false)
    }

    @Test func `an unknown command or option is usage, and says what there is`() throws {
        let calls = [
            [], ["serv"], ["serve", "--secret", "x"], ["serve", "--secret-key=x"], ["check", "--config"],
            ["check", "--config", ""], ["check", "--format", "xml"], ["check", "--format"], ["version", "extra"],
            ["init", "-x"], ["--config", "x"], ["mnt"], ["help", "mnt"], ["--config"], ["--config", "x", "version"],
            ["init", "--provider", "qiniux"], ["init", "--callers", "nobody"], ["check", "--", "extra"],
        ]
        for call in calls {
            let outcome = try Program(Program.countersign, call).wait()
            #expect(outcome.code == 2, "\(call): \(outcome.out)\(outcome.err)")
            #expect(outcome.out.isEmpty && !outcome.err.isEmpty, "\(call)")
            if !call.isEmpty { #expect(outcome.err.split(separator: "\n").count == 1, "\(outcome.err)") }
        }
        #expect(try Program.run("serv").err.contains("did you mean serve?"))
        #expect(try Program.run("serv").err.hasSuffix("did you mean serve? `countersign help` says more\n"))
        #expect(try Program.run("serve", "--secret", "x").err.contains("; `countersign help serve` says more"))
        let help = try Program.run("--help")
        #expect(help.code == 0 && help.err.isEmpty)
        for command in [
            "init", "serve", "check", "mint", "ticket", "explain", "inspect", "make-key", "hash-key", "audit",
            "healthcheck",
            "api", "version",
        ] {
            #expect(help.out.contains(command))
            let own = try Program.run(command, "--help")
            #expect(own.code == 0 && own.err.isEmpty && own.out.hasPrefix("usage: countersign \(command)"))
            #expect(try Program.run("help", command).out == own.out)
        }
    }

    @Test func `check reads standard input as the configuration, and relative paths begin at the current folder`()
        throws
    {
        let folder = try Keeper.makeFolder()
        let path = try Setup.open.write(to: folder, transport: .epoll)
        func check(in folder: String, _ arguments: String...) throws -> Program.Outcome {
            try Program(
                Program.countersign, ["check", "--config", "-"] + arguments, environment: Setup.environment,
                folder: folder, input: path
            ).wait()
        }
        let checked = try check(in: folder)
        #expect(checked.code == 0 && checked.out.hasPrefix("standard input is valid"), "\(checked.out)\(checked.err)")
        let printed = try check(in: folder, "--print")
        #expect(printed.code == 0, "\(printed.err)")
        #expect(try JSON(printed.out)["grants"]?["photos"]?["bucket"] == "demo-media")
        // The secret of Qiniu is in `secrets/qiniu`.
        let elsewhere = try check(in: Keeper.makeFolder())
        #expect(elsewhere.code == 3 && elsewhere.err.contains("standard input: "), "\(elsewhere.err)")
        #expect(elsewhere.err.contains("credentials.qiniu.secretKey"), "\(elsewhere.err)")
    }

    @Test func `the configuration may be named before the command, and in short`() throws {
        let folder = try Keeper.makeFolder()
        let path = try Setup.open.write(to: folder, transport: .epoll)
        for call in [
            ["--config", path, "check"], ["--config=\(path)", "check"], ["-c", path, "check"], ["check", "-c", path],
        ] {
            let outcome = try Program(Program.countersign, call, environment: Setup.environment).wait()
            #expect(outcome.code == 0 && outcome.out.hasPrefix("\(path) is valid"), "\(call): \(outcome.err)")
        }
    }

    // MARK: check

    private func withConfiguration<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try body(try Keeper.write(text, to: folder + "/c.json5"))
    }

    private static let bad = """
        {
          version: 1,
          sever: {},
          credentials: {
            "qiniu": { provider: "qiniu", accessKey: "AK", secretKey: "inline-secret-value" },
          },
          grants: {
            "g": {
              route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"],
              bucket: "b", keyPrefix: "p/", lifetime: "ten minutes",
            },
          },
        }
        """

    @Test func `check finds nothing wrong with a good configuration`() throws {
        let folder = try Keeper.makeFolder()
        let path = try Setup.open.write(to: folder, transport: .epoll)
        let outcome = try Program.run("check", "--config", path, environment: Setup.environment)
        #expect(outcome.code == 0)
        // Its grants of one route are told apart by the parameter grant.
        let warnings = outcome.err.split(separator: "\n")
        #expect(
            warnings.allSatisfy { $0.hasPrefix("warning: grants.") && $0.contains("ambiguous_grant") },
            "\(outcome.err)")
        #expect(outcome.out.contains("is valid"))
        let json = try Program.run("check", "--config", path, "--format", "json", environment: Setup.environment)
        #expect(json.code == 0)
        #expect(try JSON(json.out)["valid"] == true)
        #expect(try JSON(json.out)["problems"] == .list([]))
        // By the environment, and by the name that needs no telling.
        let environment = Setup.environment.merging(["COUNTERSIGN_CONFIG": path]) { $1 }
        #expect(try Program.run("check", environment: environment).code == 0)
        #expect(try Program.run("check", environment: Setup.environment, folder: folder).code == 0)
        #expect(!(outcome.out + json.out).contains("secret-of-the"))
    }

    @Test func `check counts in the singular, too`() throws {
        let text = """
            { version: 1, credentials: { "q": { provider: "qiniu", accessKey: "A", secretKey: { env: "SK" } } },
              grants: { "g": { route: "qiniu.uptoken", credential: "q", callers: ["anonymous"], public: true, bucket: "b",
                keyPrefix: "p/" } } }
            """
        try withConfiguration(text) { path in
            let outcome = try Program.run("check", "--config", path, environment: ["SK": "a-secret-of-the-tests"])
            #expect(outcome.out.contains("is valid: 1 credential, 1 grant, 0 policy tests"), "\(outcome.out)")
        }
    }

    @Test func `check says everything that is wrong at once, each with its path, line and column`() throws {
        try withConfiguration(CommandTests.bad) { path in
            let outcome = try Program.run("check", "--config", path)
            #expect(outcome.code == 3)
            #expect(outcome.out.isEmpty)
            for problem in [
                "\(path): line 3, column 3: sever: is not known; did you mean server?",
                "\(path): line 9, column 52: grants.g.callers", "(R10)",
                "\(path): line 10, column 37: grants.g.lifetime: must be a duration",
            ] {
                #expect(outcome.err.contains(problem), "\(outcome.err)")
            }
            #expect(outcome.err.split(separator: "\n").count == 3)
            #expect(!outcome.err.contains("inline-secret-value"))
            let json = try Program.run("check", "--config", path, "--format", "json")
            #expect(json.code == 3)
            let report = try JSON(json.out)
            #expect(report["valid"] == false)
            let problems = try #require(report["problems"]?.list)
            #expect(problems.count == 3)
            #expect(problems.contains { $0["path"] == "sever" && $0["line"] == 3 && $0["column"] == 3 })
            #expect(problems.allSatisfy { $0["reason"]?.string?.isEmpty == false })
        }
    }

    @Test(
        "a configuration that cannot be used is 3 for check, serve and healthcheck, with the reason",
        arguments: [
            ("{", "line 1"), ("", "line 1"), ("{ version: 2, credentials: {}, grants: {} }", "version"),
            ("{ version: 1, version: 1, credentials: {}, grants: {} }", "only once"),
            ("{ version: 1, credentials: {} }", "needs grants"),
            ("{ version: 1, credentials: {}, grants: {}, server: { listen: [] } }", "listen"),
            ("{ version: 1, credentials: {}, grants: {}, server: { listen: \"0.0.0.0:0\" } }", "plaintext"),
            ("{ version: 1, credentials: {}, grants: {}, server: { listen: \"127.0.0.1\" } }", "listen"),
            ("{ version: 1, credentials: {}, grants: {}, server: { listen: \"127.0.0.1:65536\" } }", "listen"),
            ("{ version: 1, credentials: {}, grants: {}, server: { transport: \"kqueue\" } }", "transport"),
            (
                #"{ version: 1, credentials: { "q": { provider: "qiniu", accessKey: "A", secretKey: { env: "NO_SUCH" } } }, grants: {} }"#,
                "NO_SUCH"
            ),
            (
                #"{ version: 1, credentials: { "q": { provider: "qiniu", accessKey: "A", secretKey: { file: "none" } } }, grants: {} }"#,
                "cannot be read"
            ),
        ])
    func unusable(_ text: String, _ reason: String) throws {
        try withConfiguration(text) { path in
            // Whoever only asks whether it answers reads no secret, and misses none.
            let isOfSecrets = reason == "NO_SUCH" || reason == "cannot be read"
            for command in ["check", "serve"] + (isOfSecrets ? [] : ["healthcheck"]) {
                let outcome = try Program.run(command, "--config", path)
                #expect(outcome.code == 3, "\(command): \(outcome.code) \(outcome.err)")
                #expect(outcome.err.contains(path) && outcome.err.contains(reason), "\(command): \(outcome.err)")
            }
        }
    }

    @Test func `a configuration that is not there is 3 and says what to do`() throws {
        for command in ["check", "serve", "healthcheck"] {
            let outcome = try Program.run(command, "--config", "/no/such/file.json5")
            #expect(outcome.code == 3)
            #expect(outcome.err.contains("/no/such/file.json5") && outcome.err.contains("countersign init"))
        }
    }

    @Test func `a secret that everybody on the machine can read is refused`() throws {
        let folder = try Keeper.makeFolder()
        let path = try Setup.open.write(to: folder, transport: .epoll)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder + "/secrets/qiniu")
        let file = try Program.run("check", "--config", path, environment: Setup.environment)
        #expect(file.code == 3)
        #expect(file.err.contains("chmod 600") && file.err.contains("secrets/qiniu"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/secrets/qiniu")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let inline = try Program.run("serve", "--config", path, environment: Setup.environment)
        #expect(inline.code == 3)
        #expect(inline.err.contains("chmod 600"))
        #expect(!(file.err + inline.err).contains("secret-of-the"))
    }

    /// Gives what a set-up consists of other modes, and tries it.
    private func attempt(_ path: String, _ mode: Int, _ command: String) throws -> Program.Outcome {
        let folder = try Keeper.makeFolder()
        let configuration = try Setup.open.audited().write(to: folder, transport: .epoll)
        let file = folder + path
        if !FileManager.default.fileExists(atPath: file) { try Keeper.write("", to: file) }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return try Program.run(command, "--config", configuration, environment: Setup.environment)
    }

    @Test(arguments: [
        ("/countersign.json5", 0o660, "chmod g-w"), ("/countersign.json5", 0o602, "chmod o-w"),
        ("/secrets/qiniu", 0o620, "chmod g-w"), ("/secrets/audit", 0o660, "chmod g-w"),
        ("/secrets", 0o770, "chmod g-w"),
        ("/secrets", 0o777, "chmod o-w"), ("", 0o707, "chmod o-w"),
    ])
    func `a file that another user can change, or put another in its place, is refused, as ssh does with its keys`(
        _ path: String, _ mode: Int, _ advice: String
    ) throws {
        for command in ["check", "serve"] {
            let outcome = try attempt(path, mode, command)
            #expect(outcome.code == 3 && outcome.err.contains(advice), "\(command): \(outcome.err)")
        }
    }

    @Test(arguments: [
        ("/audit", 0o770, "chmod g-w"), ("/audit", 0o702, "chmod o-w"), ("/audit/a.jsonl", 0o660, "chmod g-w"),
    ])
    func `an audit that another user can change, or put another in its place, is not begun`(
        _ path: String, _ mode: Int, _ advice: String
    ) throws {
        for command in ["check", "serve"] {
            let outcome = try attempt(path, mode, command)
            #expect(outcome.code == 3 && outcome.err.contains(advice), "\(command): \(outcome.err)")
            #expect(outcome.err.contains("audit.file: "), "\(command): \(outcome.err)")
        }
    }

    @Test func `check warns of an audit's folder that does not exist, without which serve does not start`() throws {
        let folder = try Keeper.makeFolder()
        let configuration = try Setup.open.audited().write(to: folder, transport: .epoll)
        try FileManager.default.removeItem(atPath: folder + "/audit")
        let check = try Program.run("check", "--config", configuration, environment: Setup.environment)
        #expect(check.code == 0 && check.err.contains("audit.file: the folder"), "\(check.err)")
        let serve = try Program.run("serve", "--config", configuration, environment: Setup.environment)
        #expect(serve.code == 1 && serve.err.contains("cannot start"), "\(serve.err)")
    }

    // MARK: init, make-key and hash-key

    private static let vendorSecrets = [
        "QINIU_SECRET_KEY": "q-secret", "NOS_SECRET_KEY": "n-secret", "OSS_SECRET_KEY": "o-secret",
        "STS_SECRET_KEY": "s-secret",
    ]

    @Test func `init writes a configuration that only its owner may read, and never over another`() throws {
        let folder = try Keeper.makeFolder()
        let path = folder + "/new.json5"
        let outcome = try Program.run("init", "--config", path)
        #expect(outcome.code == 0)
        #expect(outcome.out.contains(path))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let again = try Program.run("init", "--config", path)
        #expect(again.code == 1)
        #expect(again.err.contains(path))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        // A link to nowhere is something that is there, too.
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/elsewhere")
        #expect(try Program.run("init", "--config", folder + "/link").code == 1)
        #expect(!FileManager.default.fileExists(atPath: folder + "/elsewhere"))
        #expect(try Program.run("init", "--config", folder + "/no/folder.json5").code == 1)
        // Without --config it is the name that all commands look for.
        #expect(try Program.run("init", folder: folder).code == 0)
        #expect(FileManager.default.fileExists(atPath: folder + "/countersign.json5"))
    }

    @Test func `what init writes passes check once values and secrets are set, and serves the key that it printed`()
        throws
    {
        let folder = try Keeper.makeFolder()
        let path = folder + "/new.json5"
        let written = try Program.run("init", "--config", path, "--provider", "qiniu,nos", "--provider", "oss,sts")
        #expect(written.code == 0 && written.err.isEmpty)
        let missing = try Program.run("check", "--config", path)
        #expect(missing.code == 3)
        for name in CommandTests.vendorSecrets.keys {
            #expect(missing.err.contains(name) && written.out.contains(name))
        }
        // The samples by themselves cannot be used, nor by accident.
        let unchanged = try Program.run("check", "--config", path, environment: CommandTests.vendorSecrets)
        #expect(unchanged.code == 3 && unchanged.err.contains("put your own value in place of <YOUR-BUCKET>"))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try Keeper.write(
            text.replacing("<YOUR-ROLE-ARN>", with: "acs:ram::1234567890123456:role/uploader")
                .replacing("<YOUR-AWS-ROLE-ARN>", with: "arn:aws:iam::111122223333:role/uploader")
                .replacing(#/<YOUR-[A-Z-]+>/#, with: "media"), to: path)
        let checked = try Program.run("check", "--config", path, environment: CommandTests.vendorSecrets)
        #expect(checked.code == 0, "\(checked.err)")
        let key = try #require(written.out.firstMatch(of: #/shown only now: ([A-Za-z0-9_-]{43})\n/#)?.output.1)
        #expect(!text.contains(key))
        try Keeper.write(
            try String(contentsOfFile: path, encoding: .utf8).replacing(/127\.0\.0\.1:808[01]/, with: "127.0.0.1:0"),
            to: path)
        let answer = try served(path) { client, host in
            try client.send("GET /qiniu/uptoken HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(key)\r\n\r\n")
            let answer = try client.answer()
            answer.expectSuccess()
            return answer
        }
        let reading = try UploadTokenReading(qiniu: answer.json["uptoken"]?.string, secret: "q-secret")
        #expect(reading.policy["scope"] == "media:photos/app/")
    }

    @Test func `init without a provider asks for nothing`() throws {
        let folder = try Keeper.makeFolder()
        #expect(try Program.run("init", folder: folder).code == 0)
        let checked = try Program.run("check", folder: folder)
        #expect(checked.code == 0 && checked.out.contains("0 credentials, 0 grants"), "\(checked.err)")
    }

    /// Serves a configuration that listens on a port of the system's choice.
    private func served<Result>(_ path: String, _ body: (Client, String) throws -> Result) throws -> Result {
        let process = try Program(
            Program.countersign, ["serve", "--config", path], environment: CommandTests.vendorSecrets)
        defer { _ = process.stop() }
        let log = try process.waitForError(holding: "address=127.0.0.1:")
        let port = try #require(log.firstMatch(of: #/address=127\.0\.0\.1:(\d+)/#).flatMap { UInt16($0.output.1) })
        return try body(try Client(port), "127.0.0.1:\(port)")
    }

    @Test func `make-key makes a new key each time, with the digest that a configuration wants`() throws {
        let outcome = try Program.run("make-key", "--format", "json")
        #expect(outcome.code == 0)
        let made = try JSON(outcome.out)
        let key = try #require(made["key"]?.string)
        let digest = try #require(made["sha256"]?.string)
        #expect(key.utf8.count == 43)
        #expect(digest == Digests.hex(Digests.sha256(Array(key.utf8))))
        let text = try Program.run("make-key")
        let shown = try #require(text.out.firstMatch(of: #/: ([A-Za-z0-9_-]{43})\n/#)?.output.1)
        #expect(String(shown) != key)
        #expect(text.out.contains("sha256: \"\(Digests.hex(Digests.sha256(Array(shown.utf8))))\""))
        let setup = Setup(
            name: "made",
            rest: """
                authentication: { apiKeys: [{ id: "made", sha256: "\(digest)" }] },
                grants: { "g": { route: "nos.token", credential: "nos", callers: ["apiKey:made"], bucket: "b-1",
                  keyPrefix: "${caller.id}/" } },
                """)
        try Service.run(setup, .epoll) { service in
            let answer = try service.get("/nos/token?object=made/a", "Authorization: Bearer \(key)")
            answer.expectSuccess()
            try service.get("/nos/token?object=made/a").expectProblem(401, "unauthenticated")
        }
    }

    @Test func `hash-key prints the entry for the key on standard input, and nothing for what is no key`() throws {
        let folder = try Keeper.makeFolder()
        func hash(_ text: String, _ arguments: String...) throws -> Program.Outcome {
            let file = try Keeper.write(text, to: folder + "/key")
            return try Program(Program.countersign, ["hash-key"] + arguments, input: file).wait()
        }
        let digest = Digests.hex(Digests.sha256(Array("a-key-of-mine".utf8)))
        let outcome = try hash("a-key-of-mine\n")
        #expect(outcome.code == 0 && outcome.out.contains("sha256: \"\(digest)\""))
        #expect(outcome.err.contains("warning: the key is too short: 13 such characters"), "\(outcome.err)")
        #expect(!outcome.out.contains("a-key-of-mine"))
        let json = try JSON(try hash("a-key-of-mine", "--format", "json").out)
        #expect(json["sha256"] == .string(digest) && json.names == ["sha256"])
        for text in ["", "two\nlines\n", "with space\n"] {
            let refused = try hash(text)
            #expect(refused.code == 1 && refused.out.isEmpty && refused.err.contains("make-key"), "\(text)")
        }
        #expect(try hash("", "a-key-of-mine").code == 2)
    }

    @Test func `api prints the reference, and the document that the admin listener serves`() throws {
        let text = try Program.run("api")
        #expect(text.code == 0 && text.out.hasPrefix("# The HTTP API\n"))
        let document = try Program.run("api", "--format", "json")
        #expect(document.code == 0)
        #expect(try JSON(document.out)["openapi"] == "3.1.0")
    }
}
