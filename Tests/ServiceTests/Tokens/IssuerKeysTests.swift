import Crypto
import TestKeys
import Testing

@testable import Net
@testable import Service

@Suite("Keys that are fetched: R8, R19") struct IssuerKeysTests {
    private let one = TestKey(.eddsa)
    private let two = TestKey(.eddsa)

    private func jwk(_ key: TestKey, _ kid: String) -> String { key.jwk("\"kid\":\"\(kid)\"") }

    @Test func `keys are asked for at start, by one loop, and all loops take them`() throws {
        let house = try KeyHouse(loops: 3)
        let questions = house.couriers.flatMap(\.sent)
        #expect(questions.count == 1)
        #expect(
            questions.first?.request
                == "GET /keys HTTP/1.1\r\nHost: id.example.com\r\naccept: application/json\r\n\r\n")
        for loop in 0..<3 { #expect(house.outcome(house.token(one, kid: "a"), at: loop) == .refused) }
        try house.answer([jwk(one, "a")])
        for loop in 0..<3 {
            #expect(house.outcome(house.token(one, kid: "a"), at: loop) == .believed)
            #expect(house.outcome(house.token(two, kid: "a"), at: loop) == .refused)
        }
        #expect(house.asked().isEmpty)
    }

    @Test func `they are fetched again when it is time, and no token waits for that`() throws {
        let house = try KeyHouse(loops: 2, "jwksRefresh: '60s'")
        try house.answer([jwk(one, "a")])
        house.pass(milliseconds: 59_500)
        #expect(house.asked().isEmpty)
        house.pass(milliseconds: 1_000)
        #expect(house.outcome(house.token(one, kid: "a")) == .believed)
        try house.answer([jwk(one, "a"), jwk(two, "b")])
        #expect(house.outcome(house.token(two, kid: "b"), at: 1) == .believed)
    }

