import Bytes
import HTTP
import Testing
import Upstream

@testable import Net
@testable import Service

/// What becomes of callbacks that wait for the vendor's key.
@Suite struct CallbackKeyCacheTests {
    @Test func `callbacks of all loops wait for one call, and each is judged by itself`() throws {
        let house = try CallbackHouse(loops: 3)
        let first = try #require(try house.send(to: 1))
        let forged = try #require(try house.send(to: 1, isForged: true))
        let other = try #require(try house.send(to: 2))
        #expect(house.couriers.map(\.sent.count) == [0, 1, 0])
        let call = try #require(house.couriers[1].take().first)
        #expect(call.exchange.host == "gosspublic.alicdn.com" && call.exchange.port == 443)
        #expect(call.exchange.answerLimit == 16 * 1024)
        guard case .https = call.exchange.scheme else { throw CallbackHouse.Fault("not over TLS") }
        let head = "GET /callback_pub_key_v1.pem HTTP/1.1\r\nHost: gosspublic.alicdn.com\r\n"
        #expect(call.request.hasPrefix(head))
        call.answer(200, CallbackHouse.pem)
        // Nobody is told before the loops come to it.
        #expect(house.answered(by: 1).isEmpty)
        house.deliver()
        let answered = house.answered(by: 1)
        #expect(answered[first.pending]?.status == 200 && answered[first.pending]?.body == "{\"ok\":1}\n")
        #expect(answered[forged.pending]?.status == 401)
        #expect(house.answered(by: 2)[other.pending]?.status == 200)
        #expect(try house.send(to: 0) == nil)
        #expect((0..<3).allSatisfy { !house.isWaiting(loop: $0) })
    }

    @Test func `nobody waits longer than a request may, and a call in vain is not repeated at once`() throws {
        let house = try CallbackHouse()
        let sent = try #require(try house.send())
        let start = house.monotonic
        while house.isWaiting(), house.monotonic < start + 10_000 {
            for call in house.couriers[0].sent where call.exchange.deadline <= house.monotonic {
                house.couriers[0].sent.removeAll { $0.number == call.number }
                call.fail(.timeout(.waiting))
            }
            house.pass(milliseconds: 250)
        }
        #expect(house.monotonic - start <= 2_000)
        #expect(house.answered()[sent.pending]?.status == 503)
        do throws(Refusal) {
            try refusal { _ = try house.send() }
            Issue.record("it is asked again")
        } catch {
            #expect(error.status == 503 && error.retryAfter ?? 0 >= 1)
        }
        house.pass(milliseconds: 2_000)
        _ = try house.send()
        #expect(house.couriers[0].sent.count == 1)
    }

    private func refusal(_ body: () throws -> Void) throws(Refusal) {
        do { try body() } catch let error as Refusal { throw error } catch {
            throw Refusal(.internalError, "\(error)")
        }
    }

    @Test func `who goes is forgotten, and the call goes on`() throws {
        let house = try CallbackHouse()
        let sent = try #require(try house.send())
        house.parked[0].abandon(sent.pending)
        house.parked[0].abandon(sent.pending)
        #expect(house.couriers[0].cancelled.isEmpty && house.isWaiting())
        try #require(house.couriers[0].take().first).answer(200, CallbackHouse.pem)
        house.deliver()
        #expect(house.answered().isEmpty && !house.isWaiting())
        #expect(try house.send() == nil)
    }

    @Test func `places are few`() throws {
        let house = try CallbackHouse("waiting: 9")
        let sent = try (0..<9).map { _ in try #require(try house.send()) }
        #expect(throws: Refusal.self) { try house.send() }
        house.parked[0].abandon(sent[7].pending)
        _ = try house.send()
        #expect(throws: Refusal.self) { try house.send() }
        try #require(house.couriers[0].take().first).answer(200, CallbackHouse.pem)
        house.deliver()
        #expect(house.answered().count == 9)
        #expect(try house.send() == nil)
    }

    @Test(arguments: [("", 64, 5), ("remembered: 40, strangeCallsPerSecond: 2", 40, 10)])
    func `made-up versions of keys use up their own budget only`(limits: String, remembered: Int, calls: Int) throws {
        let house = try CallbackHouse(limits)
        var refused = 0
        for number in 0..<200 {
            // What is over the budget lands at once, and is answered in the loop's next pass.
            do { _ = try house.send("/callback_pub_key_v\(number + 2).pem") } catch is Refusal { refused += 1 }
        }
        #expect(house.couriers[0].sent.count == calls)
        #expect(refused == 200 - remembered)
        house.deliver()
        #expect(house.answered().values.filter { $0.status == 503 }.count == remembered - calls)
        for call in house.couriers[0].take() { call.answer(404, "") }
        house.deliver()
        #expect(house.answered().values.filter { $0.status == 502 }.count == calls)
        let sent = try #require(try house.send())
        try #require(house.couriers[0].take().first).answer(200, CallbackHouse.pem)
        house.deliver()
        #expect(house.answered()[sent.pending]?.status == 200)
    }

    @Test func `a key that is an hour old is used while the next is fetched`() throws {
        let house = try CallbackHouse()
        _ = try house.send()
        try #require(house.couriers[0].take().first).answer(200, CallbackHouse.pem)
        house.deliver()
        house.pass(milliseconds: 3_600_000)
        #expect(try house.send() == nil)
        #expect(try house.send() == nil)
        let calls = house.couriers[0].take()
        #expect(calls.count == 1)
        try #require(calls.first).answer(200, "no key")
        #expect(try house.send() == nil)
        #expect(house.couriers[0].sent.isEmpty)
    }
}
