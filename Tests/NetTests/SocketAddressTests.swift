import Bytes
import Testing

@testable import Net

func socketAddress(_ text: String) throws -> SocketAddress { SocketAddress(try #require(HostPort(text))) }

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), ("localhost:1", "127.0.0.1", 1), ("0.0.0.0:0", "0.0.0.0", 0),
        ("10.1.2.3:65535", "10.1.2.3", 65535), ("[::1]:443", "[::1]", 443), ("[::]:443", "[::]", 443),
        ("[2001:db8::5]:99", "[2001:db8::5]", 99), ("[2001:DB8:0:0:0:0:0:5]:99", "[2001:db8::5]", 99),
        ("[1:2:3:4:5:6:7:8]:9", "[1:2:3:4:5:6:7:8]", 9), ("[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]", 80),
    ])
    func `the system understands an address as it was written`(text: String, host: String, port: UInt16) throws {
        let address = try socketAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.description == "\(host):\(port)")
    }

    @Test(arguments: [
        "", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:8o",
        "127.0.0.1: 80", "127.0.0.1:80 ", " 127.0.0.1:80", "127.0.0.1:0080", "127.0.0.1:٨٠", "127.1:80",
        "127.0.0.01:80", "256.0.0.1:80", "0x7f.0.0.1:80", "::1:80", "[::1]", "[::1]80", "[::1:80", "::1]:80", "[]:80",
        "[127.0.0.1]:80", "[::1%lo]:80", "[[::1]]:80", "[1::2::3]:80", "[:::]:80", "[1:2:3:4:5:6:7:8:9]:80",
        "[::12345]:80",
        "example.com:80", "LOCALHOST:80", "*:80", "http://127.0.0.1:80", "127.0.0.1\u{0}:80", "[::1\u{0}]:80",
        "127.0.0.1\n:80",
    ])
    func `nothing else is an address`(text: String) { #expect(HostPort(text) == nil) }

    @Test func `a bound socket tells its address`() throws {
        let sockets = try ListeningSocket.open(socketAddress("[::1]:0"), index: 0, count: 1)
        for socket in sockets {
            defer { systemClose(socket.descriptor) }
            #expect(socket.address.host == "[::1]")
            #expect(socket.address.port != 0)
            #expect(SocketAddress(boundBy: socket.descriptor)?.description == socket.address.description)
        }
        #expect(SocketAddress(boundBy: -1) == nil)
    }
}
