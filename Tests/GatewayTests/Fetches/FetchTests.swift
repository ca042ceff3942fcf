import Bytes
import HTTP
import Testing
import Upstream

@testable import Net
@testable import Providers
@testable import Gateway

/// What becomes of requests that wait for a vendor's answer.
@Suite struct FetchTests {
    @Test func `an answer is told to the request that asked, with what its answer had already`() throws {
        let fixture = try FetchFixture()
        let (first, second) = (try fixture.park("a"), try fixture.park("b"))
        #expect(fixture.isWaiting)
        let sent = fixture.upstreamClient.take()
        #expect(sent.map(\.exchange.host) == ["one.example.com", "one.example.com"])
        #expect(sent.map(\.exchange.port) == [443, 443])
        #expect(sent.allSatisfy { $0.exchange.answerLimit == 1 << 20 })
        sent[1].answer(200, "[\"b\"]")
        sent[0].answer(200, "[\"a\"]")
        let answered = fixture.answered()
        #expect(answered.map(\.pending) == [second, first])
        #expect(answered.map(\.body) == ["[\"b\"]\n", "[\"a\"]\n"])
        #expect(
            answered.map(\.fields) == [
                "Vary: Origin\r\nX-Request-Id: id-2\r\n", "Vary: Origin\r\nX-Request-Id: id-1\r\n",
            ])
        #expect(!fixture.isWaiting)
    }

    @Test func `what fails is asked again, anew, and of the next endpoint`() throws {
        let fixture = try FetchFixture(endpoints: ["https://one.example.com", "https://two.example.com:8443"])
        try fixture.park()
        let failures: [(FakeUpstreamClient.Sent) -> Void] = [
            { $0.fail() }, { $0.answer(503, "") }, { $0.answer(429, "{}") },
        ]
        for (number, fail) in failures.enumerated() {
            let sent = try #require(fixture.upstreamClient.take().first)
            #expect(sent.exchange.host == (number % 2 == 0 ? "one" : "two") + ".example.com")
            #expect(sent.request.hasPrefix("GET /list/\(number + 1) HTTP/1.1\r\n"))
            #expect(sent.exchange.deadline <= 5_000_000 + fixture.line.limits.patience)
            fail(sent)
            // The pause is at most a tenth of a second, doubled each time.
            fixture.pass(milliseconds: number < 2 ? 250 : 500)
        }
        #expect(fixture.answered().isEmpty)
        try #require(fixture.upstreamClient.take().first).answer(200, "[]")
        #expect(fixture.answered().map(\.status) == [200])
    }

    @Test func `nobody waits longer than a request may`() throws {
        let fixture = try FetchFixture()
        try fixture.park()
        let start = fixture.now.monotonic
        while fixture.isWaiting, fixture.now.monotonic < start + 10_000 {
            for sent in fixture.upstreamClient.sent where sent.exchange.deadline <= fixture.now.monotonic {
                fixture.upstreamClient.sent.removeAll { $0.number == sent.number }
                sent.fail(.timeout(.waiting))
            }
            fixture.pass(milliseconds: 250)
        }
        #expect(fixture.now.monotonic - start <= fixture.line.limits.patience + 500)
        let answered = try #require(fixture.answered().first)
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
        let fixture = try FetchFixture()
        try fixture.park()
        try #require(fixture.upstreamClient.take().first).answer(status, body)
        #expect(fixture.upstreamClient.sent.isEmpty)
        let answered = try #require(fixture.answered().first)
        #expect(answered.status == told && answered.body.contains("\"\(code)\""), "\(answered.body)")
        #expect(answered.body.contains("\"requestId\":\"id-1\""))
    }

    @Test func `an answer that is too large is none of the vendor's failures`() throws {
        let fixture = try FetchFixture()
        for _ in 0..<10 {
            try fixture.park()
            try #require(fixture.upstreamClient.take().first).fail(.tooLarge(reason: "the answer is too large"))
            let answered = try #require(fixture.answered().first)
            #expect(answered.status == 502 && answered.body.contains("by limit"))
        }
    }

    @Test func `a vendor that fails is left alone, and asked again by one request`() throws {
        let fixture = try FetchFixture()
        for caller in 1...5 as ClosedRange<UInt64> { try fixture.park(of: caller) }
        for sent in fixture.upstreamClient.take() { sent.answer(503, "") }
        fixture.pass(milliseconds: 250)
        #expect(fixture.answered().map(\.status) == [503, 503, 503, 503, 503])
        for caller in 6...8 as ClosedRange<UInt64> {
            do throws(Refusal) {
                try refusal { try fixture.park(of: caller) }
                Issue.record("it is asked")
            } catch {
                #expect(error.status == 503 && error.retryAfter ?? 0 >= 1)
            }
        }
        #expect(fixture.upstreamClient.sent.isEmpty && !fixture.isWaiting)
        fixture.pass(milliseconds: 2_000)
        // One that is given up shows nothing, and gives way to the next.
        let gone = try fixture.park()
        #expect(throws: Refusal.self) { try fixture.park() }
        fixture.parked.abandon(gone)
        try fixture.park()
        try #require(fixture.upstreamClient.take().first).answer(200, "[]")
        try fixture.park()
        try fixture.park()
        #expect(fixture.upstreamClient.sent.count == 2)
    }

    @Test func `failures of one caller, or of callers without a name, keep nobody else from being served`() throws {
        let fixture = try FetchFixture()
        for number in 0..<20 as Range<UInt64> {
            for (caller, isAnonymous) in [(1, false), (100 + number, true)] as [(UInt64, Bool)] {
                try fixture.park(of: caller, isAnonymous: isAnonymous)
                try #require(fixture.upstreamClient.take().first).answer(500, "")
                fixture.pass(milliseconds: 4_000)
                for sent in fixture.upstreamClient.take() { sent.fail() }
            }
        }
        #expect(fixture.answered().allSatisfy { $0.status == 503 })
        try fixture.park(of: 2)
        try #require(fixture.upstreamClient.take().first).answer(200, "[]")
        #expect(fixture.answered().map(\.status) == [200])
    }

    @Test func `an answer that cannot be read is no failure of the vendor, whoever asked`() throws {
        let fixture = try FetchFixture()
        for caller in 1...20 as ClosedRange<UInt64> {
            try fixture.park(of: caller)
            try #require(fixture.upstreamClient.take().first).answer(200, "")
        }
        #expect(fixture.answered().allSatisfy { $0.status == 502 })
        try fixture.park()
        #expect(fixture.upstreamClient.sent.count == 1)
    }

    @Test func `a call with its own timeout has that time, and its slowness is no failure of the vendor`() throws {
        let fixture = try FetchFixture()
        let slow = VendorOperation("complete", isChange: true, timeout: 60_000)
        for caller in 1...20 as ClosedRange<UInt64> {
            try fixture.park(asking: FetchFixture.Question("complete", slow), of: caller)
        }
        fixture.pass(milliseconds: 60_000)
        #expect(fixture.answered().isEmpty && fixture.upstreamClient.sent.count == 20)
        for sent in fixture.upstreamClient.take() {
            #expect(sent.exchange.deadline == 5_060_000)
            sent.fail(.timeout(.waiting))
        }
        #expect(fixture.answered().map(\.status) == Array(repeating: 503, count: 20))
        try fixture.park(of: 30)
        #expect(fixture.upstreamClient.sent.count == 1)
    }

    @Test func `calls with their own timeout have few slots of their own, so that others keep theirs`() throws {
        let fixture = try FetchFixture()
        let slow = VendorOperation("complete", isChange: true, timeout: 60_000)
        var parked = 0
        for caller in 1...1000 as ClosedRange<UInt64> {
            while (try? fixture.park(asking: FetchFixture.Question("complete", slow), of: caller)) != nil {
                parked += 1
            }
        }
        #expect(parked == Fetch.mostSlow)
        for caller in 1...64 as ClosedRange<UInt64> { try fixture.park(of: caller) }
    }

    @Test func `a call that changes something goes on without its client, keeps its slot, and is taken back`() throws {
        let fixture = try FetchFixture()
        let begin = FetchFixture.Question("begin", VendorOperation("begin", isChange: true))
        let gone = try fixture.park(asking: begin, of: 1)
        _ = fixture.answers.abandon(gone)
        fixture.parked.abandon(gone)
        #expect(fixture.upstreamClient.cancelled.isEmpty && !fixture.parked.isEmpty)
        try #require(fixture.upstreamClient.take().first).answer(200, "[]")
        #expect(fixture.answered().isEmpty && fixture.parked.isEmpty)
        let undo = try #require(fixture.upstreamClient.take().first)
        #expect(undo.request.hasPrefix("GET /undo/1 "))
        undo.answer(200, "[]")
        #expect(!fixture.isWaiting && fixture.answered().isEmpty)
        // An answer that arrives is not taken back; one that cannot be read is.
        let kept = try fixture.park(asking: begin, of: 1)
        try #require(fixture.upstreamClient.take().first).answer(200, "[]")
        #expect(fixture.answered().map(\.pending) == [kept] && fixture.upstreamClient.sent.isEmpty)
        try fixture.park(asking: begin, of: 1)
        try #require(fixture.upstreamClient.take().first).answer(200, "")
        #expect(fixture.answered().map(\.status) == [502])
        #expect(fixture.upstreamClient.take().map { $0.request.prefix(10) } == ["GET /undo/"])
    }

    private func refusal(_ body: () throws -> Void) throws(Refusal) {
        do { try body() } catch let error as Refusal { throw error } catch {
            throw Refusal(.internalError, "\(error)")
        }
    }

    @Test func `slots are few, and who goes frees one at once`() throws {
        let fixture = try FetchFixture()
        let tickets = try (0..<Fetch.mostParked).map { try fixture.park(of: UInt64($0)) }
        #expect(throws: Refusal.self) { try fixture.park(of: .max) }
        let sent = fixture.upstreamClient.sent
        #expect(sent.count == Fetch.mostParked)
        fixture.parked.abandon(tickets[7])
        fixture.parked.abandon(tickets[7])
        #expect(fixture.upstreamClient.cancelled == [sent[7].number])
        try fixture.park(of: .max)
        #expect(throws: Refusal.self) { try fixture.park(of: .max) }
        // An answer that was on its way all the same is nobody's.
        sent[7].answer(200, "[]")
        #expect(fixture.answered().isEmpty)
        sent[8].answer(200, "[]")
        #expect(fixture.answered().map(\.pending) == [tickets[8]])
        try fixture.park(of: .max - 1)
    }

    @Test func `a caller has as many slots as it leaves free, so that others have theirs`() throws {
        let fixture = try FetchFixture()
        var own: [PendingResponse] = []
        for _ in 0..<Fetch.mostParked / 2 { own.append(try fixture.park(of: 1)) }
        #expect(throws: Refusal.self) { try fixture.park(of: 1) }
        for _ in 0..<Fetch.mostParked / 4 { try fixture.park(of: 2) }
        #expect(throws: Refusal.self) { try fixture.park(of: 2) }
        try fixture.park(of: 3)
        // What has gone counts no more.
        for pending in own { fixture.parked.abandon(pending) }
        try fixture.park(of: 1)
    }

    @Test func `callers without a name have a quarter of the slots together, from however many addresses`() throws {
        let fixture = try FetchFixture()
        var parked = 0
        for address in 1...1000 as ClosedRange<UInt64> {
            while (try? fixture.park(of: address, isAnonymous: true)) != nil { parked += 1 }
        }
        #expect(parked == Fetch.mostParked / 4)
        try fixture.park(of: 0)
    }

    @Test func `a request that is gone between two attempts is not asked for again`() throws {
        let fixture = try FetchFixture()
        let pending = try fixture.park()
        try #require(fixture.upstreamClient.take().first).fail()
        fixture.parked.abandon(pending)
        fixture.pass(milliseconds: 3_000)
        #expect(fixture.upstreamClient.sent.isEmpty && fixture.upstreamClient.cancelled.isEmpty && !fixture.isWaiting)
    }

    @Test func `a call that cannot be made ends as one that fails`() throws {
        let fixture = try FetchFixture()
        try fixture.park("")
        fixture.pass(milliseconds: 2_500)
        #expect(fixture.upstreamClient.sent.isEmpty)
        #expect(fixture.answered().map(\.status) == [503])
    }
}
