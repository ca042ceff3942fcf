import COpenSSL
import Crypto
import Foundation
import HTTP
import TestPeers
import TestTraits
import Testing

@testable import Net

/// Whose certificates a server takes from its clients (R9).
@Suite(.waiting, .timeLimit(.minutes(20))) struct ServerTLSClientCertificateTests {
    private let certificates: ClientCertificates

    init() throws { certificates = try ClientCertificates.shared.get() }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    private func authorities(revocations: String? = nil) throws -> ClientAuthorities {
        try ClientAuthorities(bytes(certificates.authority), revocations: revocations.map(bytes))
    }

    private func identity(revocations: String? = nil) throws -> TLSIdentity {
        try TLSIdentity([entry(certificates.good)], acceptingFrom: authorities(revocations: revocations))
    }

    private func withIdentity(
        _ kind: TransportKind, revocations: String? = nil, _ body: (TestServer) throws -> Void
    ) throws {
        let identity = try identity(revocations: revocations)
        try withServer(kind, { $0.identity = identity }, body)
    }

    private func offer(_ version: TLSVersion, _ certificate: ClientCertificates.Pair?) -> TLSClient.Offer {
        var offer = version.offer
        offer.certificate = certificate
        return offer
    }

    private static let names =
        "dns:backend.example.com uri:spiffe://example.com/backend email:ops@example.com"

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `handlers see the typed names of a certificate, on every request of its connection and in resumed sessions`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        try withIdentity(kind) { (server) throws in
            var offer = offer(version, certificates.caller)
            for number in 0..<3 {
                let client = try TLSClient(to: server.port, offer)
                for _ in 0..<2 { #expect(try client.get("/who").text == ServerTLSClientCertificateTests.names) }
                #expect(client.isResumed == (number > 0))
                offer.session = client.session
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a certificate holds no longer than its authority, also in a resumed session`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        let end = try authorities().authoritiesEnd
        // The certificate itself holds until 2049.
        #expect(end < Int64(Date.now.timeIntervalSince1970) + 3 * 86_400)
        try withIdentity(kind) { (server) throws in
            var offer = offer(version, certificates.caller)
            for number in 0..<2 {
                let client = try TLSClient(to: server.port, offer)
                #expect(try client.get("/until").text == "\(end)")
                #expect(client.isResumed == (number > 0))
                offer.session = client.session
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a client may show none, and is nobody then`(kind: TransportKind, version: TLSVersion) throws {
        try withIdentity(kind) { (server) throws in
            #expect(try TLSClient(to: server.port, version.offer).get("/who").text == "nobody")
        }
        // Where nobody is asked for a certificate, none is taken.
        try withTLSServer(kind) { (server) throws in
            let client = try TLSClient(to: server.port, offer(version, certificates.caller))
            #expect(try client.get("/who").text == "nobody")
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a certificate of another authority, that has ended, or that is not for clients is refused`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        try withIdentity(kind) { (server) throws in
            for (certificate, alert) in [
                (certificates.strangeCaller, "unknown ca"), (certificates.selfSigned, "unknown ca"),
                (certificates.endedCaller, "certificate expired"), (certificates.future, "bad certificate"),
                (certificates.vagueCaller, "unsupported certificate"),
                (certificates.servingCaller, "unsupported certificate"),
            ] {
                let reason = try refusal(server, offer(version, certificate))
                #expect(reason?.hasSuffix("alert \(alert)") == true, "\(certificate): \(reason ?? "accepted")")
            }
            #expect(try refusal(server, offer(version, certificates.revokedCaller)) == nil)
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `what the authority has revoked is refused, and everything where its list is old`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        try withIdentity(kind, revocations: certificates.revocations) { (server) throws in
            #expect(try refusal(server, offer(version, certificates.caller)) == nil)
            let reason = try refusal(server, offer(version, certificates.revokedCaller))
            #expect(reason?.hasSuffix("alert certificate revoked") == true, "\(reason ?? "accepted")")
        }
        try withIdentity(kind, revocations: certificates.oldRevocations) { (server) throws in
            let reason = try refusal(server, offer(version, certificates.caller))
            #expect(reason?.hasSuffix("alert certificate expired") == true, "\(reason ?? "accepted")")
            #expect(try refusal(server, version.offer) == nil)
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a session from before a revocation is not resumed after it`(kind: TransportKind, version: TLSVersion) throws {
        try withIdentity(kind) { (server) throws in
            var offer = offer(version, certificates.revokedCaller)
            let client = try TLSClient(to: server.port, offer)
            #expect(try client.get("/who").text == ServerTLSClientCertificateTests.names)
            offer.session = client.session
            server.replaceIdentity(with: try identity(revocations: certificates.revocations))
            let isRefused = eventually { (try? refusal(server, offer))?.hasSuffix("certificate revoked") == true }
            #expect(isRefused)
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `who has shown a certificate has to show it anew when others judge it, and nobody else does`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        let first = try identity()
        func adjust(_ settings: inout Server.Settings) {
            settings.identity = first
            settings.limits.headerTimeout = 60_000
        }
        try withServer(kind, adjust) { (server) throws in
            let revoked = offer(version, certificates.revokedCaller)
            let (idle, busy) = try (TLSClient(to: server.port, revoked), TLSClient(to: server.port, revoked))
            let nobody = try TLSClient(to: server.port, version.offer)
            func begin(_ offer: TLSClient.Offer) throws -> (client: TLSClient, rest: [UInt8]) {
                let client = try TLSClient(to: server.port, offer, shakesHands: false)
                let hello = client.clientHello()
                try client.writeRaw(Array(hello.prefix(50)))
                return (client, Array(hello.dropFirst(50)))
            }
            let (late, lateNobody) = try (begin(revoked), begin(version.offer))
            for client in [idle, busy] {
                #expect(try client.get("/who").text == ServerTLSClientCertificateTests.names)
            }
            #expect(try nobody.get("/who").text == "nobody")
            // As before, so that nothing ends; the tickets' keys are others.
            var resuming = version.offer
            resuming.session = nobody.session
            server.replaceIdentity(with: try identity())
            #expect(eventually { (try? TLSClient(to: server.port, resuming))?.isResumed == false })
            #expect(try idle.get("/who").text == ServerTLSClientCertificateTests.names)
            try busy.write("GET /who HTTP/1.1\r\nHost")
            #expect(try nobody.get("/who").text == "nobody")

            server.replaceIdentity(with: try identity(revocations: certificates.revocations))
            #expect(try idle.isClosed())
            try busy.write(": h\r\n\r\n")
            let last = try busy.answer()
            #expect(last.text == ServerTLSClientCertificateTests.names && last.closes)
            #expect(try busy.isClosed())
            try late.client.writeRaw(late.rest)
            #expect(throws: (any Error).self) {
                try late.client.handshake()
                _ = try late.client.get("/who")
            }
            try lateNobody.client.writeRaw(lateNobody.rest)
            try lateNobody.client.handshake()
            for client in [nobody, lateNobody.client] {
                for _ in 0..<2 { #expect(try client.get("/who").text == "nobody") }
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a certificate is good no longer than the list that it was checked against, in resumed sessions, too`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        let end = try #require(try authorities(revocations: certificates.revocations).revocationsEnd)
        try withIdentity(kind, revocations: certificates.revocations) { (server) throws in
            var offer = offer(version, certificates.caller)
            for isResumed in [false, true] {
                let client = try TLSClient(to: server.port, offer)
                #expect(try client.get("/checked").text == "\(end)" && client.isResumed == isResumed)
                offer.session = client.session
            }
        }
        try withIdentity(kind) { (server) throws in
            let client = try TLSClient(to: server.port, offer(version, certificates.caller))
            #expect(try client.get("/checked").text == "\(Int64.max)")
        }
    }

    @Test func `the lists that count are the newest of the authorities above a certificate`() throws {
        let (caller, stranger) = try (first(certificates.caller), first(certificates.strangeCaller))
        defer { for certificate in [caller, stranger] { X509_free(certificate) } }
        let (new, old) = try (bytes(certificates.revocations), bytes(certificates.oldRevocations))
        let both = try ClientAuthorities(bytes(certificates.authority), revocations: old + new)
        let alone = try authorities(revocations: certificates.revocations)
        #expect(both.revocationsEnd(for: caller) == alone.revocationsEnd)
        #expect(try authorities(revocations: certificates.oldRevocations).revocationsEnd(for: caller) == 1_580_515_200)
        // An authority beside them, of which there is an older list.
        let strange = try bytes(certificates.authority) + bytes(certificates.strangeAuthority)
        let list = try Array(revocationList(of: "strange", end: 1_580_515_200).utf8)
        let two = try ClientAuthorities(strange, revocations: new + list)
        #expect(two.revocationsEnd == 1_580_515_200)
        #expect(two.revocationsEnd(for: caller) == alone.revocationsEnd)
        #expect(two.revocationsEnd(for: stranger) == 1_580_515_200)
        #expect(both.revocationsEnd(for: stranger) == .min)
        // An authority between, which the client itself has to show.
        let deep = try first(certificates.incomplete)
        defer { X509_free(deep) }
        #expect(alone.revocationsEnd(for: deep) == .min)
        let between = try Array(revocationList(of: "middle", end: 1_893_456_000).utf8)
        let shown = try ClientAuthorities(bytes(certificates.authority), revocations: new + between)
        #expect(shown.revocationsEnd(for: deep) == min(1_893_456_000, alone.revocationsEnd ?? .max))
        let ended = try Array(revocationList(of: "middle", end: 1_580_515_200).utf8)
        #expect(
            try ClientAuthorities(bytes(certificates.authority), revocations: new + ended).revocationsEnd(for: deep)
                == 1_580_515_200)
    }

    @Test func `the same authorities and lists accept the same, and others do not`() throws {
        let (list, old) = (certificates.revocations, certificates.oldRevocations)
        let all = try [nil, list, old].map { try authorities(revocations: $0) }
        let others = try [nil, list, old].map { try authorities(revocations: $0) }
        for (index, one) in all.enumerated() {
            for (otherIndex, other) in others.enumerated() {
                #expect(one.accepts(theSameAs: other) == (index == otherIndex))
            }
        }
        let strange = try ClientAuthorities(bytes(certificates.strangeAuthority), revocations: nil)
        #expect(!strange.accepts(theSameAs: all[0]))
    }

    /// The first certificate of a chain; the caller's to free.
    private func first(_ pair: ClientCertificates.Pair) throws -> OpaquePointer {
        let file = BIO_new_file(pair.chain, "r")
        defer { BIO_free(file) }
        return try #require(PEM_read_bio_X509(file, nil, nil, nil))
    }

    /// What RFC 5280 forbids, and OpenSSL takes for a list without an end.
    @Test(arguments: TransportKind.allCases)
    func `a list that does not say when it ends does not end`(kind: TransportKind) throws {
        let list = try certificates.file("endless-\(kind).crl", revocationList(of: "ca"))
        #expect(try authorities(revocations: list).revocationsEnd == nil)
        try withIdentity(kind, revocations: list) { (server) throws in
            let client = try TLSClient(to: server.port, offer(TLSVersion.allCases[1], certificates.caller))
            #expect(try client.get("/checked").text == "\(Int64.max)")
        }
    }

    /// An empty list in PEM, from 2020 on.
    private func revocationList(of authority: String, end: Int? = nil) throws -> String {
        let paths = certificates.root(authority)
        let (certificate, file) = (try first(paths), BIO_new_file(paths.key, "r"))
        let key = PEM_read_bio_PrivateKey(file, nil, nil, nil)
        let (list, out) = (X509_CRL_new(), BIO_new(BIO_s_mem()))
        let times = [1_577_836_800, end].map { $0.map { ASN1_TIME_set(nil, $0) } ?? nil }
        defer {
            for bio in [file, out] { BIO_free(bio) }
            for time in times { ASN1_STRING_free(time) }
            X509_CRL_free(list)
            X509_free(certificate)
            EVP_PKEY_free(key)
        }
        X509_CRL_set_version(list, 1)
        X509_CRL_set_issuer_name(list, X509_get_subject_name(certificate))
        X509_CRL_set1_lastUpdate(list, times[0])
        if let time = times[1] { X509_CRL_set1_nextUpdate(list, time) }
        #expect(X509_CRL_sign(list, key, EVP_sha256()) > 0 && PEM_write_bio_X509_CRL(out, list) == 1)
        var text = [UInt8](repeating: 0, count: BIO_ctrl_pending(out))
        #expect(BIO_read(out, &text, Int32(text.count)) == text.count)
        return String(decoding: text, as: UTF8.self)
    }

    @Test func `files that hold something else are refused`() throws {
        let authority = Array(try certificates.text(certificates.authority).utf8)
        let other = Array(try certificates.text(certificates.strangeAuthority).utf8)
        let leaf = Array(try certificates.text(certificates.caller.chain).utf8)
        let list = Array(try certificates.text(certificates.revocations).utf8)
        func fault(_ authorities: [UInt8], _ revocations: [UInt8]?) -> ClientAuthorities.Fault? {
            do throws(ClientAuthorities.Fault) {
                _ = try ClientAuthorities(authorities, revocations: revocations)
                return nil
            } catch {
                return error
            }
        }
        #expect(fault(authority, nil) == nil)
        #expect(fault(authority, list) == nil)
        for wrong in [[], list, Array("x".utf8), leaf, authority + leaf] {
            guard case .authorities? = fault(wrong, nil) else {
                Issue.record("\(wrong.count) bytes are no authorities")
                continue
            }
        }
        for wrong in [[], authority, list.dropLast(100) + Array("-----END X509 CRL-----\n".utf8)] {
            #expect(
                fault(authority, wrong)
                    == .revocations("holds no list of revocations in PEM (-----BEGIN X509 CRL-----), or a broken one"))
        }
        #expect(
            fault(authority + other, list)
                == .revocations("holds no list that certificate 2 of the authorities has signed"))
    }
}
