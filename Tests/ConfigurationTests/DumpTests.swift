import TestKeys
import Testing

@testable import Configuration

@Suite struct DumpTests {
    private static let search = SecretSearch(Sample.secrets.map { ($0, Array($0.utf8)) })

    private static func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    /// All that can hold a secret, in both of the ways in which an account of STS has its own.
    private static let texts = [
        Sample.text,
        """
        { version: 1,
          credentials: {
            "kodo": { provider: "qiniu", accessKey: "AK", secretKey: { env: "QINIU_SECRET_KEY" }, cdnKey: { env: "CDN_KEY" } },
          },
          authentication: {
            jwt: [{ id: "in", issuer: "in", audience: "us", algorithms: "HS256", secret: { env: "TOKEN_SECRET" } }],
          },
          grants: {
            "g": { route: "qiniu.cdn-url", credential: "kodo", callers: ["jwt:in"], domain: "a.example.com", keyPrefix: "a/" },
          },
        }
        """,
    ]

    @Test func `R7: a configuration that is dumped, printed or described shows no secret`() throws {
        for text in DumpTests.texts {
            let configuration = try Sample.load(text)
            let dump = DumpTests.dumped(configuration)
            #expect(dump.contains("<key AK"))
            for shown in [dump, "\(configuration)", String(reflecting: configuration)] {
                #expect(DumpTests.search.find(inDump: shown) == [])
            }
        }
    }

    @Test func `a secret that is no Secret would be found, as text and as bytes`() {
        for secret in Sample.secrets {
            let bytes = Array(secret.utf8)
            #expect(DumpTests.search.find(inDump: DumpTests.dumped(["a": secret])) != [])
            #expect(DumpTests.search.find(inDump: DumpTests.dumped(["a": bytes])) != [])
            #expect(DumpTests.search.find(inDump: DumpTests.dumped([bytes.dropFirst(2).prefix(12)])) != [])
            #expect(DumpTests.search.find(inDump: DumpTests.dumped([bytes.prefix(11)])) == [])
        }
    }
}