    @Test func `a kid that is not known has them fetched at once, but not by every token`() throws {
        let house = try KeyHouse()
        try house.answer([jwk(one, "a")])
        house.pass(milliseconds: 10_000)
        #expect(house.outcome(house.token(two, kid: "b")) == .refused)
        #expect(house.outcome(house.token(two, kid: "c")) == .refused)
        try house.answer([jwk(one, "a"), jwk(two, "b")])
        #expect(house.outcome(house.token(two, kid: "b")) == .believed)
        for _ in 0..<100 { #expect(house.outcome(house.token(two, kid: "c")) == .refused) }
        #expect(house.asked().isEmpty)
    }

    @Test func `a key that has gone takes the tokens along that were remembered`() throws {
        let house = try KeyHouse("jwksRefresh: '60s'")
        try house.answer([jwk(one, "a"), jwk(two, "b")])
        let tokens = [house.token(one, kid: "a"), house.token(two, kid: "b")]
        for token in tokens { #expect(house.outcome(token) == .believed) }
        house.pass(milliseconds: 60_250)
        try house.answer([jwk(two, "b")])
        #expect(house.outcome(tokens[0]) == .refused)
        #expect(house.outcome(tokens[1]) == .believed)
    }

    @Test func `an issuer that cannot be reached is outlived, as long as it is said`() throws {
        let house = try KeyHouse("jwksRefresh: '60s', jwksKeep: '10m'")
        try house.answer([jwk(one, "a")])
        let token = house.token(one, kid: "a")
        #expect(house.outcome(token) == .believed)
        var questions = 0
        for second in 1..<600 {
            house.pass(milliseconds: 1_000)
            for question in house.asked() {
                questions += 1
                question.fail()
            }
            #expect(house.outcome(token) == .believed, "\(second)")
        }
        #expect((20...300).contains(questions))
        house.pass(milliseconds: 2_000)
        // Also what was remembered.
        #expect(house.outcome(token) == .outdated)
        #expect(house.outcome(house.token(one, kid: "a", lasting: 2_000_000)) == .outdated)
        for _ in 0..<60 where house.couriers[0].sent.isEmpty { house.pass(milliseconds: 1_000) }
        try house.answer([jwk(one, "a")])
        #expect(house.outcome(token) == .believed)
    }

    @Test func `only a token that keys out of date have signed is told to wait, with a kid or without`() throws {
        let house = try KeyHouse("jwksRefresh: '60s', jwksKeep: '60s'")
        let tokens = ["a", nil].map { house.token(one, kid: $0) }
        let forged = ["a", "b", nil].map { house.token(two, kid: $0) } + [house.token(one, kid: "b")]
        // Keys have never come: not even the issuer's own tokens are told from others.
        for token in tokens + forged { #expect(house.outcome(token) == .refused) }
        try house.answer([jwk(one, "a")])
        for token in tokens { #expect(house.outcome(token) == .believed) }
        house.pass(milliseconds: 60_250)
        for token in tokens { #expect(house.outcome(token) == .outdated) }
        for token in forged { #expect(house.outcome(token) == .refused) }
        try house.answer([jwk(one, "a")])
        for token in tokens { #expect(house.outcome(token) == .believed) }
    }

    @Test(arguments: [
        (200, "x"), (200, "{}"), (200, "{\"keys\":{}}"), (200, "{\"keys\":[]"), (204, ""), (302, "{}"),
        (403, "{}"), (404, ""), (500, ""), (503, "{\"keys\":[]}"),
    ])
    func `an answer that is no set of the issuer's keys leaves the ones before`(status: Int, body: String) throws {
        let house = try KeyHouse("jwksRefresh: '60s'")
        try house.answer([jwk(one, "a")])
        house.pass(milliseconds: 60_250)
        for _ in 0..<8 {
            for question in house.asked() { question.answer(status, body) }
            house.pass(milliseconds: 1_000)
            #expect(house.outcome(house.token(one, kid: "a")) == .believed)
        }
        for _ in 0..<60 where house.couriers[0].sent.isEmpty { house.pass(milliseconds: 1_000) }
        try house.answer([jwk(two, "b")])
        #expect(house.outcome(house.token(two, kid: "b")) == .believed)
    }

    @Test func `what an issuer withdraws is believed no longer, whatever is wrong with the rest of its set`() throws {
        let shown = jwk(one, "a").replacing("{", with: "{\"d\":\"AA\",")
        for rest in [
            "", "{\"kty\":\"RSA\"}", jwk(two, "b") + "," + jwk(two, "b"), "1", TestKey(.rs256).jwk(), shown,
            "{\"kty\":\"EC\",\"crv\":\"P-384\",\"kid\":7}",
        ] {
            let house = try KeyHouse("jwksRefresh: '60s'")
            try house.answer([jwk(one, "a")])
            #expect(house.outcome(house.token(one, kid: "a")) == .believed)
            house.pass(milliseconds: 60_250)
            try house.answer([rest])
            #expect(house.outcome(house.token(one, kid: "a")) == .refused, "\(rest)")
            #expect((house.outcome(house.token(two, kid: "b")) == .believed) == rest.contains("\"b\""))
        }
    }

    @Test func `keys of an algorithm that is not the issuer's are no keys`() throws {
        let house = try KeyHouse()
        try house.answer([TestKey(.rs256).jwk()])
        #expect(house.outcome(house.token(one)) == .refused)
    }

    @Test func `a source does not keep a loop's keys whose configuration is gone, and goes on with the others`() throws
    {
        let house = try KeyHouse(loops: 2)
        weak let gone = house.loops[1]
        house.dismissLast()
        #expect(gone == nil)
        try house.answer([jwk(one, "a")])
        #expect(house.outcome(house.token(one, kid: "a")) == .believed)
    }

    @Test func `R19: the next configuration has the keys of an issuer that stays, and remembers none of its tokens`()
        throws
    {
        let house = try KeyHouse()
        try house.answer([jwk(one, "a")])
        let token = house.token(one, kid: "a")
        #expect(house.outcome(token) == .believed)
        try house.reload()
        #expect(house.asked().isEmpty)
        #expect(house.remembered == 0)
        #expect(house.outcome(token) == .believed)
        // Keys that come later reach it.
        for _ in 0..<700 where house.couriers[0].sent.isEmpty { house.pass(milliseconds: 1_000) }
        try house.answer([jwk(two, "b")])
        #expect(house.outcome(house.token(two, kid: "b")) == .believed)
        #expect(house.outcome(token) == .refused)
    }

    @Test(arguments: ["algorithms: [\"EdDSA\"],", "jwksRefresh: \"1m\",", "jwksKeep: \"2d\","])
    func `R19: an issuer that is another is asked for its keys anew`(field: String) throws {
        let house = try KeyHouse()
        try house.answer([jwk(one, "a")])
        try house.reload(field)
        house.pass(milliseconds: 250)
        #expect(house.outcome(house.token(one, kid: "a")) == .refused)
        try house.answer([jwk(one, "a")])
        #expect(house.outcome(house.token(one, kid: "a")) == .believed)
    }
}
