import Bytes
import COpenSSL
import TestPeers
import TestTraits
import Testing

@testable import Net

/// Whom the client believes.
@Suite(.timed, .timeLimit(.minutes(20))) struct ClientTLSTests {
    private let certificates: ClientCertificates
    private let trust: TLSTrust

    init() throws {
        certificates = try ClientCertificates.shared.get()
        trust = try TLSTrust(.file(certificates.authority))
    }

    private let names = resolver([
        "sts.test": ["127.0.0.1"], "other.test": ["127.0.0.1"], "a.wild.test": ["127.0.0.1"],
        "a.b.wild.test": ["127.0.0.1"], "wild.test": ["127.0.0.1"],
    ])

    /// Tells the name that the client asked for, whether its session was resumed, and the number of its connection.
    private let script: ClientPeer.Script = { peer, number in
        while true {
            let isLast = try peer.request().contains("/last")
            try peer.answer(
                "\(peer.serverName ?? "-") \(peer.isResumed ? "resumed" : "new") \(number)",
                fields: isLast ? "Connection: close\r\n" : "")
            if isLast { return peer.finish() }
        }
    }

    @Test(arguments: TransportKind.allCases, [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a server that a trusted authority vouches for is believed`(kind: TransportKind, version: Int32) throws {
        try withPeer(script, tls: certificates.good, versions: version...version) { (peer) throws in
            try withClient(kind, resolver: names) { (client) throws in
                for (host, name) in [
                    ("localhost", "localhost"), ("127.0.0.1", "-"), ("STS.test.", "sts.test"),
                    ("a.wild.test", "a.wild.test"),
                ] {
                    for _ in 0..<2 {
                        let answer = try client.answer(exchange(.https(trust), host, peer.port))
                        #expect(answer.body.text.hasPrefix("\(name) new "))
                    }
                }
                #expect(peer.connections == 4)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a chain may be long, if the server shows all of it`(kind: TransportKind) throws {
        try withPeer(script, tls: certificates.deep) { (peer) throws in
            try withClient(kind) { (client) throws in
                #expect(try client.answer(exchange(.https(trust), "localhost", peer.port)).status == 200)
            }
        }
        #expect(try fault(kind, certificates.incomplete) == .tls(.unknownAuthority))
    }

    /// What an exchange with such a server ends with.
    private func fault(
        _ kind: TransportKind, _ certificate: ClientCertificates.Pair?, host: String = "localhost",
        trust: TLSTrust? = nil, versions: ClosedRange<Int32> = TLS1_2_VERSION...TLS1_3_VERSION
    ) throws -> ExchangeError? {
        var error: ExchangeError?
        try withPeer(script, tls: certificate, versions: versions) { (peer) throws in
            try withClient(kind, resolver: names) { (client) throws in
                error = try client.error(exchange(.https(trust ?? self.trust), host, peer.port))
                #expect(try client.onLoop { $0.clients.isEmpty })
            }
        }
        return error
    }

    @Test(arguments: TransportKind.allCases)
    func `others are refused, and told why`(kind: TransportKind) throws {
        #expect(try fault(kind, certificates.stranger) == .tls(.unknownAuthority))
        #expect(try fault(kind, certificates.selfSigned) == .tls(.unknownAuthority))
        #expect(try fault(kind, certificates.expired) == .tls(.expired))
        #expect(try fault(kind, certificates.future) == .tls(.notYetValid))
        // The subject of `other` says localhost, which is for people only.
        #expect(try fault(kind, certificates.other) == .tls(.hostMismatch))
        #expect(try fault(kind, certificates.good, host: "other.test") == .tls(.hostMismatch))
        #expect(try fault(kind, certificates.good, host: "a.b.wild.test") == .tls(.hostMismatch))
        #expect(try fault(kind, certificates.good, host: "wild.test") == .tls(.hostMismatch))
        #expect(try fault(kind, certificates.other, host: "127.0.0.1") == .tls(.hostMismatch))
        guard case .tls(.certificate(let reason)) = try fault(kind, certificates.clientOnly) else {
            Issue.record("a client's certificate was taken for a server's")
            return
        }
        #expect(reason.contains("purpose"))
    }

    @Test(arguments: TransportKind.allCases)
    func `the system's authorities know nothing of the test's, and a middle one is no root`(kind: TransportKind) throws
    {
        #expect(try fault(kind, certificates.good, trust: TLSTrust(.system)) == .tls(.unknownAuthority))
        let middle = try TLSTrust(.file(certificates.middleAuthority))
        #expect(try fault(kind, certificates.deep, trust: middle) == .tls(.unknownAuthority))
    }

    @Test(arguments: TransportKind.allCases)
    func `old versions and servers without TLS are refused`(kind: TransportKind) throws {
        #expect(try fault(kind, certificates.good, versions: TLS1_VERSION...TLS1_1_VERSION) == .tls(.version))
        let plain: ClientPeer.Script = { peer, _ in
            try peer.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            peer.hang()
        }
        try withPeer(plain) { (peer) throws in
            try withClient(kind) { (client) throws in
                #expect(try client.error(exchange(.https(trust), "localhost", peer.port)) == .tls(.notTLS))
            }
        }
    }

    @Test(arguments: TransportKind.allCases, [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a later connection resumes the session of an earlier one`(kind: TransportKind, version: Int32) throws {
        try withPeer(script, tls: certificates.good, versions: version...version) { (peer) throws in
            try withClient(kind) { (client) throws in
                let request = "GET /last HTTP/1.1\r\nHost: h\r\n\r\n"
                func ask(_ host: String, _ trust: TLSTrust) throws -> String {
                    try client.answer(exchange(.https(trust), host, peer.port, request)).body.text
                }
                #expect(try ask("localhost", trust) == "localhost new 1")
                // In TLS 1.2 the server has no name of a resumed session.
                for number in 2...4 { #expect(try ask("localhost", trust).hasSuffix(" resumed \(number)")) }
                // Another name and other authorities are other origins.
                #expect(try ask("127.0.0.1", trust) == "- new 5")
                let strange = try TLSTrust(.file(certificates.strangeAuthority))
                let error = try client.error(exchange(.https(strange), "localhost", peer.port, request))
                #expect(error == .tls(.unknownAuthority))
            }
        }
    }

    @Test func `a session is as old as the verification that it rests on, however often it was resumed`() throws {
        try withPeer(script, tls: certificates.good, versions: TLS1_2_VERSION...TLS1_2_VERSION) { (peer) throws in
            let origin = try Origin(exchange(.https(trust), "localhost", peer.port))
            var last: TLSResumption?
            for now: Int64 in [7, 400_000, 600_006] {
                // It blocks, so that the handshake is done at once.
                let socket = try Client(peer.port)
                let session = try #require(TLSSession(origin, trust, socket.descriptor, resuming: last, at: now))
                guard case .moved = session.handshake() else {
                    Issue.record("no handshake at \(now)")
                    continue
                }
                last = session.resumption
                #expect(last?.since == 7 && last?.isUsable(at: now) == true)
                session.finish()
            }
            #expect(last?.isUsable(at: 600_007) == false)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a kept connection serves only those who trust as those did who made it`(kind: TransportKind) throws {
        try withPeer(script, tls: certificates.good) { (peer) throws in
            try withClient(kind) { (client) throws in
                let strange = try TLSTrust(.file(certificates.strangeAuthority))
                let equal = try TLSTrust(.file(certificates.authority))
                #expect(try client.answer(exchange(.https(trust), "localhost", peer.port)).status == 200)
                let error = try client.error(exchange(.https(strange), "localhost", peer.port))
                #expect(error == .tls(.unknownAuthority))
                #expect(try client.answer(exchange(.https(trust), "localhost", peer.port)).body.text.hasSuffix(" 1"))
                #expect(try client.answer(exchange(.https(equal), "localhost", peer.port)).body.text.hasSuffix(" 3"))
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `an answer until the close must be ended by its server, not by somebody on the way`(kind: TransportKind) throws
    {
        let script: ClientPeer.Script = { peer, number in
            try peer.request()
            try peer.write("HTTP/1.1 200 OK\r\n\r\nhello")
            if number == 1 { peer.finish() }
        }
        try withPeer(script, tls: certificates.good) { (peer) throws in
            try withClient(kind) { (client) throws in
                #expect(try client.answer(exchange(.https(trust), "localhost", peer.port)).body.text == "hello")
                let error = try client.error(exchange(.https(trust), "localhost", peer.port))
                #expect(error == .closed(.receiving))
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `large requests and answers come through TLS as they were`(kind: TransportKind) throws {
        let count = 2_000_000
        let script: ClientPeer.Script = { peer, _ in
            while true {
                let request = try peer.request()
                try peer.answer(String(request.suffix(count)))
            }
        }
        try withPeer(script, tls: certificates.good) { (peer) throws in
            try withClient(kind) { (client) throws in
                let body = String(repeating: "0123456789abcdef", count: count / 16)
                let request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n" + body
                for _ in 0..<2 {
                    let large = exchange(.https(trust), "localhost", peer.port, request, limit: count)
                    #expect(try client.answer(large).body.text == body)
                }
                #expect(peer.connections == 1)
            }
        }
    }

    @Test func `a bad file of authorities is an error at start`() throws {
        let good = try certificates.text(certificates.authority)
        let missing = "/nonexistent/ca.pem"
        let empty = try certificates.file("empty.pem", "")
        let key = try certificates.file("key.pem", certificates.text(certificates.good.key))
        let broken = try certificates.file("broken.pem", good.replacing("\nMII", with: "\n***"))
        let half = try certificates.file(
            "half.pem", good + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        for path in [missing, empty, key, broken, half, "/"] {
            #expect(throws: TLSTrust.Failure.self, "\(path)") { try TLSTrust(.file(path)) }
        }
        do throws(TLSTrust.Failure) {
            _ = try TLSTrust(.file(missing))
        } catch {
            #expect(error.description == "the file of authorities \(missing) cannot be read: No such file or directory")
        }
        do throws(TLSTrust.Failure) {
            _ = try TLSTrust(.file(key))
        } catch {
            #expect(error.description == "the file of authorities \(key) holds no certificate, or a broken one")
        }
    }

    @Test func `authorities are read once for all who name them, and again while they cannot be had`() throws {
        let trusts = TLSTrusts()
        #expect(try trusts.trust() === trusts.trust(in: .system))
        let file = TLSTrust.Authorities.file(certificates.authority)
        #expect(try trusts.trust(in: file) === trusts.trust(in: file))
        #expect(try trusts.trust(in: file) !== trusts.trust())
        let late = try certificates.file("late.pem", "")
        #expect(throws: TLSTrust.Failure.self) { try trusts.trust(in: .file(late)) }
        _ = try certificates.file("late.pem", certificates.text(certificates.authority))
        #expect(throws: Never.self) { try trusts.trust(in: .file(late)) }
    }

    @Test func `plain http stays on this machine`() throws {
        func error(_ host: String, _ scheme: Exchange.Scheme = .http) -> ExchangeError? {
            do throws(ExchangeError) {
                _ = try Origin(exchange(scheme, host, 80))
                return nil
            } catch {
                return error
            }
        }
        for host in [
            "127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost", "LocalHost.", "media.nos.LocalHost",
            "::ffff:127.0.0.1",
            "100.100.100.200",
        ] { #expect(error(host) == nil, "\(host)") }
        for host in [
            "sts.aliyuncs.com", "127.0.0.1.nip.io", "localhost.test", "notlocalhost", "100.100.100.201", "10.0.0.1",
            "0.0.0.0", "::",
            "::2", "::ffff:10.0.0.1", "fd00::1",
        ] {
            #expect(error(host) == .plainHTTP, "\(host)")
            #expect(error(host, .https(trust)) == nil, "\(host)")
        }
        for host in [
            "", ".", "a..b", "a b", "a/b", "a@b", "a:80", "127.1", "0x7f000001", "2130706433", "[a]]", "\u{E4}.de",
            "a\0b", "a\r\nb", "[]", String(repeating: "a.", count: 127) + "a", String(repeating: "a", count: 64),
        ] {
            #expect(error(host) == .resolve(.badName), "\(host)")
            #expect(error(host, .https(trust)) == .resolve(.badName), "\(host)")
        }
    }
}
