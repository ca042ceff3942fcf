import Crypto
import Foundation
import TestTraits
import Testing

@testable import TestService

/// `countersign inspect` on what the service gives out.
@Suite("inspect", .waiting)
struct InspectTests {
    private func inspect(
        _ text: String, _ arguments: String..., environment: [String: String] = Setup.environment,
        folder: String? = nil
    ) throws -> Program.Outcome {
        let input = try Keeper.write(text, to: Keeper.makeFolder() + "/input")
        return try Program(
            Program.countersign, ["inspect"] + arguments, environment: environment, folder: folder, input: input
        ).wait()
    }

    private static let secrets = [
        Setup.qiniuSecret, Setup.nosSecret, Setup.ossSecret, Setup.cdnKey,
    ]

    // MARK: What a running service gives

    /// Expects that an answer of the service is genuine by its configuration, as text and as JSON.
    private func expectGenuine(_ service: Service, _ target: String, _ kind: String) throws {
        let answer = try service.get(target)
        answer.expectSuccess()
        let text = try inspect(answer.text, "--config", service.configuration)
        #expect(text.code == 0, "\(target): \(text.out)\(text.err)")
        #expect(text.out.hasPrefix("\(kind): genuine\n"), "\(target): \(text.out)")
        #expect(!text.out.contains("\u{1B}"), "\(target)")
        let json = try inspect(answer.text, "--format", "json", "--config", service.configuration)
        let report = try JSON(json.out)
        #expect(report["kind"] == .string(kind) && report["verdict"] == "genuine", "\(json.out)")
        #expect(report["expiresAt"]?.string?.hasSuffix("Z") == true)
        let checks = try #require(report["checks"]?.list)
        #expect(checks.contains { $0["name"] == "signature" && $0["outcome"] == "holds" }, "\(json.out)")
        #expect(checks.allSatisfy { $0["outcome"] == "holds" && $0["reason"]?.string != nil }, "\(json.out)")
        let alone = try inspect(answer.text, "--format", "json", folder: Keeper.makeFolder())
        #expect(alone.code == 0, "\(alone.out)\(alone.err)")
        #expect(try JSON(alone.out)["verdict"] == "unverified")
        let facts = try [alone.out, json.out].map { text in
            // By which method a URL is asked, the signature tells.
            try JSON(text)["facts"]?.list?.filter { $0["name"] != "method" }
        }
        #expect(facts[0] == facts[1] && facts[0]?.isEmpty == false)
        for outcome in [text, json, alone] {
            #expect(!InspectTests.secrets.contains { (outcome.out + outcome.err).contains($0) }, "\(target)")
        }
    }

    @Test func `upload tokens are genuine`() throws {
        let service = try Service.shared(.open, .epoll)
        try expectGenuine(service, "/qiniu/uptoken?key=photos/a.jpg", "Qiniu upload token")
        try expectGenuine(service, "/qiniu/uptoken?grant=photos", "Qiniu upload token")
        try expectGenuine(service, "/nos/token?bucket=demo-files&object=a.jpg", "NOS upload token")
    }

    @Test func `Qiniu's and NOS's URLs and requests are genuine`() throws {
        let service = try Service.shared(.requests, .epoll)
        try expectGenuine(service, "/qiniu/download-url?key=photos/a%20b.jpg", "Qiniu download URL")
        try expectGenuine(
            service, "/qiniu/download-url?key=photos/a.jpg&query=imageView2/1/w/120", "Qiniu download URL")
        try expectGenuine(service, "/qiniu/cdn-url?key=videos/a.mp4&query=v%3D1", "Qiniu CDN URL")
        try expectGenuine(
            service, "/qiniu/authorization?operation=stat&bucket=demo-media&key=photos/a", "Qiniu Authorization")
        try expectGenuine(service, "/nos/presigned-url?key=in/a%20b.jpg", "NOS presigned URL")
        try expectGenuine(
            service, "/nos/presigned-url?key=in/a.jpg&method=PUT&header=content-type:image/png", "NOS presigned URL")
        try expectGenuine(
            service, "/nos/authorization?key=in/a.jpg&method=PUT&header=x-nos-meta-a:b", "NOS Authorization")
    }

