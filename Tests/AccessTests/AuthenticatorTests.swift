import Testing

@testable import Access
@testable import Bytes

@Suite struct AuthenticatorTests {
    private let authenticator: Authenticator

    init() throws {
        authenticator = Authenticator(
            apiKeys: [
                try House.key("android", "first-key"), try House.key("android", "second-key"),
                try House.key("ios", "third-key", notAfter: House.now),
            ], denied: [])
    }

    /// The principal's subject, `-` for anonymous, nil for a refusal.
    private func identify(_ authorization: String?, _ apiKey: String? = nil, at now: Int64 = House.now) -> String? {
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

    @Test func `R8: two credentials are refused, even equal ones`() {
        #expect(identify("Bearer first-key", "first-key") == nil)
        #expect(identify(nil, "") == nil)
    }

    @Test func `R5: a key that has ended is refused`() {
        #expect(identify("Bearer third-key", at: House.now - 1) == "ios")
        #expect(identify("Bearer third-key", at: House.now) == nil)
    }

    @Test func `R9: identities are bytes`() {
        let composed = Principal(.apiKey, id: Array("é".utf8))
        let decomposed = Principal(.apiKey, id: Array("e\u{301}".utf8))
        #expect(composed != decomposed)
        #expect(Principal(.apiKey, id: Array("A".utf8)) != Principal(.apiKey, id: Array("a".utf8)))
    }
}
