import Bytes
import Crypto
import Foundation
import Testing

@testable import Configuration

@Suite("API keys that can be guessed")
struct GuessableKeyTests {
    /// A digest where a configuration has one.
    static var pattern: Regex<(Substring, Substring, Substring)> { #/(sha256: ")([0-9a-f]{64})/# }

    private static func digest(_ key: String) throws -> String {
        Hex.encode(try Digest(.sha256, of: Array(key.utf8).span).bytes.array).text
    }

    /// What is said of a configuration with these two digests; empty where it loads.
    private func complaint(_ digest: String, admin other: String = Sample.digest) -> String {
        do throws(ConfigurationError) {
            _ = try Sample.load(
                """
                { version: 1, credentials: {}, grants: {},
                  authentication: { apiKeys: [{ id: "app", sha256: "\(digest)" }] },
                  admin: { listen: "127.0.0.1:0", auth: [{ id: "ops", sha256: "\(other)" }] } }
                """)
            return ""
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ("", "the empty text"), ("test", "a sample key"), ("123456", "commonest passwords"),
        ("password", "commonest passwords"), ("letmein", "commonest passwords"), ("secret", "commonest passwords"),
    ])
    func `the digest of a key that everybody tries first is refused`(key: String, reason: String) throws {
        let digest = try Self.digest(key)
        for text in [digest, digest.uppercased()] {
            let told = complaint(text)
            #expect(told.contains("authentication.apiKeys[0].sha256: is the digest of"), "\(told)")
            #expect(told.contains(reason) && told.contains("hash-key"), "\(told)")
            let other = complaint(Sample.digest, admin: text)
            #expect(other.contains("admin.auth[0].sha256: is the digest of") && other.contains(reason), "\(other)")
        }
    }

    @Test func `others are taken`() throws {
        for key in ["the key of the tests, which nobody guesses", "Test", "test ", "123456\n", "cs_0123456789abcdef"] {
            #expect(complaint(try Self.digest(key), admin: try Self.digest(key + "!")) == "")
        }
    }

    @Test func `all thousand are refused, and there are a thousand`() throws {
        let words = CommonPasswords.text.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(words.count == 1000 && Set(words).count == 1000)
        #expect(words.first == "123456" && words.allSatisfy { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } })
        let digests = try words.map { try Digest(.sha256, of: Array($0.utf8).span).bytes.array }
        let found = try GuessableKeys.find(among: Set(digests))
        #expect(digests.allSatisfy { found[$0] != nil })
        let none = try GuessableKeys.find(among: [[UInt8](repeating: 1, count: 32)])
        #expect(none.isEmpty)
    }

    @Test func `every sample digest of the documents is refused`() throws {
        let root = Repository.path("")
        var samples: Set<String> = []
        for folder in ["", "config/", "docs/", "deploy/"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: root + folder) {
                guard [".md", ".json5", ".json", ".yaml"].contains(where: name.hasSuffix) else { continue }
                let text = try String(contentsOfFile: root + folder + name, encoding: .utf8)
                for match in text.matches(of: Self.pattern) { samples.insert(String(match.output.2)) }
            }
        }
        #expect(!samples.isEmpty)
        for sample in samples {
            let told = complaint(sample)
            #expect(told.contains("is the digest of a sample key of the documentation"), "\(sample): \(told)")
        }
    }
}
