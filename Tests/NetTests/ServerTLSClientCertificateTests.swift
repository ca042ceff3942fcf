import COpenSSL
import Crypto
import Foundation
import TestPeers
import Testing

@testable import Net

/// Whose certificates a server takes from its clients (R9).
@Suite(.timeLimit(.minutes(10))) struct ServerTLSClientCertificateTests {
    private let certificates: ClientCertificates

    init() throws { certificates = try ClientCertificates.shared.get() }

    private func identity(revocations: String? = nil) throws -> TLSIdentity {
        func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }
        let authorities = try ClientAuthorities(bytes(certificates.authority), revocations: revocations.map(bytes))
        return try TLSIdentity([entry(certificates.good)], acceptingFrom: authorities)
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
