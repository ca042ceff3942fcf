import Foundation
import TestPeers
import Testing

@testable import Bytes
@testable import Crypto
@testable import Net
@testable import Sandbox

/// Kodo's side as a whole.
@Suite(.timeLimit(.minutes(20))) struct QiniuSideTests {
    private func recognises(_ method: String, _ target: String, _ fields: [(String, String)] = []) throws -> Bool {
        try KodoFixture().side.recognises(
            SandboxRequest(
                Array(method.utf8), target: Array(target.utf8),
                fields: fields.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) }))
    }

    @Test func `a request without a vendor's host is recognised by what it asks for`() throws {
        #expect(try recognises("GET", "/v4/query?ak=a&bucket=b") && recognises("GET", "/v2/query"))
        #expect(try recognises("POST", "/", KodoFixture.formType))
        #expect(try recognises("GET", "/v2/a.jpg?e=1&token=a:b") && recognises("HEAD", "/a?x&e=1&token=a:b"))
        for scheme in ["UpToken", "Qiniu", "QBox"] {
            #expect(try recognises("POST", "/x", [("Authorization", "\(scheme) a:b")]))
        }
        #expect(try !recognises("GET", "/a.jpg?e=1") && !recognises("GET", "/") && !recognises("POST", "/"))
        #expect(try !recognises("GET", "/a", [("Authorization", "OSS a:b")]))
        #expect(try !recognises("POST", "/", [("Content-Type", "application/x-www-form-urlencoded")]))
    }

    @Test func `every answer has what clients look for`() throws {
        let kodo = try KodoFixture()
        for (method, target) in [
            ("GET", "/v4/query"), ("GET", "/none"), ("PUT", "/"), ("GET", "/stat/x"),
        ] {
            let answer = try kodo.ask(method, target)
            #expect(answer.field("X-Reqid")?.count == 16 && answer.field("X-Log") != nil)
        }
    }

    @Test(arguments: [
        ("GET", "/v4/query?ak=MY_ACCESS_KEY&bucket=none", "631 no such bucket"),
        ("GET", "/v4/query?ak=none&bucket=demo-media", "631 no such bucket"),
        ("GET", "/v4/query", "631 no such bucket"),
        ("GET", "/a.jpg", "401 download token not specified"), ("PUT", "/a.jpg", "404 not found"),
        ("GET", "/stat/x", "401 token not specified"), ("POST", "/mkblk/1", "401 token not specified"),
        ("POST", "/mkblk/1/2", "404 not found"), ("POST", "/buckets/a/b", "401 token not specified"),
    ])
    func `what cannot be answered is refused with its code`(method: String, target: String, outcome: String) throws {
        #expect(try KodoFixture().ask(method, target).outcome == outcome)
    }

    @Test(arguments: [
        ("GET", "/stat/\(KodoFixture.encode("demo-media:none"))", "612 no such file or directory"),
        ("GET", "/stat/\(KodoFixture.encode("demo-media"))", "612 no such file or directory"),
        ("GET", "/stat/\(KodoFixture.encode("none:a"))", "631 no such bucket"),
        ("GET", "/stat/a=", "400 invalid argument"),
        ("POST", "/delete/\(KodoFixture.encode("demo-media:none"))", "612 no such file or directory"),
        ("GET", "/delete/\(KodoFixture.encode("demo-media:none"))", "405 method not allowed"),
        ("PUT", "/stat/\(KodoFixture.encode("demo-media:none"))", "405 method not allowed"),
        ("GET", "/list?bucket=none", "631 no such bucket"), ("GET", "/list", "631 no such bucket"),
        ("GET", "/list?bucket=demo-media&limit=1001", "400 invalid limit"),
        ("GET", "/list?bucket=demo-media&limit=x", "400 invalid limit"),
        ("GET", "/list?bucket=demo-media&marker=x", "640 invalid marker"),
        ("GET", "/list?bucket=demo-media&marker=e30=", "640 invalid marker"),
        ("GET", "/list?bucket=%", "400 invalid argument"),
        ("POST", "/mkbucketv3/demo-media/region/z0", "614 the bucket already exists and you own it."),
        ("POST", "/mkbucketv3/../region/z0", "400 invalid bucket name"), ("GET", "/bucket/none", "631 no such bucket"),
        ("GET", "/list/x", "404 not found"),
    ])
    func `management is refused with its code`(method: String, target: String, outcome: String) throws {
        let signed = [("Authorization", "QBox \(try KodoFixture.sign(target + "\n"))")]
        #expect(try KodoFixture().ask(method, target, signed).outcome == outcome)
        let other = [("Authorization", "QBox \(try KodoFixture.sign(target + "x\n"))")]
        #expect(try KodoFixture().ask(method, target, other).outcome == "401 bad token")
    }

    /// Skipped in a bare `swift test`; scripts/test names a Python that has the vendor's packages, and accepts no skipped test.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"] != nil))
    func `the vendor's SDK uploads, resumes, reads back and lists, and gets its refusals`() throws {
        let python = try #require(ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"])
        let folder = FileManager.default.temporaryDirectory.appending(path: "kodo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let anyPort = try #require(HostPort("127.0.0.1:0"))
        // Free when the listener is gone.
        let callbackPort = try LoopbackSocket(anyPort).address.port
        let callbackHost = try #require(HostPort("127.0.0.1:\(callbackPort)"))
        let sandbox = try Sandbox(
            try AccountFolder(folder.path), roles: [], callbackHosts: [callbackHost], data: folder.path)
        let server = try SandboxServer(sandbox, on: anyPort)
        let thread = Thread { server.run() }
        thread.start()
        defer { server.stop() }
        let accessKey = "demo-qiniu-access-key"
        let secret = try String(contentsOf: folder.appending(path: "keys/qiniu/\(accessKey)"), encoding: .utf8)
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Python/sandbox_qiniu.py")
        let said = try Shell.run([
            python, "-W", "ignore", script.path, "\(server.address)", accessKey, secret, "\(callbackPort)",
        ])
        let text = String(decoding: said, as: UTF8.self)
        #expect(text.contains("all SDK checks passed"), "\(text)")
    }
}
