import Bytes
import HTTP
import Testing
import Upstream

@testable import Net
@testable import Service

/// What becomes of requests that wait for a vendor's answer.
@Suite struct FetchTests {
    @Test func `an answer is told to the request that asked, with what its answer had already`() throws {
        let house = try FetchHouse()
        let (first, second) = (try house.park("a"), try house.park("b"))
        #expect(house.isWaiting)
        let sent = house.courier.take()
        #expect(sent.map(\.exchange.host) == ["one.example.com", "one.example.com"])
        #expect(sent.map(\.exchange.port) == [443, 443])
        #expect(sent.allSatisfy { $0.exchange.answerLimit == 1 << 20 })
        sent[1].answer(200, "[\"b\"]")
        sent[0].answer(200, "[\"a\"]")
        let answered = house.answered()
        #expect(answered.map(\.pending) == [second, first])
        #expect(answered.map(\.body) == ["[\"b\"]\n", "[\"a\"]\n"])
        #expect(
            answered.map(\.fields) == [
                "Vary: Origin\r\nX-Request-Id: id-2\r\n", "Vary: Origin\r\nX-Request-Id: id-1\r\n",
            ])
        #expect(!house.isWaiting)
    }

    @Test func `what fails is asked again, anew, and of the next endpoint`() throws {
        let house = try FetchHouse(endpoints: ["https://one.example.com", "https://two.example.com:8443"])
        try house.park()
        let failures: [(FakeCourier.Sent) -> Void] = [{ $0.fail() }, { $0.answer(503, "") }, { $0.answer(429, "{}") }]
        for (number, fail) in failures.enumerated() {
            let sent = try #require(house.courier.take().first)
            #expect(sent.exchange.host == (number % 2 == 0 ? "one" : "two") + ".example.com")
            #expect(sent.request.hasPrefix("GET /list/\(number + 1) HTTP/1.1\r\n"))
            #expect(sent.exchange.deadline <= 5_000_000 + house.line.limits.patience)
            fail(sent)
            // The pause is at most a tenth of a second, doubled each time.
            house.pass(milliseconds: number < 2 ? 250 : 500)
        }
        #expect(house.answered().isEmpty)
        try #require(house.courier.take().first).answer(200, "[]")
        #expect(house.answered().map(\.status) == [200])
    }

    @Test func `nobody waits longer than a request may`() throws {
        let house = try FetchHouse()
        try house.park()
        let start = house.now.monotonic
        while house.isWaiting, house.now.monotonic < start + 10_000 {
            for sent in house.courier.sent where sent.exchange.deadline <= house.now.monotonic {
                house.courier.sent.removeAll { $0.number == sent.number }
                sent.fail(.timeout(.waiting))
            }
            house.pass(milliseconds: 250)
        }
        #expect(house.now.monotonic - start <= house.line.limits.patience + 500)
        let answered = try #require(house.answered().first)
        #expect(answered.status == 503 && answered.body.contains("\"upstream_unavailable\""))
        #expect(answered.fields.contains("Retry-After: 1\r\n"))
    }

    @Test(arguments: [
        (612, "", 404, "not_found"), (400, "", 400, "invalid_parameter"), (401, "", 502, "upstream_failed"),
        (302, "", 502, "upstream_failed"), (200, "", 502, "upstream_failed"), (614, "x", 502, "upstream_failed"),
    ])
    func `what the vendor would only say again is not asked again`(
        status: Int, body: String, told: Int, code: String
    ) throws {
        let house = try FetchHouse()
        try house.park()
        try #require(house.courier.take().first).answer(status, body)
        #expect(house.courier.sent.isEmpty)
        let answered = try #require(house.answered().first)
        #expect(answered.status == told && answered.body.contains("\"\(code)\""), "\(answered.body)")
        #expect(answered.body.contains("\"requestId\":\"id-1\""))
    }

    @Test func `an answer that is too large is none of the vendor's failures`() throws {
        let house = try FetchHouse()
        for _ in 0..<10 {
            try house.park()
            try #require(house.courier.take().first).fail(.tooLarge(reason: "the answer is too large"))
            let answered = try #require(house.answered().first)
            #expect(answered.status == 502 && answered.body.contains("by limit"))
        }
    }

    @Test func `a vendor that fails is left alone, and asked again by one request`() throws {
        let house = try FetchHouse()
        for _ in 0..<5 { try house.park() }
        for sent in house.courier.take() { sent.answer(200, "") }
        #expect(house.answered().allSatisfy { $0.status == 502 })
        for _ in 0..<3 {
            do throws(Refusal) {
                try refusal { try house.park() }
                Issue.record("it is asked")
            } catch {
                #expect(error.status == 503 && error.retryAfter ?? 0 >= 1)
            }
        }
        #expect(house.courier.sent.isEmpty && !house.isWaiting)
        house.pass(milliseconds: 2_000)
        // One that is given up shows nothing, and gives way to the next.
        let gone = try house.park()
        #expect(throws: Refusal.self) { try house.park() }
        house.parked.abandon(gone)
        try house.park()
        try #require(house.courier.take().first).answer(200, "[]")
        try house.park()
        try house.park()
        #expect(house.courier.sent.count == 2)
    }

    private func refusal(_ body: () throws -> Void) throws(Refusal) {
        do { try body() } catch let error as Refusal { throw error } catch {
            throw Refusal(.internalError, "\(error)")
        }
    }

    @Test func `places are few, and who goes frees one at once`() throws {
        let house = try FetchHouse()
        let tickets = try (0..<Fetch.places).map { try house.park(of: UInt64($0)) }
        #expect(throws: Refusal.self) { try house.park(of: .max) }
        let sent = house.courier.sent
        #expect(sent.count == Fetch.places)
        house.parked.abandon(tickets[7])
        house.parked.abandon(tickets[7])
        #expect(house.courier.cancelled == [sent[7].number])
        try house.park(of: .max)
        #expect(throws: Refusal.self) { try house.park(of: .max) }
        // An answer that was on its way all the same is nobody's.
        sent[7].answer(200, "[]")
        #expect(house.answered().isEmpty)
        sent[8].answer(200, "[]")
        #expect(house.answered().map(\.pending) == [tickets[8]])
        try house.park(of: .max - 1)
    }

    @Test func `a caller has as many places as it leaves free, so that others have theirs`() throws {
        let house = try FetchHouse()
        var own: [PendingResponse] = []
        for _ in 0..<Fetch.places / 2 { own.append(try house.park(of: 1)) }
        #expect(throws: Refusal.self) { try house.park(of: 1) }
        for _ in 0..<Fetch.places / 4 { try house.park(of: 2) }
        #expect(throws: Refusal.self) { try house.park(of: 2) }
        try house.park(of: 3)
        // What has gone counts no more.
        for pending in own { house.parked.abandon(pending) }
        try house.park(of: 1)
    }

    @Test func `callers without a name have a quarter of the places together, from however many addresses`() throws {
        let house = try FetchHouse()
        var parked = 0
        for address in 1...1000 as ClosedRange<UInt64> {
            while (try? house.park(of: address, isAnonymous: true)) != nil { parked += 1 }
        }
        #expect(parked == Fetch.places / 4)
        try house.park(of: 0)
    }

    @Test func `a request that is gone between two attempts is not asked for again`() throws {
        let house = try FetchHouse()
        let pending = try house.park()
        try #require(house.courier.take().first).fail()
        house.parked.abandon(pending)
        house.pass(milliseconds: 3_000)
        #expect(house.courier.sent.isEmpty && house.courier.cancelled.isEmpty && !house.isWaiting)
    }

    @Test func `a call that cannot be made ends as one that fails`() throws {
        let house = try FetchHouse()
        try house.park("")
        house.pass(milliseconds: 2_500)
        #expect(house.courier.sent.isEmpty)
        #expect(house.answered().map(\.status) == [503])
    }
}
