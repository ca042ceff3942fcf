import Crypto
import TestKeys
import Testing

@testable import Access
@testable import Bytes

@Suite struct AuthenticatorTests {
    private let authenticator: Authenticator

    init() throws {
        authenticator = Authenticator(
            .init(
                apiKeys: [
                    try Fixture.key("android", "first-key"), try Fixture.key("android", "second-key"),
                    try Fixture.key("ios", "third-key", notAfter: Fixture.now),
                ], denied: []))
    }

    /// The principal's subject, `-` for anonymous, nil for a refusal.
    private func identify(_ authorization: String?, _ apiKey: String? = nil, at now: Int64 = Fixture.now) -> String? {
        let field = Array((authorization ?? "").utf8)
        let key = Array((apiKey ?? "").utf8)
        var memory = authenticator.makeMemory()
        let finding = authenticator.identify(
            authorization: authorization == nil ? nil : field.span, apiKey: apiKey == nil ? nil : key.span, at: now,
            remembering: &memory)
        switch finding {
        case .caller(let caller): return caller.principal.kind == .anonymous ? "-" : caller.principal.subject.text
        case .refused: return nil
        }
    }

    @Test func `R8: who presents nothing is anonymous`() {
        #expect(identify(nil) == "-")
    }

    @Test(arguments: ["Bearer first-key", "bearer second-key", "BEARER first-key"])
    func `R8: an API key is its client's, whichever of the client's keys`(field: String) {
        #expect(identify(field) == "android")
        #expect(identify(nil, String(field.dropFirst(7))) == "android")
    }

    @Test(arguments: [
        "", "Bearer", "Bearer ", "Bearer  first-key", "Bearer first-key ", "Bearer first-kez", "Bearer FIRST-KEY",
        "Basic Zmlyc3Q6a2V5", "first-key", "Bearer first-key, Bearer second-key", "Bearerfirst-key",
        "Bearer \u{66}irst-key\u{301}", "Bearer " + String(repeating: "x", count: 600),
    ])
    func `R8: what is presented and wrong is refused, never anonymous`(field: String) {
        #expect(identify(field) == nil)
    }