    @Test func `OSS's URLs, requests, forms and streams are genuine`() throws {
        let service = try Service.shared(.ossRequests, .epoll)
        for (version, kind) in [("v4", "OSS V4"), ("v1", "OSS V1")] {
            try expectGenuine(
                service, "/oss/presigned-url?key=in/a%20b.jpg&version=\(version)", "\(kind) presigned URL")
            try expectGenuine(
                service, "/oss/presigned-url?key=in/a&method=PUT&header=content-type:image/png&version=\(version)",
                "\(kind) presigned URL")
            try expectGenuine(
                service, "/oss/authorization?key=in/a&method=PUT&header=x-oss-meta-a:b&version=\(version)",
                "\(kind) Authorization")
        }
        let forms = try Service.shared(.forms, .epoll)
        for version in ["v4", "v1"] {
            try expectGenuine(
                forms, "/oss/post-policy?key=pictures/a.png&contentType=image/png&version=\(version)", "OSS form")
        }
        try expectGenuine(forms, "/oss/rtmp-url?playlist=live.m3u8", "OSS RTMP URL")
    }

    @Test func `a configuration that is found in the folder is named, and one that is given is not`() throws {
        let service = try Service.shared(.open, .epoll)
        let token = try service.get("/qiniu/uptoken?key=photos/a.jpg").text
        let folder = try Keeper.makeFolder()
        let configuration = """
            { version: 1, grants: {}, credentials: {
              qiniu: { provider: "qiniu", accessKey: "\(Setup.qiniuAccessKey)", secretKey: { env: "QINIU_SECRET" } } } }
            """
        _ = try Keeper.write(configuration, to: folder + "/countersign.json5")
        let variables = Setup.environment.merging(["QINIU_SECRET": Setup.qiniuSecret]) { $1 }
        let found = try inspect(token, environment: variables, folder: folder)
        #expect(found.out.hasPrefix("Qiniu upload token: genuine\n"), "\(found.out)\(found.err)")
        #expect(
            found.err
                == "countersign inspect: checks signatures by the configuration countersign.json5 of this folder\n")
        let named = try inspect(token, "--config", "countersign.json5", environment: variables, folder: folder)
        #expect(named.out.hasPrefix("Qiniu upload token: genuine\n") && named.err.isEmpty, "\(named.err)")
        #expect(try inspect(token, folder: Keeper.makeFolder()).err.isEmpty)
    }

    @Test func `a temporary key is understood, and neither its secret nor its token shown`() throws {
        let service = try Service.shared(.sandbox, .epoll)
        let answer = try service.get("/distribute-token.json")
        answer.expectSuccess()
        let hidden = try ["AccessKeySecret", "SecurityToken"].map { try #require(answer.json[$0]?.string) }
        for arguments in [["--format", "text"], ["--format", "json"]] {
            let outcome = try inspect(answer.text, arguments[0], arguments[1], "--config", service.configuration)
            #expect(outcome.code == 0, "\(outcome.out)\(outcome.err)")
            #expect(outcome.out.contains("STS credential") && outcome.out.contains("sandbox"))
            #expect(!hidden.contains { (outcome.out + outcome.err).contains($0) })
        }
    }

    @Test func `a caller's token is genuine by the configured issuer, and refused for what is wrong with it`() throws {
        let service = try Service.shared(.tokens, .epoll)
        let token = Setup.token()
        let genuine = try inspect(token, "--config", service.configuration)
        #expect(genuine.code == 0 && genuine.out.hasPrefix("JWT: genuine\n"), "\(genuine.out)\(genuine.err)")
        #expect(genuine.out.contains("jwt:login/"))
        #expect(!genuine.out.contains(token.split(separator: ".")[2]))
        let alone = try inspect(token, folder: Keeper.makeFolder())
        #expect(alone.code == 0 && alone.out.hasPrefix("JWT: unverified\n"), "\(alone.out)")
        for (text, reason) in [
            (Setup.token(expiresIn: -10), "it ended"), (Setup.token(sub: "mallory"), "authentication.deny"),
            (token.split(separator: ".").dropLast().joined(separator: ".") + ".AAAA", "its signature does not hold"),
        ] {
            let outcome = try inspect(text, "--config", service.configuration)
            #expect(outcome.code == 1 && outcome.out.hasPrefix("JWT: refused\n"), "\(outcome.out)\(outcome.err)")
            #expect(outcome.out.contains(reason), "\(outcome.out)")
        }
        #expect(try inspect(Setup.token(.hs256), "--config", service.configuration).code == 0)
        #expect(try inspect(token, "--config", Service.shared(.forms, .epoll).configuration).out.contains("no issuer"))
    }

    @Test func `a URL ticket is genuine, by itself and in its URL, and refused for what is wrong with it`() throws {
        let setup = Setup(
            name: "inspected tickets",
            rest: """
                authentication: {
                    apiKeys: [\(APIKey.alice.entry)],
                    tickets: { secret: "\(Setup.ticketSecret)", maxLifetime: "30m" },
                  },
                  grants: { "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"],
                    bucket: "media", keyPrefix: "photos/" } },
                """)
        try Service.run(setup, .epoll) { service in
            let answer = try service.post(
                "/tickets", json: #"{"grant":"photos","expires":120,"key":"photos/a.jpg"}"#, APIKey.alice.bearer)
            answer.expectSuccess()
            let ticket = try #require(answer.json["ticket"]?.string)
            for text in [answer.text, ticket, try #require(answer.json["url"]?.string)] {
                let outcome = try inspect(text, "--config", service.configuration)
                #expect(
                    outcome.code == 0 && outcome.out.hasPrefix("URL ticket: genuine\n"), "\(outcome.out)\(outcome.err)")
                #expect(outcome.out.contains("apiKey:alice/alice") && outcome.out.contains("photos/a.jpg"))
                #expect(!outcome.out.contains(ticket))
            }
            #expect(try inspect(ticket, folder: Keeper.makeFolder()).out.hasPrefix("URL ticket: unverified\n"))
            let forged = ticket.dropLast(4) + (ticket.hasSuffix("AAAA") ? "BBBB" : "AAAA")
            let refused = try inspect(String(forged), "--config", service.configuration)
            #expect(refused.code == 1 && refused.out.contains("authentication.tickets"), "\(refused.out)")
        }
    }

    // MARK: Refusals

    @Test func `what the vendor would refuse is 1, with the reason`() throws {
        let service = try Service.shared(.open, .epoll)
        let answer = try service.get("/qiniu/uptoken?key=photos/a.jpg")
        let token = try #require(answer.json["uptoken"]?.string)
        let parts = token.split(separator: ":").map(String.init)
        let forged = "\(parts[0]):AAAAAAAAAAAAAAAAAAAAAAAAAAA=:\(parts[2])"
        let text = try inspect(forged, "--config", service.configuration)
        #expect(text.code == 1)
        #expect(text.out.hasPrefix("Qiniu upload token: refused\n") && text.out.contains("signature"))
        #expect(!text.out.contains(parts[1]), "the right signature would be one to use")
        let json = try inspect(forged, "--config", service.configuration, "--format", "json")
        #expect(json.code == 1)
        let failing = try JSON(json.out)["checks"]?.list?.filter { $0["outcome"] == "fails" }
        #expect(failing?.map { $0["name"] } == ["signature"])
        // By the configuration of somebody else.
        let other = try inspect(token, "--config", Service.shared(.forms, .epoll).configuration)
        #expect(other.code == 1 && other.out.contains("no credential of the configuration has it"), "\(other.out)")
    }

    @Test func `what nobody knows is 1, an empty input is usage, and both say so in JSON, too`() throws {
        let folder = try Keeper.makeFolder()
        for (input, code, reason) in [
            ("hello", 1, "none of"), ("", 2, "nothing"), ("{\"a\":", 1, "JSON"),
            (String(repeating: "a", count: 262_145), 1, "256 KiB"),
        ] {
            let text = try inspect(input, folder: folder)
            #expect(text.code == code && text.out.isEmpty && text.err.contains(reason), "\(text)")
            let json = try inspect(input, "--format=json", folder: folder)
            #expect(json.code == code && json.err.isEmpty)
            #expect(try JSON(json.out)["reason"]?.string?.contains(reason) == true, "\(json.out)")
            #expect(try JSON(json.out)["verdict"] == "unknown")
        }
        #expect(try inspect("hello", "--secret", "x").code == 2)
    }

    @Test func `a configuration that is named has to be there and be valid`() throws {
        let folder = try Keeper.makeFolder()
        #expect(try inspect("a:b:c", "--config", folder + "/none.json5").code == 3)
        let bad = try Keeper.write("{", to: folder + "/countersign.json5")
        #expect(try inspect("a:b:c", "--config", bad).code == 3)
        #expect(try inspect("a:b:c", folder: folder).code == 3)
        #expect(try inspect("a:b:c", environment: ["COUNTERSIGN_CONFIG": "/no/such.json5"]).code == 3)
    }

    @Test func `nothing of what is inspected reaches a terminal as it is`() throws {
        let policy = Data(#"{"scope":"b:\u001b[31m\u009b\u202ex","deadline":1795000600}"#.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
        let token = "AK:AAAAAAAAAAAAAAAAAAAAAAAAAAA=:\(policy)"
        let folder = try Keeper.makeFolder()
        for format in ["text", "json"] {
            let outcome = try inspect(token, "--format", format, folder: folder)
            for scalar in ["\u{1B}", "\u{9B}", "\u{202E}"] { #expect(!outcome.out.contains(scalar), "\(outcome.out)") }
            #expect(outcome.out.contains("31m"))
        }
        let facts = try JSON(inspect(token, "--format", "json", folder: folder).out)["facts"]?.list
        #expect(facts?.contains { $0["value"] == "\u{1B}[31m\u{9B}\u{202E}x" } == true)
    }
}
