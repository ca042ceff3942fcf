import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// Callers who are known by what they show in the handshake.
@Suite("Callers by certificate: R5, R8, R9, R11, R12", .waiting, .timeLimit(.minutes(20)))
struct CertificateCallersTests {
    private let certificates: ClientCertificates

    init() throws { certificates = try ClientCertificates.shared.get() }

    /// - Parameters:
    ///   - entries: those of `authentication.certificates`.
    ///   - beside: what else is said of TLS.
    private func setup(
        _ name: String = "certificates", _ entries: String = backend, deny: String = "", beside tls: String = ""
    ) -> Setup {
        Setup(
            name: name,
            server: """
                tls: { clientCAFile: "\(certificates.authority)", \(tls) certificates: [
                    { names: "localhost", certificateFile: "\(certificates.good.chain)", keyFile: "\(certificates.good.key)" },
                  ] },
                """,
            rest: """
                authentication: {
                    apiKeys: [\(APIKey.alice.entry)], certificates: [\(entries)], deny: [\(deny)],
                    tickets: { secret: "\(Setup.ticketSecret)" },
                  },
                  grants: {
                    "own": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["certificate:backend"],
                      bucket: "media", keyPrefix: "own/${caller.id}/", lifetime: "10m",
                    },
                    "everybody": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["authenticated"],
                      bucket: "media", keyPrefix: "all/${caller.source}/",
                    },
                    "open": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                      bucket: "media", keyPrefix: "open/",
                    },
                    "forever": {
                      route: "qiniu.authorization", credential: "qiniu", callers: ["certificate:backend"],
                      bucket: "media", keyPrefix: "old/", neverExpires: true,
                    },
                  },
                """)
    }

    private static let backend = #"{ id: "backend", san: ["dns:backend.example.com", "email:a@b"] }"#

    private func ask(
        _ service: Service, _ certificate: ClientCertificates.Pair?, _ target: String, _ fields: String...
    ) throws -> Answer {
        let client = try service.connect(showing: certificate)
        try client.send(service.text("GET", target, fields))
        return try client.answer()
    }

    private static let own = "/qiniu/uptoken?key=own/backend/a.jpg"
    private static let open = "/qiniu/uptoken?key=open/a.jpg"

    @Test func `R9: a certificate is its caller's by any of the names, on every request of its connection`() throws {
        for san in [
            "dns:backend.example.com", "uri:spiffe://example.com/backend", "email:ops@example.com",
        ] {
            try Service.run(setup("by \(san)", "{ id: \"backend\", san: \"\(san)\" }"), .epoll) { service in
                let client = try service.connect(showing: certificates.caller)
                for target in [Self.own, "/qiniu/uptoken?key=all/certificate-backend/b", Self.own] {
                    try client.send(service.text("GET", target))
                    try client.answer().expectSuccess()
                }
                for (target, clause) in [("all/certificate-other/a", "keyPrefix"), ("own/other/a", "keyPrefix")] {
                    try client.send(service.text("GET", "/qiniu/uptoken?key=\(target)"))
                    let answer = try client.answer()
                    answer.expectProblem(403, "not_in_grant")
                    #expect(answer.json["clause"] == .string(clause))
                }
                // The certificate itself ends some day, and these signatures never would (R5).
                try client.send(service.text("GET", "/qiniu/authorization?operation=list&prefix=old/"))
                try client.answer().expectProblem(403, "credential_too_short")
                let listed = try ask(service, certificates.caller, "/grants")
                #expect(listed.text.contains("\"own/backend/\"") && !listed.text.contains("open/"))
            }
        }
    }

    @Test func `R8: a certificate that is nobody's is 401, and never anonymous; what is said expressly goes first`()
        throws
    {
        let double = #"{ id: "other", san: "dns:denied.example.com" }"#
        try Service.run(setup("nobody's", "\(Self.backend), \(double)"), .epoll) { service in
            try ask(service, nil, Self.open).expectSuccess()
            try ask(service, certificates.unknownCaller, Self.open).expectProblem(
                401, "unauthenticated", "known caller")
            try ask(service, certificates.doubleCaller, Self.open).expectProblem(401, "unauthenticated", "two callers")
            let key = APIKey.alice.bearer
            for certificate in [certificates.unknownCaller, certificates.doubleCaller, certificates.caller] {
                try ask(service, certificate, "/qiniu/uptoken?key=all/apiKey-alice/a", key).expectSuccess()
                try ask(service, certificate, Self.own, key).expectProblem(403, "not_in_grant")
                try ask(service, certificate, Self.own, "X-API-Key: wrong").expectProblem(401, "unauthenticated")
                try ask(service, certificate, "/livez").expectSuccess()
            }
        }
    }

