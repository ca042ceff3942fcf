import Foundation
import TestTraits
import Testing

@testable import TestService

/// What README shows, with config/demo.json5 as it stands in the repository and the real curl.
@Suite("The demonstration through curl", .waiting)
struct CurlTests {
    static func curl(_ arguments: [String], folder: String? = nil) throws -> Program.Outcome {
        try Program(
            "curl", ["--silent", "--show-error", "--max-time", "60", "--noproxy", "*"] + arguments, folder: folder
        )
        .wait()
    }

    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }

    /// The commands of README's "Ask it" as they stand there, but for the ports.
    @Test func `a file goes to Kodo and comes back as README says`() throws {
        let readme = try CurlTests.text("README.md")
        let block = try #require(readme.components(separatedBy: "```\n").first { $0.hasPrefix("$ printf") })
        let commands = block.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }
        #expect(commands.count == 4)
        try demonstrate { base, folder, sandbox in
            let script = (["set -euo pipefail"] + commands).joined(separator: "\n")
                .replacing("http://localhost:8080", with: base)
                .replacing("localhost:8090", with: "localhost:\(sandbox)")
            let done = try Program("bash", ["-c", script], environment: ["no_proxy": "*"], folder: folder).wait()
            #expect(done.code == 0, "\(done.out)\(done.err)")
            let answers = block.split(separator: "\n").filter { !$0.hasPrefix("$ ") }
            // The token has another end each time, and so another signature. Kodo ends no line.
            let lines = done.out.split(separator: "\n")
            #expect(answers.count == 3 && lines.first?.count == answers[0].count)
            #expect(lines.dropFirst().joined() == answers.dropFirst().joined())
        }
    }

    /// The demonstration in a folder like the repository's, on ports of the system's choice.
    private func demonstrate(_ body: (_ base: String, _ folder: String, _ sandbox: UInt16) throws -> Void) throws {
        let demo = try CurlTests.text("config/demo.json5")
        let listener = #"listen: "127.0.0.1:8080""#
        let endpoints = #"endpoints: "http://127.0.0.1:8090""#
        try #require(demo.contains(listener) && demo.contains(endpoints))
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let keys = "\(folder)/local/demo/keys"
        for path in ["\(folder)/config"] + ["qiniu", "netease", "alibaba"].map({ "\(keys)/\($0)" }) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try Keeper.write(Setup.qiniuSecret + "\n", to: keys + "/qiniu/demo-qiniu-access-key")
        try Keeper.write(Setup.nosSecret + "\n", to: keys + "/netease/demo-nos-access-key")
        try Keeper.write(Setup.ossSecret + "\n", to: keys + "/alibaba/demo-oss-access-key")
        // It makes the key that is missing.
        let sandbox = try RunningSandbox(data: folder + "/local/demo")
        let text = demo.replacing("127.0.0.1:8081", with: "127.0.0.1:0").replacing(
            listener, with: #"listen: "127.0.0.1:0""#
        ).replacing(endpoints, with: #"\#(Setup.patient) endpoints: "http://127.0.0.1:\#(sandbox.port)""#)
            .replacing("localhost:8090", with: "localhost:\(sandbox.port)")
        try Keeper.write(AuditTrail.key + "\n", to: folder + "/local/demo/audit-key")
        try Keeper.write(text, to: folder + "/config/demo.json5")
        let process = try Program(
            Program.countersign, ["serve", "--config", "config/demo.json5"], folder: folder)
        defer { _ = process.stop() }
        let log = try process.waitForError(holding: "listening address=127.0.0.1:")
        let port = try #require(log.firstMatch(of: #/listening address=127\.0\.0\.1:(\d+)/#)?.output.1)
        try withExtendedLifetime(sandbox) {
            try body("http://localhost:\(port)", folder, sandbox.port)
        }
    }

    /// The commands as they stand in docs/examples.md, but for the ports.
    @Test func `a file goes to each vendor's side and comes back as the examples say`() throws {
        let examples = try CurlTests.text("docs/examples.md")
        let block = try #require(examples.components(separatedBy: "```\n").first { $0.hasPrefix("$ field()") })
        let commands = block.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }
        #expect(commands.count == 11 && commands.count { $0.contains("| cmp - a.jpg") } == 3)
        try demonstrate { base, folder, sandbox in
            let script = (["set -euo pipefail"] + commands).joined(separator: "\n")
                .replacing("http://localhost:8080", with: base)
                .replacing("localhost:8090", with: "localhost:\(sandbox)")
            let done = try Program("bash", ["-c", script], environment: ["no_proxy": "*"], folder: folder).wait()
            #expect(done.code == 0, "\(done.out)\(done.err)")
            let picture = try Data(contentsOf: URL(filePath: folder + "/a.jpg"))
            for path in ["qiniu/demo-media/photos/a.jpg", "netease/demo-files/a.jpg", "alibaba/demo-bucket/demo/a.jpg"]
            {
                let object = URL(filePath: "\(folder)/local/demo/objects/\(path)")
                #expect(try Data(contentsOf: object) == picture, "\(path)")
            }
        }
    }

    @Test func `the four kinds of commands work as README says`() throws {
        try demonstrate { base, folder, _ in
            let qiniu = try JSON(try CurlTests.curl(["\(base)/qiniu/uptoken?key=photos/a.jpg"]).out)
            let upload = try UploadTokenReading(qiniu: qiniu["uptoken"]?.string, secret: Setup.qiniuSecret)
            #expect(upload.policy["scope"] == "demo-media:photos/a.jpg")
            let nos = try JSON(try CurlTests.curl(["\(base)/nos/token?object=anne.jpg"]).out)
            let other = try UploadTokenReading(nos: nos["token"]?.string, secret: Setup.nosSecret)
            #expect(other.policy["Object"] == "anne.jpg")
            let session = try JSON(try CurlTests.curl(["\(base)/distribute-token.json"]).out)
            #expect(session["StatusCode"] == 200)
            #expect(session["AccessKeyId"]?.string?.hasPrefix("STS.SANDBOX") == true)
            let string = Signable().text
            try Keeper.write(string, to: folder + "/string.txt")
            let expected = JSON.string(OSSAuthorization.expected(string, accessKey: "demo-oss-access-key"))
            let form = ["--data-urlencode", "contentToSign@string.txt", "\(base)/oss/sign"]
            for arguments in [form, ["-G"] + form] {
                let answer = try CurlTests.curl(arguments, folder: folder)
                #expect(try JSON(answer.out)["authorization"] == expected, "\(answer.out)\(answer.err)")
            }
            let json = string.replacing("\n", with: "\\n")
            let posted = try CurlTests.curl(
                ["--json", "{\"contentToSign\": \"\(json)\"}", "\(base)/oss/sign"], folder: folder)
            #expect(try JSON(posted.out)["authorization"] == expected, "\(posted.out)\(posted.err)")
            let plain = ["-H", "Content-Type: text/plain", "-H", "Accept: text/plain", "--data-binary", "@string.txt"]
            let bare = try CurlTests.curl(plain + ["\(base)/oss/sign"], folder: folder)
            #expect(.string(bare.out) == expected)
        }
    }

    @Test func `forms and streams are given as README says`() throws {
        try demonstrate { base, _, _ in
            let form = try CurlTests.curl(["\(base)/oss/post-policy?key=forms/a.png&contentType=image/png"])
            let posted = try PostedForm(try JSON(form.out), accessKey: "demo-oss-access-key")
            #expect(posted.fault(size: 10_485_760) == nil)
            #expect(posted.fault(size: 10_485_761) == "content-length-range")
            let stream = try CurlTests.curl(["\(base)/oss/rtmp-url?playlist=live.m3u8"])
            let url = try JSON(stream.out)["url"]?.string
            #expect(try Verified.stream(url, accessKey: "demo-oss-access-key").url.path == "/live/stage")
        }
    }

    @Test func `requests and URLs of OSS are signed as README shows`() throws {
        try demonstrate { base, _, sandbox in
            let header = ["-G", "-d", "header=content-type:image/jpeg"]
            for arguments in [
                ["\(base)/oss/presigned-url?key=demo/a.jpg"],
                header + ["\(base)/oss/authorization?key=demo/a.jpg&method=PUT"],
            ] {
                let answer = try JSON(try CurlTests.curl(arguments).out)
                let request = try SentOSSRequest(answer, accessKey: "demo-oss-access-key")
                #expect(request.url.host == "demo-bucket.oss.localhost:\(sandbox)")
                #expect(request.url.key == "demo/a.jpg")
            }
        }
    }

    @Test func `curl's other ways are understood: HEAD, -f, keep-alive, chunked uploads, Expect`() throws {
        try demonstrate { base, folder, _ in
            let head = try CurlTests.curl(["--head", "\(base)/qiniu/uptoken?key=photos/a.jpg"])
            #expect(head.out.hasPrefix("HTTP/1.1 200 OK\r\n"))
            let failed = try CurlTests.curl(["--fail", "\(base)/qiniu/uptoken?kez=photos/a.jpg"])
            #expect(failed.code == 22)
            let both = try CurlTests.curl(
                ["--write-out", "%{num_connects} ", "-o", "/dev/null", "-o", "/dev/null"]
                    + ["\(base)/livez", "\(base)/nos/token?object=a"])
            #expect(both.out == "1 0 ", "the second request has its own connection")
            try Keeper.write(#"{"object": "a"}"#, to: folder + "/body.json")
            let upload = ["-H", "Content-Type: application/json", "--data-binary", "@body.json", "\(base)/nos/token"]
            for extra in [["-H", "Transfer-Encoding: chunked"], ["-H", "Expect: 100-continue"], ["--http1.0"]] {
                let answer = try CurlTests.curl(extra + upload, folder: folder)
                #expect(try JSON(answer.out)["object"] == "a", "\(extra): \(answer.out)\(answer.err)")
            }
        }
    }

    @Test func `what README shows as refused is refused, and says what would be right`() throws {
        try demonstrate { base, _, _ in
            let unknown = try JSON(try CurlTests.curl(["\(base)/qiniu/uptoken?kez=photos/a.jpg"]).out)
            #expect(unknown["code"] == "unknown_parameter")
            #expect(unknown["detail"] == "kez is not known; did you mean key?")
            let foreign = try JSON(try CurlTests.curl(["\(base)/qiniu/uptoken?key=private/a.jpg"]).out)
            #expect(foreign["code"] == "not_in_grant")
            #expect(foreign["clause"] == "keyPrefix")
            let short = try JSON(try CurlTests.curl(["\(base)/distribute-token.json?expires=60"]).out)
            #expect(short["ErrorCode"] == "invalid_parameter" && short["StatusCode"] == 400)
        }
    }
}
