import Bytes
import Testing

@testable import HTTP

@Suite struct TrustedProxiesTests {
    private static let proxies = TrustedProxies(
        ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"].compactMap { AddressBlock($0) }, includesLocal: true)

    private static func address(_ text: String) -> ClientAddress {
        text.isEmpty ? .none : IPAddress(text).map { ClientAddress($0) } ?? .none
    }

    private func converse(_ peer: String, _ fields: [String], _ proxies: TrustedProxies = proxies) -> Conversation {
        let conversation = Conversation(limits: Limits(), from: Self.address(peer), behind: proxies)
        let lines = fields.map { $0 + "\r\n" }.joined()
        conversation.receive("GET / HTTP/1.1\r\nHost: h\r\n\(lines)Last: field\r\n\r\n")
        return conversation
    }

    @Test(arguments: [
        // A stranger's word counts for nothing.
        ("198.51.100.1", ["203.0.113.9"], "198.51.100.1"), ("198.51.100.1", ["nonsense"], "198.51.100.1"),
        ("198.51.100.1", [], "198.51.100.1"), ("2001:db9::1", ["203.0.113.9"], "2001:db9::1"),
        ("192.0.2.8", ["203.0.113.9"], "192.0.2.8"),
        // A proxy's does.
        ("10.1.2.3", ["203.0.113.9"], "203.0.113.9"), ("192.0.2.7", ["203.0.113.9"], "203.0.113.9"),
        ("2001:db8:1::1", ["203.0.113.9"], "203.0.113.9"), ("", ["203.0.113.9"], "203.0.113.9"),
        ("::ffff:10.1.2.3", ["203.0.113.9"], "203.0.113.9"), ("10.1.2.3", [], "10.1.2.3"),
        // The last that is no proxy, whatever comes before it.
        ("10.1.2.3", ["1.1.1.1, 203.0.113.9"], "203.0.113.9"), ("10.1.2.3", ["nonsense, 203.0.113.9"], "203.0.113.9"),
        ("10.1.2.3", ["1.1.1.1, 203.0.113.9, 10.9.9.9, 192.0.2.7"], "203.0.113.9"),
        ("10.1.2.3", ["10.9.9.9, 203.0.113.9,10.8.8.8"], "203.0.113.9"),
        ("10.1.2.3", ["10.7.7.7, 10.8.8.8"], "10.7.7.7"),
        // Each proxy may add a field line of its own.
        ("10.1.2.3", ["1.1.1.1", "203.0.113.9"], "203.0.113.9"),
        ("10.1.2.3", ["203.0.113.9", "10.9.9.9"], "203.0.113.9"),
        ("10.1.2.3", ["nonsense", "203.0.113.9", "10.9.9.9"], "203.0.113.9"),
        // As proxies write addresses.
        ("10.1.2.3", ["203.0.113.9:1234"], "203.0.113.9"), ("10.1.2.3", ["2a00::1"], "2a00::1"),
        ("10.1.2.3", ["[2a00::1]"], "2a00::1"), ("10.1.2.3", ["[2a00::1]:443"], "2a00::1"),
        ("10.1.2.3", ["::ffff:203.0.113.9"], "203.0.113.9"), ("10.1.2.3", [" ,, 203.0.113.9 ,\t,"], "203.0.113.9"),
        ("10.1.2.3", [""], "10.1.2.3"), ("10.1.2.3", [", ,"], "10.1.2.3"),
    ])
    func `the last address that is no proxy's is the client`(peer: String, hops: [String], client: String) {
        let conversation = converse(peer, hops.map { "X-Forwarded-For: \($0)" })
        #expect(conversation.handler.clients == [Self.address(client)])
    }

    @Test(arguments: [
        "unknown", "nonsense", "203.0.113.9 10.0.0.1", "203.0.113", "203.0.113.256", "203.0.113.9:x",
        "203.0.113.9:65536",
        "::", "[::]", "[::]:80", "0.0.0.0", "0.0.0.0:80", "[203.0.113.9]", "[2a00::1", "2a00::1]", "\"203.0.113.9\"",
        "for=203.0.113.9", "203.0.113.9;a",
        "unknown, 10.9.9.9", "localhost", "203.0.113.9/32",
    ])
    func `what a proxy says must be an address`(hop: String) {
        let conversation = converse("10.1.2.3", ["X-Forwarded-For: \(hop)"])
        #expect(conversation.handler.errors == [.malformed])
        #expect(conversation.handler.requests.isEmpty)
        #expect(conversation.next == .linger)
    }

    @Test func `who has no address is at a Unix socket, and :: is not nowhere`() {
        #expect(Self.proxies.contains(.none))
        #expect(!Self.proxies.contains(.unspecified))
        let everything = TrustedProxies([AddressBlock("::/0")].compactMap { $0 }, includesLocal: false)
        #expect(everything.contains(.unspecified))
        #expect(!everything.contains(.none))
    }

    @Test func `other fields and other names say nothing`() {
        let fields = [
            "Forwarded: for=1.1.1.1", "X-Real-IP: 1.1.1.1", "X-Forwarded-For-: 1.1.1.1", "Client-IP: 1.1.1.1",
        ]
        #expect(converse("10.1.2.3", fields).handler.clients == [Self.address("10.1.2.3")])
        let among = fields + ["x-forwarded-FOR: 203.0.113.9"] + fields
        #expect(converse("10.1.2.3", among).handler.clients == [Self.address("203.0.113.9")])
    }

    @Test func `without proxies nobody's word counts, and each request has its own`() {
        #expect(converse("", ["X-Forwarded-For: 1.1.1.1"], .none).handler.clients == [.none])
        let conversation = Conversation(from: Self.address("10.0.0.1"), behind: Self.proxies)
        for hop in ["X-Forwarded-For: 1.1.1.1\r\n", "", "X-Forwarded-For: 2.2.2.2\r\n"] {
            conversation.receive("GET / HTTP/1.1\r\nHost: h\r\n\(hop)\r\n")
            conversation.receive(
                "POST / HTTP/1.1\r\nHost: h\r\n\(hop)Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
        }
        let expected = ["1.1.1.1", "1.1.1.1", "10.0.0.1", "10.0.0.1", "2.2.2.2", "2.2.2.2"].map(Self.address)
        #expect(conversation.handler.clients == expected)
    }
}