    @Test func `R12: who is denied gets nothing, by certificate or by ticket`() throws {
        let minting = setup()
        let ticket = try Service.run(minting, .epoll) { service in
            let client = try service.connect(showing: certificates.caller)
            let json = "Content-Type: application/json"
            try client.send(service.text("POST", "/tickets", [json], body: #"{"grant":"own"}"#))
            let minted = try client.answer()
            minted.expectSuccess()
            let ticket = try #require(minted.json["ticket"]?.string)
            // Whoever has it needs no certificate.
            let answer = try ask(service, nil, Self.own + "&ticket=\(ticket)")
            answer.expectSuccess()
            #expect(answer.json["grant"] == "own")
            return ticket
        }
        try Service.run(setup("denied", deny: "\"certificate:backend\""), .epoll) { service in
            try ask(service, certificates.caller, Self.own).expectProblem(403, "forbidden")
            try ask(service, certificates.caller, "/grants").expectProblem(403, "forbidden")
            try ask(service, nil, Self.own + "&ticket=\(ticket)").expectProblem(403, "forbidden")
            try ask(service, nil, Self.open).expectSuccess()
        }
        let other = #"{ id: "other", san: "dns:backend.example.com" }"#
        var renamed = setup("renamed", other)
        renamed.rest = renamed.rest.replacing("certificate:backend", with: "certificate:other")
        try Service.run(renamed, .epoll) { service in
            // R19: the id of whom it was made for is nobody's any more.
            try ask(service, nil, Self.own + "&ticket=\(ticket)").expectProblem(401, "unauthenticated")
        }
    }

    @Test
    func `R19: a ticket ends when the list of revocations names its maker's certificate, and outlives other lists`()
        throws
    {
        func setup(_ list: String) -> Setup { self.setup("ticket", beside: "crlFile: \"\(list)\",") }
        try Service.run(setup(certificates.emptyRevocations), .epoll) { service in
            func mint(_ pair: ClientCertificates.Pair) throws -> String {
                let client = try service.connect(showing: pair)
                let json = "Content-Type: application/json"
                try client.send(service.text("POST", "/tickets", [json], body: #"{"grant":"own"}"#))
                return Self.own + "&ticket=\(try #require(try client.answer().json["ticket"]?.string))"
            }
            let (good, revoked) = (try mint(certificates.caller), try mint(certificates.revokedCaller))
            for url in [good, revoked] { try ask(service, nil, url).expectSuccess() }
            try service.reload(setup(certificates.revocations), .epoll, generation: 2)
            try ask(service, nil, good).expectSuccess()
            try ask(service, nil, revoked).expectProblem(401, "unauthenticated", "is no longer valid")
            // The certificate is not the caller's any more: by no name that it has, or as much another's, by any of its names.
            for (number, others) in [
                #"{ id: "backend", san: "dns:backend.example.com" }, { id: "other", san: "email:ops@example.com" }"#,
                #"{ id: "backend", san: "dns:new.example.com" }"#,
                #"{ id: "backend", san: "dns:new.example.com" }, { id: "other", san: "dns:backend.example.com" }"#,
            ].enumerated() {
                let renamed = self.setup("ticket", others, beside: "crlFile: \"\(certificates.revocations)\",")
                try service.reload(renamed, .epoll, generation: 2 * number + 3)
                try ask(service, nil, good).expectProblem(401, "unauthenticated", "is no longer valid")
                try service.reload(setup(certificates.revocations), .epoll, generation: 2 * number + 4)
                try ask(service, nil, good).expectSuccess()
            }
            // And when its authority is none any more.
            var other = self.setup("ticket")
            other.server = other.server.replacing(certificates.authority, with: certificates.strangeAuthority)
            try service.reload(other, .epoll, generation: 9)
            try ask(service, nil, good).expectProblem(401, "unauthenticated")
        }
    }

    @Test(arguments: Transport.allCases)
    func `a certificate that is revoked, ended, or another authority's does not come so far`(_ transport: Transport)
        throws
    {
        let setup = setup("revoked", beside: "crlFile: \"\(certificates.revocations)\",")
        try Service.run(setup, transport) { service in
            try ask(service, certificates.caller, Self.own).expectSuccess()
            for certificate in [certificates.revokedCaller, certificates.endedCaller, certificates.strangeCaller] {
                #expect(throws: Program.Failure.self) { try ask(service, certificate, Self.own) }
            }
        }
    }
}
