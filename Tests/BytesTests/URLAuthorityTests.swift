import Testing

@testable import Bytes

@Suite struct URLAuthorityTests {
    @Test(
        arguments: [
            ("redis.example.com:6379", "redis.example.com", 6379, false), ("Redis", "redis", nil, false),
            ("127.0.0.1:1", "127.0.0.1", 1, false), ("[2001:DB8::1]:65535", "2001:db8::1", 65535, true),
            ("[::1]", "::1", nil, true), ("", "", nil, false),
        ] as [(String, String, UInt16?, Bool)])
    func `a host is told from its port`(_ text: String, _ host: String, _ port: UInt16?, _ isBracketed: Bool) throws {
        let authority = try #require(URLAuthority(Array(text.utf8)))
        #expect(
            authority.host.text == host && authority.port == port && authority.isBracketed == isBracketed)
    }

    @Test(arguments: [
        "a:", "a:0", "a:65536", "a:+1", "a:01", "a:1:2", "::1:6379", "[::1", "[::1]6379", "[::1]:",
        "a:99999999999999999999",
    ])
    func `what is no host with a port is none`(_ text: String) { #expect(URLAuthority(Array(text.utf8)) == nil) }

    @Test func `an address of IPv6 is one in brackets alone`() {
        func address(_ text: String) -> String? { URLAuthority(Array(text.utf8))?.address.map { "\($0)" } }
        #expect(address("[::1]:1") == "::1" && address("127.0.0.1:1") == "127.0.0.1")
        #expect(address("[127.0.0.1]:1") == nil && address("localhost:1") == nil && address("[x]:1") == nil)
    }
}
