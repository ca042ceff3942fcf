import Crypto
import TestKeys
import Testing

@testable import Net
@testable import Gateway

@Suite("Keys that are fetched: R8, R19") struct LoopTokensTests {
    private let one = TestKey(.eddsa)
    private let two = TestKey(.eddsa)

    private func jwk(_ key: TestKey, _ kid: String) -> String { key.jwk("\"kid\":\"\(kid)\"") }

    @Test func `keys are asked for at start, by one loop, and all loops take them`() throws {
        let fixture = try KeyFixture(loops: 3)
        let questions = fixture.upstreamClients.flatMap(\.sent)
        #expect(questions.count == 1)
        #expect(
            questions.first?.request
                == "GET /keys HTTP/1.1\r\nHost: id.example.com\r\naccept: application/json\r\n\r\n")
        for loop in 0..<3 { #expect(fixture.outcome(fixture.token(one, kid: "a"), at: loop) == .refused) }
        try fixture.answer([jwk(one, "a")])
        for loop in 0..<3 {
            #expect(fixture.outcome(fixture.token(one, kid: "a"), at: loop) == .believed)
            #expect(fixture.outcome(fixture.token(two, kid: "a"), at: loop) == .refused)
        }
        #expect(fixture.asked().isEmpty)
    }

    @Test func `they are fetched again when it is time, and no token waits for that`() throws {
        let fixture = try KeyFixture(loops: 2, "jwksRefresh: '60s'")
        try fixture.answer([jwk(one, "a")])
        fixture.pass(milliseconds: 59_500)
        #expect(fixture.asked().isEmpty)
        fixture.pass(milliseconds: 1_000)
        #expect(fixture.outcome(fixture.token(one, kid: "a")) == .believed)
        try fixture.answer([jwk(one, "a"), jwk(two, "b")])
        #expect(fixture.outcome(fixture.token(two, kid: "b"), at: 1) == .believed)
    }

