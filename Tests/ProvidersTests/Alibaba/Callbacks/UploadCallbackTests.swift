import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct UploadCallbackTests {
    /// A callback and a signature over it, both made by OpenSSL's command line.
    private struct Sample {
        var authorization =
            "s3HASUs5qQZaF6bG4imhtjxQuMSsC1xrSi/7Z2oUITS34glNJzpwxCnQEaOeNpuvtStyWCpLmS1LPu8TPmMNUqF/BZh0kQqaAF6aYEIOwwOpHuAe"
            + "Bdbl5pD39S3qn/Lid4gQBKfpWXvNDrImHw08fPPsQIXZdhpVGnFLVyB3RRs="
        var path = "/oss/callback"
        var query: String? = "grant=a%2Fb"
        var body = "bucket=examplebucket&object=users%2F42%2Fa.jpg"

        func with(_ change: (inout Sample) -> Void) -> Sample {
            var changed = self
            change(&changed)
            return changed
        }
    }

    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDN19884CUNlS0u16VrE0zEqezz
        dOFBhZAG0ICszoX14VOw7zQTUYhnwJsdZ6iKkPFIN5J4GlkTOUp06h+Oz1Gpstb/
        dJY3b+L/gPUiB+ttpRTU2/1ctZ9Hqo9AwqUxCHUpenvYWuh1Nk8/nL0RMvSGcEPI
        HgSkvJdJmRJw1r0dKQIDAQAB
        -----END PUBLIC KEY-----
        """

    private let key: RSAPublicKey

    init() throws {
        let key = RSAPublicKey(pem: Array(Self.pem.utf8).span)
        self.key = try #require(key)
    }

    private enum Verdict { case genuine, malformed, wrong }

    private func verdict(_ sample: Sample) throws -> Verdict {
        let target = sample.path + (sample.query.map { "?" + $0 } ?? "")
        var scratch = ByteWriter()
        guard let bytes = UploadCallback.signature(in: Array(sample.authorization.utf8).span),
            let signature = try UploadCallback.claim(
                bytes, over: Array(target.utf8).span, body: Array(sample.body.utf8).span, using: &scratch)
        else { return .malformed }
        return try key.verifies(signature) ? .genuine : .wrong
    }

    @Test func `a callback as the vendor signs it is genuine`() throws {
        #expect(try verdict(Sample()) == .genuine)
        #expect(try verdict(Sample().with { $0.path = "/oss/c%61llback" }) == .genuine)
    }

    @Test func `every part is covered`() throws {
        let changes: [(inout Sample) -> Void] = [
            { $0.path = "/oss/callbacks" }, { $0.path = "/oss//callback" }, { $0.path = "" }, { $0.query = nil },
            { $0.query = "" }, { $0.query = "grant=a/b" }, { $0.query = "grant=a%2fb" }, { $0.query? += "&x=1" },
            { $0.body = "" }, { $0.body += "&size=1" }, { $0.body += "\n" },
            { $0.body = $0.body.replacing("%2F", with: "/") },
        ]
        for (index, change) in changes.enumerated() {
            #expect(try verdict(Sample().with(change)) == .wrong, "change \(index)")
        }
        for index in Sample().body.utf8.indices {
            let changed = Sample().with {
                $0.body.replaceSubrange(index...index, with: $0.body[index] == "x" ? "y" : "x")
            }
            #expect(try verdict(changed) == .wrong)
        }
    }

    @Test func `a path that would be read as path and query, or as path and body, is refused`() throws {
        let whole = "/oss/callback%3Fgrant=a%252Fb"
        let changes: [(inout Sample) -> Void] = [
            {
                $0.path = whole; $0.query = nil
            },
            {
                $0.path = whole + "%0A" + $0.body; $0.query = nil; $0.body = ""
            },
            { $0.path += "%0A" }, { $0.path += "%0d" }, { $0.path += "%00" }, { $0.path += "+" }, { $0.path += "%" },
            { $0.path += "%zz" },
        ]
        for (index, change) in changes.enumerated() {
            #expect(try verdict(Sample().with(change)) == .malformed, "change \(index)")
        }
    }

    @Test func `a signature that is none, or is spelled otherwise, is refused`() throws {
        for authorization in [
            "", " ", "x", "====", "OSS AK:sign", Sample().authorization + "\n", Sample().authorization + "AAAA",
        ] {
            #expect(try verdict(Sample().with { $0.authorization = authorization }) != .genuine)
        }
        let spelled = Sample().authorization
        for other in [
            String(spelled.dropLast()), spelled.replacing("/", with: "_").replacing("+", with: "-"),
            String(spelled.dropLast(2)) + "t=", spelled.replacing("=", with: "%3D"),
        ] {
            #expect(try verdict(Sample().with { $0.authorization = other }) != .genuine)
        }
    }

    @Test func `another key's callback is refused`() throws {
        let vector = try #require(Vector.all.first { $0.id == "oss.callback.verify/doc-example" })
        let input = try vector.input
        let sample = Sample(
            authorization: try #require(input["authorization"]?.string), path: try #require(input["path"]?.string),
            query: input["query"]?.string, body: try #require(input["body"]?.string))
        #expect(try verdict(sample) == .wrong)
    }

    // MARK: Where the key is

    private func path(_ url: String) -> String? {
        let field = Base64.standard.encode(Array(url.utf8))
        return CallbackKeyURL(field.span)?.path.text
    }

    @Test func `the vendor's key is at the vendor's host`() {
        let field = Array("aHR0cDovL2dvc3NwdWJsaWMuYWxpY2RuLmNvbS9jYWxsYmFja19wdWJfa2V5X3YxLnBlbQ==".utf8)
        #expect(CallbackKeyURL(field.span)?.path.text == "/callback_pub_key_v1.pem")
        #expect(path("https://gosspublic.alicdn.com/callback_pub_key_v1.pem") == "/callback_pub_key_v1.pem")
        #expect(path("https://gosspublic.alicdn.com/callback_pub_key_v2.pem") == "/callback_pub_key_v2.pem")
        #expect(path("http://gosspublic.alicdn.com/callback_pub_key_v120.pem") == "/callback_pub_key_v120.pem")
    }

    @Test(arguments: [
        "", "gosspublic.alicdn.com/callback_pub_key_v1.pem", "//gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com",
        "https://gosspublic.alicdn.com/", "HTTPS://gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "ftp://gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "file:///gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https:///gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://Gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com./callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com:443/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com:8443/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com@evil.example.com/callback_pub_key_v1.pem",
        "https://evil.example.com@gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com.evil.example.com/callback_pub_key_v1.pem",
        "https://evil.example.com/gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://evilgosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://evil.gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com\\@evil.example.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com%2f@evil.example.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com#/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com?/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem?x",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem#x",
        "https://gosspublic.alicdn.com/../callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/./callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com//callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com//evil.example.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/a/", "https://gosspublic.alicdn.com/%63allback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1 pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem\r\nHost: x",
        " https://gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem ",
        "https://gosspublic.alicdn.com/callback_pub_key_vé.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem;x",
        "https://gosspublic.alicdn.com/" + String(repeating: "k", count: 512),
        // Other files of the same host.
        "https://gosspublic.alicdn.com/k.pem", "https://gosspublic.alicdn.com/ossutil/1.7.0/key.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem.txt",
        "https://gosspublic.alicdn.com/callback_pub_key_v.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v01.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v0.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1000.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v-1.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1", "https://gosspublic.alicdn.com/callback_pub_key_v1/x.pem",
        "https://gosspublic.alicdn.com/a/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/Callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem/",
        "https://gosspublic.alicdn.com/callback_pub_key_v1a.pem",
        "https://gosspublic.alicdn.com/my_callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v١.pem",
    ])
    func `no other URL is believed`(url: String) {
        #expect(path(url) == nil)
        let bare = Array(url.utf8)
        let isBelieved = CallbackKeyURL(bare.span) != nil
        #expect(!isBelieved)
    }
}
