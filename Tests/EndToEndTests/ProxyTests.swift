import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// Addresses that proxies tell, as the limits for them show.
@Suite("Behind proxies", .waiting, .timeLimit(.minutes(20)))
struct ProxyTests {
    private static func setup(_ name: String, _ server: String, listen: String = "\"127.0.0.1:0\"") -> Setup {
        Setup(
            name: name, server: server,
            rest: """
                rateLimit: { perAddress: "1/d" },
                  grants: {
                    "photos": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                      bucket: "demo-media", keyPrefix: "photos/",
                    },
                  },
                """, listen: listen)
    }

    private static let photo = "/qiniu/uptoken?key=photos/a.jpg"

    /// Asks once on a connection of its own.
    private static func ask(_ service: Service, _ client: Client, after preamble: [UInt8] = [], _ fields: String...)
        throws -> Int
    {
        try client.send(preamble + Array(service.text("GET", photo, fields).utf8))
        return try client.answer().status
    }

    @Test
    func `the limit is for the last address that is no trusted proxy's, and a stranger's word counts for nothing`()
        throws
    {
        let setup = Self.setup("forwarded", #"trustedProxies: ["127.0.0.0/24", "10.0.0.0/8"]"#)
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        func ask(_ hops: String, from source: UInt32 = 0x7F00_0001) throws -> Int {
            try Self.ask(service, Client(service.port, from: source), "X-Forwarded-For: \(hops)")
        }
        #expect(try ask("203.0.113.1") == 200)
        #expect(try ask("203.0.113.1") == 429)
        #expect(try ask("203.0.113.2, 203.0.113.1") == 429, "what a client makes up gives it no other address")
        #expect(try ask("203.0.113.1, 10.1.2.3") == 429)
        #expect(try ask("203.0.113.2, 10.1.2.3") == 200)
        #expect(try ask("2001:db8::1") == 200)
        #expect(try ask("[2001:db8::2]:443") == 429, "a /64 is one")
        #expect(try ask("unknown") == 400)
        // 127.0.1.1 is no proxy.
        #expect(try ask("203.0.113.9", from: 0x7F00_0101) == 200)
        #expect(try ask("203.0.113.10", from: 0x7F00_0101) == 429)
        #expect(try ask("203.0.113.9") == 200)
    }

    @Test(arguments: Transport.allCases, [false, true])
    func `the PROXY protocol names the client, from trusted proxies only, before TLS`(
        _ transport: Transport, overTLS: Bool
    ) throws {
        let certificates = try ClientCertificates.shared.get()
        let certificate =
            "{ names: [\"localhost\"], certificateFile: \"\(certificates.good.chain)\", keyFile: \"\(certificates.good.key)\" }"
        let server =
            #"trustedProxies: ["127.0.0.1"], proxyProtocol: true,"#
            + (overTLS ? " tls: { certificates: [\(certificate)] }," : "")
        let service = try Service(Self.setup("proxy-\(overTLS)", server), transport)
        defer { service.stop() }
        if overTLS {
            // curl speaks version 1, and names itself.
            let url = "https://localhost:\(service.port)\(Self.photo)"
            let plain = ["--cacert", certificates.authority, "-s", "-o", "/dev/null", "-w", "%{http_code}"]
            #expect(try CurlTests.curl(plain + ["--haproxy-protocol", url]).out == "200")
            #expect(try CurlTests.curl(plain + ["--haproxy-protocol", url]).out == "429")
            #expect(try CurlTests.curl(plain + [url]).code != 0, "it must be there")
        } else {
            func ask(_ preamble: [UInt8], _ fields: String...) throws -> Int {
                let client = try service.connect()
                let text = service.text("GET", Self.photo, fields)
                try client.send(preamble + Array(text.utf8))
                return try client.answer().status
            }
            let first = Array("PROXY TCP4 203.0.113.1 127.0.0.1 1234 80\r\n".utf8)
            #expect(try ask(first) == 200)
            #expect(try ask(first) == 429)
            #expect(try ask(Self.binary(203, 0, 113, 1)) == 429)
            #expect(try ask(Self.binary(203, 0, 113, 2)) == 200)
            #expect(try ask(first, "X-Forwarded-For: 203.0.113.3") == 429, "the client that it names is no proxy")
            #expect(try ask(Array("PROXY UNKNOWN\r\n".utf8), "X-Forwarded-For: 203.0.113.3") == 200)
            // Byte by byte.
            let slow = try service.connect()
            for byte in Self.binary(203, 0, 113, 4) { try slow.send([byte]) }
            #expect(try Self.ask(service, slow) == 200)
            // Who is no proxy has none, and its word is no request.
            let stranger = try Client(service.port, from: 0x7F00_0002)
            #expect(try Self.ask(service, stranger, after: first) == 400)
            // It counts nevertheless.
            let other = try Client(service.port, from: 0x7F00_0002)
            #expect(try Self.ask(service, other) == 429)
            let another = try Client(service.port, from: 0x7F00_0003)
            #expect(try Self.ask(service, another) == 200)
            // What is malformed, and what is none, is closed without a word.
            for wrong in ["GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", "PROXY TCP5 1 2 3 4\r\n"] {
                let client = try service.connect()
                try client.send(wrong)
                let isClosed = try client.isClosed()
                #expect(isClosed, "\(wrong)")
            }
        }
        // It has its time, however slowly it comes.
        let hasty = Self.setup("proxy-hasty-\(overTLS)", server + #" limits: { headerTimeout: "2s" },"#)
        try Service.run(hasty, transport) { service in
            let start = ContinuousClock.now
            let dripping = try service.connect()
            try dripping.send("PROXY ")
            while !dripping.hasNews(within: 0.05), start.duration(to: .now) < .seconds(9) { try? dripping.send("T") }
            let isClosed = try dripping.isClosed()
            #expect(isClosed)
        }
    }

    @Test(arguments: [false, true])
    func `whatever the PROXY protocol says, its client counts as exactly one address`(
        isLocal: Bool
    ) throws {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/s"
        // X-Forwarded-For is believed of the proxy, never of whom it names.
        let setup = Self.setup(
            "nobody-\(isLocal)", #"trustedProxies: ["127.0.0.1", "unix:"], proxyProtocol: true, hosts: ["*"],"#,
            listen: isLocal ? "\"unix:\(path)\"" : "\"127.0.0.1:0\"")
        try Service.run(setup, .epoll) { service in
            func ask(_ preamble: [UInt8], _ fields: String...) throws -> Int {
                let client = isLocal ? try Client(path: path) : try service.connect()
                let text = service.text("GET", Self.photo, ["Host: localhost"] + fields)
                try client.send(preamble + Array(text.utf8))
                return try client.answer().status
            }
            func text(_ words: String) -> [UInt8] { Array("PROXY \(words)\r\n".utf8) }
            let zeros = [UInt8](repeating: 0, count: 36)
            // Each list is of one address: one request is answered, and no more.
            let nobody = [text("UNKNOWN"), Self.header(0x20, 0, []), Self.header(0x21, 0, []), text("UNKNOWN a b c d")]
            let everything = [text("TCP6 :: ::1 1 2"), Self.header(0x21, 0x21, zeros), text("TCP6 ::1 ::1 1 2")]
            var lists = [
                [text("TCP4 0.0.0.0 1.1.1.1 1 2"), Self.header(0x21, 0x11, Array(zeros.prefix(12)))],
                [
                    text("TCP6 ::ffff:203.0.113.9 ::1 1 2"), text("TCP4 203.0.113.9 1.1.1.1 1 2"),
                    text("TCP6 ::ffff:cb00:7109 ::1 1 2"), Self.binary(203, 0, 113, 9),
                ],
            ]
            // A proxy at a Unix socket has no address that could count instead.
            lists += isLocal ? [nobody + everything] : [nobody, everything]
            for list in lists {
                for (index, header) in list.enumerated() {
                    let (status, wanted) = (try ask(header), index == 0 ? 200 : 429)
                    #expect(status == wanted, "\(String(decoding: header, as: UTF8.self).debugDescription)")
                }
            }
            for header in everything {
                #expect(try ask(header, "X-Forwarded-For: 203.0.113.77") == 429, "it is no trusted proxy")
            }
        }
    }

    @Test func `healthcheck says whom it speaks for where it counts as a proxy`() throws {
        let port = try Listener.freePort()
        let setup = Self.setup(
            "healthy-proxy", #"trustedProxies: ["127.0.0.1"], proxyProtocol: true"#, listen: "\"127.0.0.1:\(port)\"")
        try Service.run(setup, .epoll) { service in
            let health = try Program.run(
                "healthcheck", "--config", service.configuration, environment: Setup.environment)
            #expect(health.code == 0, "\(health.err)")
        }
    }

    /// Version 2.
    private static func header(_ command: UInt8, _ family: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, command, family, 0, UInt8(content.count)]
            + content
    }

    /// Version 2 over IPv4, with a TLV that nobody knows.
    private static func binary(_ address: UInt8...) -> [UInt8] {
        [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, 0x21, 0x11, 0, 17] + address
            + [127, 0, 0, 1, 0x12, 0x34, 0, 80, 0xE0, 0, 2, 1, 2]
    }
}
