import HTTP
import Testing

@testable import Net
@testable import Gateway

/// Where all of a loop's requests wait, whatever they wait for.
@Suite struct ParkedRequestsTests {
    /// How often a request was abandoned.
    private final class Count {
        var number = 0
    }

    private let answers = LateAnswers()
    private let parked: ParkedRequests

    init() { parked = ParkedRequests(answers) }

    @discardableResult
    private func park(_ number: UInt64, in group: ParkedRequests.Group, _ abandoned: Count = Count()) throws
        -> PendingResponse
    {
        let pending = PendingResponse(connection: number, number: 0)
        let request = try ParkedRequest(
            .made(as: pending, named: "id-\(number)"), as: pending, with: Response(), issuing: nil, nil, by: .silent)
        try parked.park(request, in: group) { abandoned.number += 1 }
        answers.expect(pending)
        return pending
    }

    private func finish(_ pending: PendingResponse) -> Int {
        var fills = 0
        parked.finish(pending) { response throws(Refusal) in
            fills += 1
            return nil
        }
        return fills
    }

    @Test func `a request is answered once, and whoever has gone is not`() throws {
        let abandoned = Count()
        let (first, second) = (try park(1, in: .sessions, abandoned), try park(2, in: .sessions, abandoned))
        #expect(finish(first) == 1 && finish(first) == 0)
        parked.abandon(first)
        #expect(abandoned.number == 0 && !parked.isEmpty)
        parked.abandon(second)
        parked.abandon(second)
        #expect(abandoned.number == 1 && finish(second) == 0 && parked.isEmpty)
        #expect(answers.takeFinished().map(\.pending) == [first])
    }

    @Test func `each group has slots of its own, and an end of any kind frees one`() throws {
        let tickets = try (0..<3).map { try park($0, in: .callbacks(most: 3)) }
        #expect(throws: Refusal.self) { try park(3, in: .callbacks(most: 3)) }
        // Neither sessions nor fetches are held up by them.
        for number in 10..<20 as Range<UInt64> { try park(number, in: .sessions) }
        try park(20, in: .fetches(most: 2, caller: 7))
        #expect(throws: Refusal.self) { try park(21, in: .fetches(most: 2, caller: 7)) }
        try park(22, in: .fetches(most: 2, caller: 8))
        #expect(throws: Refusal.self) { try park(23, in: .fetches(most: 2, caller: 9)) }
        parked.abandon(tickets[0])
        #expect(finish(tickets[1]) == 1)
        try park(4, in: .callbacks(most: 3))
        try park(5, in: .callbacks(most: 3))
        #expect(throws: Refusal.self) { try park(6, in: .callbacks(most: 3)) }
    }
}
