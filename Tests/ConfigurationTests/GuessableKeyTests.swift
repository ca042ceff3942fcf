import Bytes
import Crypto
import Foundation
import Testing

@testable import Configuration

@Suite("API keys and secrets that can be guessed: R10")
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
            #expect(told.contains(reason) && told.contains("make-key"), "\(told)")
            let other = complaint(Sample.digest, admin: text)
            #expect(other.contains("admin.auth[0].sha256: is the digest of") && other.contains(reason), "\(other)")
        }
    }

    @Test(arguments: [
        ("password", "few different"), ("administrator", "too short"), ("letmein!2026", "at most 84 bits"),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "few different"),
        ("12345678123456781234567812345678", "again and again"), ("73190582647", "at most 44 bits"),
        ("0dd4d7a3b1e94f3ca1c8", "20 such characters"),
    ])
    func `a key that could be tried until it is found is called weak`(key: String, reason: String) {
        let weakness = GuessableKeys.weakness(ofAPIKey: Array(key.utf8))
        #expect(weakness?.contains(reason) == true, "\(weakness ?? "not weak")")
        #expect(weakness?.contains(key) == false)
    }

    @Test(arguments: [
        "hSzNgtAuhGR_BwC8pfv2hSzNgtAuhGR0BwC8pfv2abc", "9f86d081884c7d659a2feaa0c55ad015",
        "3a918f5f825789923a918f5f82578992",
    ])
    func `a long random key is not called weak`(key: String) {
        #expect(GuessableKeys.weakness(ofAPIKey: Array(key.utf8)) == nil)
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

    /// Where a secret of the operator's own making stands.
    private static let fields = ["authentication.jwt[0].secret", "authentication.tickets.secret", "audit.key"]

    /// What is said of a configuration with this secret in one of the fields.
    private func complaint(of secret: String, at field: String) throws -> String {
        let text = String(decoding: try JSONEncoder().encode(secret), as: UTF8.self)
        let (jwt, tickets, audit) = (
            field == Self.fields[0] ? text : nil, field == Self.fields[1] ? text : nil,
            field == Self.fields[2] ? text : nil
        )
        let issuer = #"id: "in", issuer: "in", audience: "a", algorithms: "HS256""#
        do throws(ConfigurationError) {
            _ = try Sample.load(
                """
                { version: 1, credentials: {}, grants: {},
                  authentication: {
                    \(jwt.map { "jwt: [{ \(issuer), secret: \($0) }]," } ?? "")
                    \(tickets.map { "tickets: { secret: \($0) }," } ?? "") },
                  \(audit.map { "audit: { file: 'a', key: \($0) }," } ?? "") }
                """)
            return ""
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        (String(repeating: "a", count: 32), "few different bytes"), (String(repeating: "Zq7!kP0x", count: 5), "short"),
        ("Zq7!kP0xZq7!kP0xZq7!kP0xZq7!kP0xZq7", "short pattern"), (String(repeating: "0110101", count: 9), "few"),
        ("1234567123456712345671234567123456", "few"), (String(repeating: "secret", count: 6), "short pattern"),
        (String(repeating: "your-256-bit-secret", count: 2), "sample key"),
        ("your-512-bit-secret-------------", "sample key"), ("00000000000your-256-bit-secret===", "sample key"),
        ("a-string-secret-at-least-256-bits-long", "sample key"),
        ("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow", "sample key"),
        ("0123456789abcdef0123456789abcdef", "sample key"), (String(repeating: "1234567890", count: 4), "password"),
        ("password000000000000000000000000", "commonest passwords"),
        ("qwertyuiopqwertyuiopqwertyuiopqwerty", "commonest passwords"),
    ])
    func `a secret that everybody tries first is refused, repeated or padded, and not shown`(
        secret: String, reason: String
    ) throws {
        for field in Self.fields {
            let told = try complaint(of: secret, at: field)
            #expect(told.contains("\(field): is made of") && told.contains(reason), "\(told)")
            #expect(told.contains("32 random bytes") && told.contains("openssl rand -hex 32"), "\(told)")
            #expect(!told.contains(secret), "\(told)")
        }
    }

    @Test func `secrets made at random are taken, and so are those that only have a word in them`() throws {
        var secrets = (0..<200).map { _ in Hex.encode((0..<32).map { _ in .random(in: .min ... .max) }).text }
        secrets += (0..<200).map { _ in
            Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        }
        secrets += ["password-of-the-tickets-2f8c61d09", "2f8c61d09b-your-256-bit-secret-7a"]
        for (index, secret) in secrets.enumerated() {
            #expect(try complaint(of: secret, at: Self.fields[index % 3]) == "")
        }
    }

    @Test func `a secret that is too short is told so, and no more`() throws {
        for field in Self.fields {
            let told = try complaint(of: "secret", at: field)
            #expect(told.contains("\(field): must have at least 32 bytes (R10)"), "\(told)")
            #expect(!told.contains("made of"), "\(told)")
        }
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
            #expect(told.contains("is the digest of a sample key of documentation"), "\(sample): \(told)")
        }
    }
}
