import Bytes
import Crypto
import Foundation
import Testing

@testable import Configuration

@Suite("Samples of the documentation")
struct SampleValueTests {
    private static func text(_ listen: String, key: String = "AK-own", bucket: String = "own", secret: String = "s")
        -> String
    {
        """
        { version: 1, server: { listen: "\(listen)", plaintext: true }, admin: { listen: [] },
          audit: { file: "/tmp/audit", key: { env: "TOKEN_SECRET" } },
          credentials: { oss: { provider: "oss", accessKey: "\(key)", secretKey: "\(secret)", region: "cn-hangzhou" } },
          authentication: { apiKeys: [{ id: "app", sha256: "\(Sample.digest)" }] },
          grants: { links: { route: "oss.presigned-url", credential: "oss", callers: "apiKey:app",
            bucket: "\(bucket)", keyPrefix: "a/", methods: "GET" } } }
        """
    }

    @Test func `they are refused where others than this machine are answered`() {
        func paths(_ text: String) -> [String] { Sample.problems(in: text).map(\.path) }
        #expect(paths(Self.text("0.0.0.0:8080", key: "YOUR-ACCESS-KEY")) == ["credentials.oss.accessKey"])
        #expect(paths(Self.text("0.0.0.0:8080", secret: "YOUR-SECRET-KEY")) == ["credentials.oss.secretKey"])
        #expect(paths(Self.text("0.0.0.0:8080", bucket: "examplebucket")) == ["grants.links.bucket"])
        #expect(paths(Self.text("0.0.0.0:8080")) == [])
        let samples = Self.text(
            "127.0.0.1:8080", key: "YOUR-ACCESS-KEY", bucket: "examplebucket", secret: "YOUR-SECRET-KEY")
        #expect(paths(samples) == [], "on loopback they are there to be tried")
    }

    @Test func `the digest of every key in the documentation is refused`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        var digests: Set<String> = []
        for folder in ["", "docs", "config"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
            where name.hasSuffix(".md") {
                let text = try String(contentsOf: root.appending(path: folder).appending(path: name), encoding: .utf8)
                for match in text.matches(of: GuessableKeyTests.pattern) { digests.insert(String(match.output.2)) }
            }
        }
        #expect(!digests.isEmpty)
        for digest in digests {
            let hex = Array(digest.utf8)
            let bytes = Hex.decode(hex.span) ?? []
            #expect(try !GuessableKeys.find(among: [bytes]).isEmpty, "\(digest)")
        }
    }
}
