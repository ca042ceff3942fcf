import Bytes
import HTTP
import Testing
import Upstream

@testable import Net
@testable import Gateway

/// What becomes of callbacks that wait for the vendor's key.
@Suite struct CallbackKeyCacheTests {
    @Test func `callbacks of all loops wait for one call, and each is judged by itself`() throws {
        let fixture = try CallbackFixture(loops: 3)
        let first = try #require(try fixture.send(to: 1))
        let forged = try #require(try fixture.send(to: 1, isForged: true))
        let other = try #require(try fixture.send(to: 2))
        #expect(fixture.upstreamClients.map(\.sent.count) == [0, 1, 0])
        let call = try #require(fixture.upstreamClients[1].take().first)
        #expect(call.exchange.host == "gosspublic.alicdn.com" && call.exchange.port == 443)
        #expect(call.exchange.answerLimit == 16 * 1024)
        guard case .https = call.exchange.scheme else { throw CallbackFixture.Fault("not over TLS") }
        let head = "GET /callback_pub_key_v1.pem HTTP/1.1\r\nHost: gosspublic.alicdn.com\r\n"
        #expect(call.request.hasPrefix(head))
        call.answer(200, CallbackFixture.pem)
        // Nobody is told before the loops come to it.
        #expect(fixture.answered(by: 1).isEmpty)
        fixture.deliver()
        let answered = fixture.answered(by: 1)
        #expect(answered[first.pending]?.status == 200 && answered[first.pending]?.body == "{\"ok\":1}\n")
        #expect(answered[forged.pending]?.status == 401)
        #expect(fixture.answered(by: 2)[other.pending]?.status == 200)
        #expect(try fixture.send(to: 0) == nil)
        #expect((0..<3).allSatisfy { !fixture.isWaiting(loop: $0) })
    }

    @Test func `nobody waits longer than a request may, and a call in vain is not repeated at once`() throws {
        let fixture = try CallbackFixture()
        let sent = try #require(try fixture.send())
        let start = fixture.monotonic
        while fixture.isWaiting(), fixture.monotonic < start + 10_000 {
            for call in fixture.upstreamClients[0].sent where call.exchange.deadline <= fixture.monotonic {
                fixture.upstreamClients[0].sent.removeAll { $0.number == call.number }
                call.fail(.timeout(.waiting))
            }
            fixture.pass(milliseconds: 250)
        }
        #expect(fixture.monotonic - start <= 2_000)
        #expect(fixture.answered()[sent.pending]?.status == 503)
        do throws(Refusal) {
            try refusal { _ = try fixture.send() }
            Issue.record("it is asked again")
        } catch {
            #expect(error.status == 503 && error.retryAfter ?? 0 >= 1)
        }
        fixture.pass(milliseconds: 2_000)
        _ = try fixture.send()
        #expect(fixture.upstreamClients[0].sent.count == 1)
    }

    private func refusal(_ body: () throws -> Void) throws(Refusal) {
        do { try body() } catch let error as Refusal { throw error } catch {
            throw Refusal(.internalError, "\(error)")
        }
    }

    @Test func `who goes is forgotten, and the call goes on`() throws {
        let fixture = try CallbackFixture()
        let sent = try #require(try fixture.send())
        fixture.parked[0].abandon(sent.pending)
        fixture.parked[0].abandon(sent.pending)
        #expect(fixture.upstreamClients[0].cancelled.isEmpty && fixture.isWaiting())
        try #require(fixture.upstreamClients[0].take().first).answer(200, CallbackFixture.pem)
        fixture.deliver()
        #expect(fixture.answered().isEmpty && !fixture.isWaiting())
        #expect(try fixture.send() == nil)
    }

    @Test func `slots are few`() throws {
        let fixture = try CallbackFixture("waiting: 9")
        let sent = try (0..<9).map { _ in try #require(try fixture.send()) }
        #expect(throws: Refusal.self) { try fixture.send() }
        fixture.parked[0].abandon(sent[7].pending)
        _ = try fixture.send()
        #expect(throws: Refusal.self) { try fixture.send() }
        try #require(fixture.upstreamClients[0].take().first).answer(200, CallbackFixture.pem)
        fixture.deliver()
        #expect(fixture.answered().count == 9)
        #expect(try fixture.send() == nil)
    }

    @Test(arguments: [("", 64, 5), ("remembered: 40, strangeCallsPerSecond: 2", 40, 10)])
    func `made-up versions of keys use up their own budget only`(limits: String, remembered: Int, calls: Int) throws {
        let fixture = try CallbackFixture(limits)
        var refused = 0
        for number in 0..<200 {
            // What is over the budget lands at once, and is answered in the loop's next pass.
            do { _ = try fixture.send("/callback_pub_key_v\(number + 2).pem") } catch is Refusal { refused += 1 }
        }
        #expect(fixture.upstreamClients[0].sent.count == calls)
        #expect(refused == 200 - remembered)
        fixture.deliver()
        #expect(fixture.answered().values.filter { $0.status == 503 }.count == remembered - calls)
        for call in fixture.upstreamClients[0].take() { call.answer(404, "") }
        fixture.deliver()
        #expect(fixture.answered().values.filter { $0.status == 502 }.count == calls)
        let sent = try #require(try fixture.send())
        try #require(fixture.upstreamClients[0].take().first).answer(200, CallbackFixture.pem)
        fixture.deliver()
        #expect(fixture.answered()[sent.pending]?.status == 200)
    }

    @Test func `a key that is an hour old is used while the next is fetched`() throws {
        let fixture = try CallbackFixture()
        _ = try fixture.send()
        try #require(fixture.upstreamClients[0].take().first).answer(200, CallbackFixture.pem)
        fixture.deliver()
        fixture.pass(milliseconds: 3_600_000)
        #expect(try fixture.send() == nil)
        #expect(try fixture.send() == nil)
        let calls = fixture.upstreamClients[0].take()
        #expect(calls.count == 1)
        try #require(calls.first).answer(200, "no key")
        #expect(try fixture.send() == nil)
        #expect(fixture.upstreamClients[0].sent.isEmpty)
    }
}