    @Test func `R12, R19: who has shown a key is served while the key holds, here and by another configuration`() throws
    {
        let keys = [
            try Fixture.key("app", "ending", notAfter: Fixture.now + 10), try Fixture.key("app", "lasting"),
            try Fixture.key("other", "other"),
        ]
        func caller(_ key: String, of authenticator: Authenticator) throws -> Caller {
            let key = Array(key.utf8)
            guard case .caller(let caller) = authenticator.identify(apiKey: key.span, at: Fixture.now) else {
                throw CryptoError.unavailable("the caller")
            }
            return caller
        }
        func served(_ authenticator: Authenticator, of origin: Authenticator, at now: Int64) throws -> [String] {
            try ["ending", "lasting", "other"].filter {
                authenticator.serves(try caller($0, of: origin), at: now, authenticator.makeMemory())
            }
        }
        let app = Principal(.apiKey, id: Array("app".utf8), subject: Array("app".utf8))
        let origin = Authenticator(.init(apiKeys: keys, denied: []))
        let denying = Authenticator(.init(apiKeys: keys, denied: [app]))
        for authenticator in [origin, Authenticator(.init(apiKeys: keys, denied: []))] {
            #expect(try served(authenticator, of: origin, at: Fixture.now + 9) == ["ending", "lasting", "other"])
            #expect(try served(authenticator, of: origin, at: Fixture.now + 10) == ["lasting", "other"])
        }
        for former in [origin, denying] { #expect(try served(denying, of: former, at: Fixture.now) == ["other"]) }
        #expect(try served(Authenticator(.init(apiKeys: [keys[1]], denied: [])), of: origin, at: 0) == ["lasting"])
    }

    @Test func `an empty credential is nobody's, even where somebody has its digest`() throws {
        let authenticator = Authenticator(.init(apiKeys: [try Fixture.key("nobody", "")], denied: []))
        var memory = authenticator.makeMemory()
        let empty: [UInt8] = []
        func isRefused(_ finding: Authenticator.Finding) -> Bool { if case .refused = finding { true } else { false } }
        for field in ["Bearer ", "bearer ", "Bearer"] {
            let field = Array(field.utf8)
            #expect(
                isRefused(
                    authenticator.identify(
                        authorization: field.span, apiKey: nil, at: Fixture.now, remembering: &memory)))
        }
        #expect(
            isRefused(
                authenticator.identify(authorization: nil, apiKey: empty.span, at: Fixture.now, remembering: &memory)))
        #expect(isRefused(authenticator.identify(apiKey: empty.span, at: Fixture.now)))
        #expect(
            isRefused(authenticator.identify(ticket: empty.span, by: nil, at: Fixture.now, remembering: &memory)))
    }

    @Test func `a key that has ended is answered as one that nobody has, however it is sent, and only the log is told`()
        throws
    {
        let ended = Authenticator.APIKey(
            id: Array("app".utf8), digest: try Digest(.sha256, of: Array("ended".utf8).span), notAfter: Fixture.now - 1)
        let authenticator = Authenticator(.init(apiKeys: [ended], denied: []))
        func told(_ key: String, asBearer: Bool) -> (reason: String, fault: CredentialFault?) {
            var memory = authenticator.makeMemory()
            let (bearer, key) = (Array("Bearer \(key)".utf8), Array(key.utf8))
            let finding = authenticator.identify(
                authorization: asBearer ? bearer.span : nil, apiKey: asBearer ? nil : key.span, at: Fixture.now,
                remembering: &memory)
            guard case .refused(let reason, let fault) = finding else { return ("accepted", nil) }
            return (reason.description, fault)
        }
        for asBearer in [true, false] {
            let (known, unknown) = (told("ended", asBearer: asBearer), told("unknown", asBearer: asBearer))
            #expect(known.reason == unknown.reason && unknown.fault == nil)
            guard case .endedKey(let principal)? = known.fault else {
                Issue.record("\(String(describing: known.fault))")
                continue
            }
            #expect(principal.written.text == "apiKey:app")
        }
    }

    @Test func `R8: two credentials are refused, even equal ones`() {
        #expect(identify("Bearer first-key", "first-key") == nil)
        #expect(identify(nil, "") == nil)
    }

    @Test func `R5: a key that has ended is refused`() {
        #expect(identify("Bearer third-key", at: Fixture.now - 1) == "ios")
        #expect(identify("Bearer third-key", at: Fixture.now) == nil)
    }

    @Test func `R9: identities are bytes`() {
        let composed = Principal(.apiKey, id: Array("é".utf8))
        let decomposed = Principal(.apiKey, id: Array("e\u{301}".utf8))
        #expect(composed != decomposed)
        #expect(Principal(.apiKey, id: Array("A".utf8)) != Principal(.apiKey, id: Array("a".utf8)))
    }

    @Test(arguments: [1, 2, 3, 7, 8, 100, 1000])
    func `each of many keys is found, also beside others whose digests begin as its does`(count: Int) throws {
        let texts = (0..<count).map { "key number \($0) of many" }
        var keys = try texts.map { try Fixture.key("id-\($0)", $0) }
        for text in texts.prefix(3) {
            for last in [0, 0x7F, 0xFF] as [UInt8] {
                var bytes = try Fixture.digest(text).bytes.array
                for index in 8..<32 { bytes[index] = last }
                let digest = try #require(Digest(bytes))
                keys.append(Authenticator.APIKey(id: Array("twin".utf8), digest: digest, notAfter: nil))
            }
        }
        let authenticator = Authenticator(.init(apiKeys: keys, denied: []))
        for text in texts {
            let found: Caller? =
                if case .caller(let caller) = authenticator.identify(apiKey: Array(text.utf8).span, at: Fixture.now) {
                    caller
                } else { nil }
            #expect(found?.principal.id == Array("id-\(text)".utf8))
        }
        for text in ["", "key number -1 of many", "key number \(count) of many"] {
            let isFound =
                if case .caller = authenticator.identify(apiKey: Array(text.utf8).span, at: Fixture.now) { true } else {
                    false
                }
            #expect(!isFound)
        }
    }

    // MARK: Certificates

    private static func dns(_ name: String) -> AlternativeName { AlternativeName(.dns, Array(name.utf8)) }

    /// Who is known by these names: the subject, or why nobody is.
    private func holder(
        of names: [AlternativeName], denied: Set<Principal> = [], checkedUntil listEnd: Int64 = .max,
        by other: String? = nil, at now: Int64 = Fixture.now
    ) throws -> String {
        let authorities = try ClientAuthorities(Array(Authorities.root.utf8), revocations: nil)
        let proof = try other.map { try ClientAuthorities(Array($0.utf8), revocations: nil) } ?? authorities
        let authenticator = Authenticator(
            .init(
                apiKeys: [],
                certificates: [
                    Authenticator.Certificate(
                        id: Array("backend".utf8),
                        names: [Self.dns("backend.example.com"), AlternativeName(.uri, Array("spiffe://a/b".utf8))]),
                    Authenticator.Certificate(
                        id: Array("batch".utf8), names: [AlternativeName(.email, Array("a@b".utf8))]),
                ], authorities: authorities, denied: denied))
        switch authenticator.identify(
            certificate: names, until: Fixture.now + 60, checkedUntil: listEnd, proof: proof.proof, at: now)
        {
        case .refused(let reason, _): return reason.description
        case .caller(let caller):
            #expect(caller.principal.kind == .certificate && caller.principal.id == caller.principal.subject)
            #expect(caller.endsAt == Fixture.now + 60)
            return caller.principal.id.text + (caller.isDenied ? ", denied" : "")
        }
    }

    @Test func `R9: a certificate is its caller's by any one of the names that are configured`() throws {
        let uri = AlternativeName(.uri, Array("spiffe://a/b".utf8))
        #expect(try holder(of: [Self.dns("backend.example.com")]) == "backend")
        #expect(try holder(of: [Self.dns("other"), uri]) == "backend")
        #expect(
            try holder(of: [uri, Self.dns("backend.example.com"), uri]) == "backend",
            "one caller's names are no two callers")
        #expect(try holder(of: [AlternativeName(.email, Array("a@b".utf8))]) == "batch")
    }

    @Test func `R8, R9: a certificate that names nobody is refused; kinds and bytes count`() throws {
        for name in [
            Self.dns("Backend.example.com"), Self.dns("backend.example.com."), Self.dns("backend.example.co"),
            Self.dns("*.example.com"), Self.dns(""), Self.dns("backend.example.com\0"), Self.dns("spiffe://a/b"),
            AlternativeName(.uri, Array("backend.example.com".utf8)), AlternativeName(.dns, Array("a@b".utf8)),
        ] { #expect(try holder(of: [name]) == "the certificate is not one of a known caller", "\(name)") }
        #expect(try holder(of: []) == "the certificate is not one of a known caller")
    }

    @Test func `R8: a certificate with names of two callers is neither's`() throws {
        let names = [Self.dns("backend.example.com"), AlternativeName(.email, Array("a@b".utf8))]
        for names in [names, names.reversed()] {
            #expect(try holder(of: names) == "the certificate has names of two callers")
        }
    }

    @Test func `R5, R12: a certificate that has ended is refused, and one that is denied is known to be`() throws {
        let names = [Self.dns("backend.example.com")]
        #expect(try holder(of: names, at: Fixture.now + 59) == "backend")
        #expect(try holder(of: names, at: Fixture.now + 60) == "the certificate has ended")
        #expect(try holder(of: names, checkedUntil: Fixture.now + 30, at: Fixture.now + 29) == "backend")
        #expect(
            try holder(of: names, checkedUntil: Fixture.now + 30, at: Fixture.now + 30)
                == "the list of revoked certificates that the certificate was checked against has ended")
        let id = Array("backend".utf8)
        #expect(try holder(of: names, denied: [Principal(.certificate, id: id, subject: id)]) == "backend, denied")
        #expect(try holder(of: names, denied: [Principal(.apiKey, id: id, subject: id)]) == "backend")
    }
}
