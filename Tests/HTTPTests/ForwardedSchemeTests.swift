import Bytes
import Testing

@testable import HTTP

@Suite struct ForwardedSchemeTests {
    private static let proxies = TrustedProxies(
        ["10.0.0.0/8"].compactMap { AddressBlock($0) }, includesLocal: false)

    private func scheme(_ fields: [String], from peer: String = "10.1.2.3") throws -> ForwardedScheme? {
        let lines = fields.map { $0 + "\r\n" }.joined()
        let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n".utf8)
        let head = try #require(try RequestParser(limits: Limits()).parse(bytes.span))
        let address = try #require(IPAddress(peer).map { ClientAddress($0) })
        return Self.proxies.scheme(behind: address, head, in: bytes.span)
    }

    @Test(arguments: [
        ("X-Forwarded-Proto: https", ForwardedScheme.https), ("X-Forwarded-Proto: HTTPS", .https),
        ("X-Forwarded-Proto: http", .http), ("X-Forwarded-Proto: https, http", .http),
        ("X-Forwarded-Proto: http ,\thttps", .https), ("Forwarded: for=192.0.2.1;proto=https;host=h", .https),
        ("Forwarded: proto=http", .http), ("Forwarded: Proto=\"https\"", .https),
        ("Forwarded: for=a;proto=https, for=b; proto=http", .http),
        ("Forwarded: for=\"[2001:db8::1]:80, proto=http\";proto=https", .https),
    ])
    func `the last proxy's word is taken`(field: String, scheme: ForwardedScheme) throws {
        #expect(try self.scheme([field]) == scheme)
    }

    @Test(arguments: [
        "X-Forwarded-Proto: ftp", "X-Forwarded-Proto:", "X-Forwarded-Proto: https,", "Forwarded: for=192.0.2.1",
        "Forwarded: proto=https, for=b", "Forwarded: proto", "Forwarded:", "Forwarded: proto=\"",
        "Forwarded: proto=\"\"",
        "Forwarded: for=\"proto=https;", "X-Forwarded-Scheme: https",
    ])
    func `what says no scheme says nothing`(field: String) throws { #expect(try scheme([field]) == nil) }

    @Test func `where two fields differ it is https, and a field in several lines says nothing`() throws {
        #expect(try scheme(["X-Forwarded-Proto: http", "Forwarded: proto=https"]) == .https)
        #expect(try scheme(["X-Forwarded-Proto: https", "Forwarded: proto=http"]) == .https)
        #expect(try scheme(["X-Forwarded-Proto: https", "X-Forwarded-Proto: http"]) == nil)
        #expect(try scheme(["X-Forwarded-Proto: https", "Forwarded: for=b"]) == .https)
    }

    @Test func `a stranger's word counts for nothing`() throws {
        #expect(try scheme(["X-Forwarded-Proto: https", "Forwarded: proto=https"], from: "192.0.2.1") == nil)
    }
}
