import COpenSSL
import Crypto
import Glibc
import HTTP
import TestPeers
import TestTraits
import Testing

@testable import Net

/// What TLS a server speaks, and which certificates it shows.
@Suite(.waiting, .timeLimit(.minutes(20))) struct ServerTLSTests {
    private let certificates: ClientCertificates

    init() throws { certificates = try ClientCertificates.shared.get() }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a connection serves one request after the other`(kind: TransportKind, version: TLSVersion) throws {
        try withTLSServer(kind) { (server) throws in
            let client = try TLSClient(to: server.port, version.offer)
            #expect(client.version == version.number)
            for number in 0..<20 { #expect(try client.get("/a?\(number)").text == "/a?\(number)") }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `versions before 1.2 are refused`(kind: TransportKind) throws {
        try withTLSServer(kind) { (server) throws in
            for version in [TLS1_VERSION, TLS1_1_VERSION] {
                #expect(
                    try refusal(server, TLSClient.Offer(versions: version...version, ciphers: "ALL:@SECLEVEL=0"))
                        == "tlsv1 alert protocol version")
            }
            let offer = TLSClient.Offer(versions: TLS1_VERSION...TLS1_3_VERSION)
            #expect(try TLSClient(to: server.port, offer).version == TLS1_3_VERSION)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `only ciphers with ephemeral keys and authenticated encryption are spoken`(kind: TransportKind) throws {
        try withTLSServer(kind, [entry(certificates.good), entry(certificates.rsa, "rsa.test")]) { (server) throws in
            for name in ["localhost", "rsa.test"] {
                let method = name == "localhost" ? "ECDSA" : "RSA"
                var offer = TLSClient.Offer(versions: TLS1_2_VERSION...TLS1_2_VERSION, name: name)
                for cipher in ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"] {
                    offer.ciphers = "ECDHE-\(method)-\(cipher)"
                    #expect(try TLSClient(to: server.port, offer).cipher == offer.ciphers)
                }
                // Without ephemeral keys, with others than elliptic ones, with CBC, with CCM, anonymous, and nothing at all.
                for cipher in [
                    "AES128-GCM-SHA256", "DHE-RSA-AES128-GCM-SHA256", "ECDHE-\(method)-AES128-SHA256",
                    "ECDHE-\(method)-AES256-SHA", "AES256-SHA", "ECDHE-ECDSA-AES128-CCM8", "ADH-AES128-GCM-SHA256",
                    "AECDH-AES128-SHA", "ECDHE-\(method)-NULL-SHA", "eNULL", "CAMELLIA:ARIA:PSK:SRP",
                ] {
                    offer.ciphers = cipher + ":@SECLEVEL=0"
                    let reason = try refusal(server, offer)
                    #expect(reason?.hasSuffix("handshake failure") == true, "\(cipher): \(reason ?? "spoken")")
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `keys are agreed on over three curves only`(kind: TransportKind, version: TLSVersion) throws {
        try withTLSServer(kind) { (server) throws in
            for curve in ["X25519", "P-256", "P-384"] {
                var offer = version.offer
                // The certificate's own curve, too, must be one that the client knows.
                offer.groups = version.number == TLS1_2_VERSION ? "\(curve):P-256" : curve
                #expect(try refusal(server, offer) == nil, "\(curve)")
            }
            for curve in ["X448", "P-521"] {
                var offer = version.offer
                offer.groups = curve
                let reason = try refusal(server, offer)
                #expect(reason?.hasSuffix("handshake failure") == true, "\(curve): \(reason ?? "spoken")")
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `http/1.1 is agreed on, and who wants nothing else but other protocols is refused`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        try withTLSServer(kind) { (server) throws in
            var offer = version.offer
            #expect(try TLSClient(to: server.port, offer).agreed == "")
            for protocols in [["http/1.1"], ["h2", "http/1.1"], ["x", "http/1.1", "h2"]] {
                offer.protocols = protocols
                let client = try TLSClient(to: server.port, offer)
                #expect(client.agreed == "http/1.1")
                #expect(try client.get("/").status == 200)
            }
            for protocols in [["h2"], ["http/1.0", "h2c"], ["http/1.1x"], ["http/1."], ["HTTP/1.1"]] {
                offer.protocols = protocols
                #expect(try refusal(server, offer) == "tlsv1 alert no application protocol")
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `the certificate is that of the name that is called, or else the first`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        let entries = [
            try entry(certificates.other, "other.test"), try entry(certificates.good, "STS.test", "*.wild.test"),
            try entry(certificates.rsa, "rsa.test"), try entry(certificates.deep, "special.wild.test"),
        ]
        try withTLSServer(kind, entries) { (server) throws in
            for (name, shown) in [
                ("sts.test", "sts.test"), ("STS.TEST", "sts.test"), ("sts.test.", "sts.test"),
                ("a.wild.test", "a.wild.test"), ("rsa.test", "rsa.test"), ("other.test", "other.test"),
                ("special.wild.test", "special.wild.test"), ("wild.test", "other.test"),
                ("a.b.wild.test", "other.test"), ("unknown.test", "other.test"), ("localhost", "other.test"),
            ] {
                let client = try TLSClient(to: server.port, version.offer, shakesHands: false)
                client.call(name, trustingAnybody: true)
                try client.handshake()
                #expect(client.isShown(shown), "\(name)")
                #expect(try client.get("/").status == 200)
            }
            var offer = version.offer
            offer.name = nil
            #expect(try TLSClient(to: server.port, offer).isShown("other.test"))
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a session is resumed, by name and without`(kind: TransportKind, version: TLSVersion) throws {
        try withTLSServer(kind, [entry(certificates.good), entry(certificates.rsa, "rsa.test")], { $0.workers = 2 }) {
            (server) throws in
            for name in ["localhost", "rsa.test", nil] {
                var offer = version.offer
                offer.name = name
                let first = try TLSClient(to: server.port, offer)
                #expect(try first.get("/").status == 200)
                #expect(!first.isResumed)
                offer.session = first.session
                for _ in 0..<4 {
                    let next = try TLSClient(to: server.port, offer)
                    #expect(try next.get("/").status == 200)
                    #expect(next.isResumed)
                    offer.session = next.session
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `certificates are replaced while the server runs, and no connection ends`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        try withTLSServer(kind, [entry(certificates.good)]) { (server) throws in
            let old = try (0..<8).map { _ in try TLSClient(to: server.port, version.offer) }
            for client in old { #expect(try client.get("/").status == 200) }
            // One is in the middle of its handshake.
            let half = try TLSClient(to: server.port, version.offer, shakesHands: false)
            let hello = half.clientHello()
            try half.writeRaw(Array(hello.prefix(50)))
            // The server has taken it, since it answers others who asked later.
            for client in old { #expect(try client.get("/").status == 200) }
            server.replaceIdentity(with: try TLSIdentity([entry(certificates.other)]))
            var offer = version.offer
            offer.name = "other.test"
            offer.session = old[0].session
            let isReplaced = eventually {
                (try? TLSClient(to: server.port, offer)).map { $0.isShown("other.test") && !$0.isResumed } == true
            }
            #expect(isReplaced)
            for client in old { #expect(try client.get("/again").text == "/again?") }
            try half.writeRaw(Array(hello.dropFirst(50)))
            try half.handshake()
            #expect(half.isShown("localhost"))
            #expect(try half.get("/half").text == "/half?")
        }
    }

    @Test func `a wrong certificate is an error when the identity is made`() throws {
        #expect(throws: TLSIdentity.Failure.self) { try TLSIdentity([]) }
    }
}