    @Test func `a kid that is not known has them fetched at once, but not by every token`() throws {
        let fixture = try KeyFixture()
        try fixture.answer([jwk(one, "a")])
        fixture.pass(milliseconds: 10_000)
        #expect(fixture.outcome(fixture.token(two, kid: "b")) == .refused)
        #expect(fixture.outcome(fixture.token(two, kid: "c")) == .refused)
        try fixture.answer([jwk(one, "a"), jwk(two, "b")])
        #expect(fixture.outcome(fixture.token(two, kid: "b")) == .believed)
        for _ in 0..<100 { #expect(fixture.outcome(fixture.token(two, kid: "c")) == .refused) }
        #expect(fixture.asked().isEmpty)
    }

    @Test func `a key that has gone takes the tokens along that were remembered`() throws {
        let fixture = try KeyFixture("jwksRefresh: '60s'")
        try fixture.answer([jwk(one, "a"), jwk(two, "b")])
        let tokens = [fixture.token(one, kid: "a"), fixture.token(two, kid: "b")]
        for token in tokens { #expect(fixture.outcome(token) == .believed) }
        fixture.pass(milliseconds: 60_250)
        try fixture.answer([jwk(two, "b")])
        #expect(fixture.outcome(tokens[0]) == .refused)
        #expect(fixture.outcome(tokens[1]) == .believed)
    }

    @Test func `an issuer that cannot be reached is outlived, as long as it is said`() throws {
        let fixture = try KeyFixture("jwksRefresh: '60s', jwksKeep: '10m'")
        try fixture.answer([jwk(one, "a")])
        let token = fixture.token(one, kid: "a")
        #expect(fixture.outcome(token) == .believed)
        var questions = 0
        for second in 1..<600 {
            fixture.pass(milliseconds: 1_000)
            for question in fixture.asked() {
                questions += 1
                question.fail()
            }
            #expect(fixture.outcome(token) == .believed, "\(second)")
        }
        #expect((20...300).contains(questions))
        fixture.pass(milliseconds: 2_000)
        // Also what was remembered.
        #expect(fixture.outcome(token) == .outdated)
        #expect(fixture.outcome(fixture.token(one, kid: "a", lasting: 2_000_000)) == .outdated)
        for _ in 0..<60 where fixture.upstreamClients[0].sent.isEmpty { fixture.pass(milliseconds: 1_000) }
        try fixture.answer([jwk(one, "a")])
        #expect(fixture.outcome(token) == .believed)
    }

    @Test func `keys are kept no shorter than it is said, wherever in a second they came`() throws {
        let fixture = try KeyFixture("jwksRefresh: '60s', jwksKeep: '61s'")
        fixture.pass(milliseconds: 900)
        try fixture.answer([jwk(one, "a")])
        let token = fixture.token(one, kid: "a")
        fixture.pass(milliseconds: 60_900)
        #expect(fixture.outcome(token) == .believed)
        fixture.pass(milliseconds: 1_100)
        #expect(fixture.outcome(token) == .outdated)
    }

    @Test func `only a token that keys out of date have signed is told to wait, with a kid or without`() throws {
        let fixture = try KeyFixture("jwksRefresh: '60s', jwksKeep: '90s'")
        let tokens = ["a", nil].map { fixture.token(one, kid: $0) }
        let forged = ["a", "b", nil].map { fixture.token(two, kid: $0) } + [fixture.token(one, kid: "b")]
        // Keys have never come: not even the issuer's own tokens are told from others.
        for token in tokens + forged { #expect(fixture.outcome(token) == .refused) }
        try fixture.answer([jwk(one, "a")])
        for token in tokens { #expect(fixture.outcome(token) == .believed) }
        fixture.pass(milliseconds: 91_250)
        for token in tokens { #expect(fixture.outcome(token) == .outdated) }
        for token in forged { #expect(fixture.outcome(token) == .refused) }
        for question in fixture.asked() { question.fail() }
        for _ in 0..<60 where fixture.upstreamClients[0].sent.isEmpty { fixture.pass(milliseconds: 1_000) }
        try fixture.answer([jwk(one, "a")])
        for token in tokens { #expect(fixture.outcome(token) == .believed) }
    }

    @Test(arguments: [
        (200, "x"), (200, "{}"), (200, "{\"keys\":{}}"), (200, "{\"keys\":[]"), (204, ""), (302, "{}"),
        (403, "{}"), (404, ""), (500, ""), (503, "{\"keys\":[]}"),
    ])
    func `an answer that is no set of the issuer's keys leaves the ones before`(status: Int, body: String) throws {
        let fixture = try KeyFixture("jwksRefresh: '60s'")
        try fixture.answer([jwk(one, "a")])
        fixture.pass(milliseconds: 60_250)
        for _ in 0..<8 {
            for question in fixture.asked() { question.answer(status, body) }
            fixture.pass(milliseconds: 1_000)
            #expect(fixture.outcome(fixture.token(one, kid: "a")) == .believed)
        }
        for _ in 0..<60 where fixture.upstreamClients[0].sent.isEmpty { fixture.pass(milliseconds: 1_000) }
        try fixture.answer([jwk(two, "b")])
        #expect(fixture.outcome(fixture.token(two, kid: "b")) == .believed)
    }

    @Test func `what an issuer withdraws is believed no longer, whatever is wrong with the rest of its set`() throws {
        let shown = jwk(one, "a").replacing("{", with: "{\"d\":\"AA\",")
        for rest in [
            "", "{\"kty\":\"RSA\"}", jwk(two, "b") + "," + jwk(two, "b"), "1", TestKey(.rs256).jwk(), shown,
            "{\"kty\":\"EC\",\"crv\":\"P-384\",\"kid\":7}",
        ] {
            let fixture = try KeyFixture("jwksRefresh: '60s'")
            try fixture.answer([jwk(one, "a")])
            #expect(fixture.outcome(fixture.token(one, kid: "a")) == .believed)
            fixture.pass(milliseconds: 60_250)
            try fixture.answer([rest])
            #expect(fixture.outcome(fixture.token(one, kid: "a")) == .refused, "\(rest)")
            #expect((fixture.outcome(fixture.token(two, kid: "b")) == .believed) == rest.contains("\"b\""))
        }
    }

    @Test func `keys of an algorithm that is not the issuer's are no keys`() throws {
        let fixture = try KeyFixture()
        try fixture.answer([TestKey(.rs256).jwk()])
        #expect(fixture.outcome(fixture.token(one)) == .refused)
    }

    @Test func `a source does not keep a loop's keys whose configuration is gone, and goes on with the others`() throws
    {
        let fixture = try KeyFixture(loops: 2)
        weak let gone = fixture.loops[1]
        fixture.dismissLast()
        #expect(gone == nil)
        try fixture.answer([jwk(one, "a")])
        #expect(fixture.outcome(fixture.token(one, kid: "a")) == .believed)
    }

    @Test func `R19: the next configuration has the keys of an issuer that stays, and remembers none of its tokens`()
        throws
    {
        let fixture = try KeyFixture()
        try fixture.answer([jwk(one, "a")])
        let token = fixture.token(one, kid: "a")
        #expect(fixture.outcome(token) == .believed)
        try fixture.reload()
        #expect(fixture.asked().isEmpty)
        #expect(fixture.remembered == 0)
        #expect(fixture.outcome(token) == .believed)
        // Keys that come later reach it.
        for _ in 0..<700 where fixture.upstreamClients[0].sent.isEmpty { fixture.pass(milliseconds: 1_000) }
        try fixture.answer([jwk(two, "b")])
        #expect(fixture.outcome(fixture.token(two, kid: "b")) == .believed)
        #expect(fixture.outcome(token) == .refused)
    }

    @Test(arguments: ["algorithms: [\"EdDSA\"],", "jwksRefresh: \"1m\",", "jwksKeep: \"2d\","])
    func `R19: an issuer that is another is asked for its keys anew`(field: String) throws {
        let fixture = try KeyFixture()
        try fixture.answer([jwk(one, "a")])
        try fixture.reload(field)
        fixture.pass(milliseconds: 250)
        #expect(fixture.outcome(fixture.token(one, kid: "a")) == .refused)
        try fixture.answer([jwk(one, "a")])
        #expect(fixture.outcome(fixture.token(one, kid: "a")) == .believed)
    }
}
