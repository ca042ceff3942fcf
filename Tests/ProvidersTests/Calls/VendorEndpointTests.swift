import Foundation
import Testing

@testable import Bytes
@testable import Providers

@Suite struct VendorEndpointTests {
    private func read(_ text: String) -> VendorEndpoint? { try? VendorEndpoint(Array(text.utf8)) }

    @Test(arguments: [
        ("https://sts.aliyuncs.com", "sts.aliyuncs.com", 443, "sts.aliyuncs.com"),
        ("https://STS.aliyuncs.com/", "sts.aliyuncs.com", 443, "sts.aliyuncs.com"),
        ("https://sts.aliyuncs.com:443", "sts.aliyuncs.com", 443, "sts.aliyuncs.com"),
        ("https://sts.internal:8443", "sts.internal", 8443, "sts.internal:8443"),
        ("https://10.0.0.1", "10.0.0.1", 443, "10.0.0.1"),
        ("https://[2001:db8::1]:8443", "2001:db8::1", 8443, "[2001:db8::1]:8443"),
        ("http://127.0.0.1:9000", "127.0.0.1", 9000, "127.0.0.1:9000"), ("http://[::1]", "::1", 80, "[::1]"),
        ("http://localhost:80", "localhost", 80, "localhost"),
        ("http://media.nos.localhost:8090", "media.nos.localhost", 8090, "media.nos.localhost:8090"),
        ("https://a1-b.example2.x", "a1-b.example2.x", 443, "a1-b.example2.x"),
    ])
    func `an endpoint is a scheme, a host and a port`(text: String, host: String, port: UInt16, authority: String)
        throws
    {
        let endpoint = try #require(read(text))
        #expect(endpoint.host.text == host && endpoint.port == port && endpoint.authority.text == authority)
        #expect(endpoint.isSecure == text.hasPrefix("https"))
        // What it says on the wire is what the serializer takes.
        #expect(throws: Never.self) {
            var out = ByteWriter()
            try UpstreamCall(.get, authority: endpoint.authority, path: Array("/".utf8)).write(into: &out)
        }
    }

    @Test(arguments: [
        "", "sts.aliyuncs.com", "ftp://a", "https://", "https:///", "https://:443", "https://a:", "https://a:0",
        "https://a:65536", "https://a:08", "https://a:+1", "https://a/b", "https://a//", "https://a?b", "https://a#b",
        "https://u@a", "https://u:p@a", "https://a b", "https://a\r\nX: y", "https://é.com", "https://a..b",
        "https://-a.com", "https://a-.com", "https://.a", "https://a.", "https://1.2.3", "https://1.2.3.4.5",
        "https://256.1.1.1",
        "https://[::1", "https://[::1]x", "https://[127.0.0.1]", "https://::1", "https://[a]", "https://a_b.com",
        "HTTPS://a.com", "https://0x7f000001",
        "http://sts.aliyuncs.com", "http://10.0.0.1", "http://localhost.evil.com", "http://evillocalhost",
        "http://127.0.0.1.evil.com",
        "http://100.100.100.200", "http://[::2]", "https://" + String(repeating: "a", count: 64) + ".com",
    ])
    func `nothing else is one`(text: String) {
        #expect(read(text) == nil)
    }

    @Test func `a region has the vendor's endpoint`() throws {
        #expect(try VendorEndpoint(region: nil).authority.text == "sts.aliyuncs.com")
        #expect(try VendorEndpoint(region: Array("cn-hangzhou".utf8)).authority.text == "sts.cn-hangzhou.aliyuncs.com")
        for region in ["", "a", "cn-", "-cn", "CN-hangzhou", "a.b", "evil.com/", "cn hangzhou", "cn\r\n"] {
            #expect(throws: VendorEndpoint.Fault.self) { try VendorEndpoint(region: Array(region.utf8)) }
        }
    }
}
