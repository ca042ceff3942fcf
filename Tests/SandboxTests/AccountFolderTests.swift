import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// The sandbox's accounts as files.
@Suite struct AccountFolderTests {
    /// A folder below one of the test's own.
    private final class TestFolder {
        let top: String
        var data: String { top + "/a/b" }

        init() throws {
            top =
                FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
                + "/countersign-sandbox-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: top, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }

        deinit { try? FileManager.default.removeItem(atPath: top) }

        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }

        func write(_ text: String, _ name: String, mode: Int = 0o600) throws {
            let file = "\(data)/keys/\(name)"
            try FileManager.default.createDirectory(
                atPath: URL(filePath: file).deletingLastPathComponent().path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Data(text.utf8).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        }
    }

    @Test func `what is missing is made, for its owner alone, and stays what it is`() throws {
        let testFolder = try TestFolder()
        let callers = try AccountFolder(testFolder.data).callers(of: .alibaba)
        #expect(callers.map(\.accessKeyID.text) == ["demo-oss-access-key", "demo-sts-access-key"])
        for folder in ["/a", "/a/b", "/a/b/keys", "/a/b/keys/alibaba"] {
            #expect(try testFolder.mode(testFolder.top + folder) == 0o700, "\(folder)")
        }
        var secrets: Set<String> = []
        for (vendor, accessKey) in AccountFolder.samples {
            let file = "\(testFolder.data)/keys/\(vendor.rawValue)/\(accessKey)"
            #expect(try testFolder.mode(file) == 0o600)
            let secret = try String(contentsOfFile: file, encoding: .utf8)
            #expect(secret.utf8.count == 40 && secret.utf8.allSatisfy(\.isLetterOrDigit))
            secrets.insert(secret)
        }
        #expect(secrets.count == AccountFolder.samples.count)
        #expect(try FileManager.default.contentsOfDirectory(atPath: testFolder.data + "/keys/alibaba").count == 2)

        let again = try AccountFolder(testFolder.data).callers(of: .alibaba)
        for (one, other) in zip(callers, again) { #expect(one.secret.constantTimeEquals(other.secret)) }
    }

    @Test func `what is there is read, the end of its line left out, and what is hidden is no account`() throws {
        let testFolder = try TestFolder()
        try testFolder.write("secret-of-mine\n", "alibaba/LTAI-mine")
        try testFolder.write("given", "alibaba/demo-sts-access-key")
        try testFolder.write("half", "alibaba/.demo-oss-access-key.1x")
        let callers = try AccountFolder(testFolder.data).callers(of: .alibaba)
        #expect(callers.map(\.accessKeyID.text) == ["LTAI-mine", "demo-oss-access-key", "demo-sts-access-key"])
        #expect(callers[0].secret.constantTimeEquals(Secret(Array("secret-of-mine".utf8))))
        #expect(callers[2].secret.constantTimeEquals(Secret(Array("given".utf8))))
    }

    private func expectRefusal(_ words: String, _ testFolder: TestFolder) {
        do {
            _ = try AccountFolder(testFolder.data).callers(of: .alibaba)
            Issue.record("it is taken")
        } catch { #expect("\(error)".contains(words), "\(error)") }
    }

    @Test(arguments: ["", "\n", "two words", "two\nlines", "caf\u{e9}", String(repeating: "s", count: 129)])
    func `a file that holds anything but a secret key is refused, and not shown`(text: String) throws {
        let testFolder = try TestFolder()
        try testFolder.write(text, "alibaba/LTAI")
        expectRefusal("alibaba/LTAI must hold a secret key alone", testFolder)
    }

    @Test func `what others can read or change is refused, and a name that no access key has`() throws {
        for (name, mode, words) in [
            ("LTAI", 0o604, "anybody on this machine can read"), ("LTAI", 0o620, "can change"),
            ("a b", 0o600, "whose name is no access key: a b"),
            (String(repeating: "k", count: 129), 0o600, "whose name is no access key"),
        ] {
            let testFolder = try TestFolder()
            try testFolder.write("secret", "alibaba/\(name)", mode: mode)
            expectRefusal(words, testFolder)
        }
    }

    @Test func `a folder that is none, or cannot be made, is said`() throws {
        let testFolder = try TestFolder()
        try Data().write(to: URL(filePath: testFolder.top + "/a"))
        expectRefusal("/a/b/keys/qiniu cannot be made", testFolder)
        let other = try TestFolder()
        try other.write("x", "alibaba")
        expectRefusal("/keys/alibaba is no folder", other)
    }
}
