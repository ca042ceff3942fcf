import Foundation
import HTTP
import Testing

@testable import Net
@testable import Service
@testable import Telemetry

@Suite("Answers that wait for the audit", .timeLimit(.minutes(20)))
struct AuditDeskTests {
    @Test(arguments: [AuditSettings.Durability.batch, .each])
    func `an answer leaves when the disk has its line, and not before`(_ durability: AuditSettings.Durability) throws {
        let house = try AuditHouse(durability)
        house.disk.set(held: true)
        let ticket = try house.issue()
        #expect(house.disk.waitForSync())
        #expect(house.statuses(of: [ticket], within: 0.2) == [0])
        #expect(try house.ids() == ["id-1"])
        house.disk.set(held: false)
        #expect(house.statuses(of: [ticket]) == [200])
        #expect(house.answer(to: ticket)?.body == "given")
    }

    @Test func `an answer is counted when it leaves, by what it is then`() throws {
        func count(_ code: Refusal.Code, _ house: AuditHouse) -> UInt64 {
            house.counters[RequestMeter.Place.denied + code.rawValue]
        }
        func count(of status: Int, _ house: AuditHouse) -> UInt64 {
            let base = RequestMeter.Place.requests + RequestLabels.none * RequestLabels.statuses.count
            return house.counters[base + RequestLabels.index(ofStatus: status)]
        }
        let house = try AuditHouse()
        house.disk.set(held: true)
        let first = try house.issue()
        #expect(house.disk.waitForSync())
        #expect(count(of: 200, house) == 0)
        house.disk.set(held: false)
        #expect(house.statuses(of: [first]) == [200])
        #expect(count(of: 200, house) == 1)
        house.disk.set(broken: true)
        #expect(house.statuses(of: [try house.issue()]) == [503])
        #expect(count(of: 200, house) == 1 && count(of: 503, house) == 1)
        #expect(count(.auditUnavailable, house) == 1)
    }

    @Test func `without durability nobody waits, and the lines come all the same`() throws {
        let house = try AuditHouse(.none)
        let tickets = try house.issue(50)
        #expect(tickets.allSatisfy { house.answer(to: $0)?.status == 200 })
        let begin = house.disk.syncs
        #expect(house.desk.close(within: 120_000))
        // Its own stop alone: the line, and the record of that.
        #expect(house.disk.syncs == begin + 2)
        #expect(try house.ids().count == 50)
    }

    @Test func `all that come while the disk is busy go to it together`() throws {
        let house = try AuditHouse()
        let begin = house.disk.syncs
        house.disk.set(held: true)
        let first = try house.issue()
        #expect(house.disk.waitForSync())
        let others = try house.issue(80)
        house.disk.set(held: false)
        #expect(house.statuses(of: [first] + others).allSatisfy { $0 == 200 })
        #expect(house.disk.syncs - begin == 2)
        #expect(try house.ids() == (1...81).map { "id-\($0)" })
    }

    @Test func `with each every line goes to the disk by itself`() throws {
        let house = try AuditHouse(.each)
        let begin = house.disk.syncs
        #expect(house.statuses(of: try house.issue(20)).allSatisfy { $0 == 200 })
        #expect(house.disk.syncs - begin == 20)
    }

    @Test func `when the disk fails, those who wait are told so, nothing more is issued, and later it is again`() throws
    {
        let house = try AuditHouse()
        house.disk.set(held: true, broken: true)
        let tickets = try house.issue(5)
        #expect(house.disk.waitForSync())
        house.disk.set(held: false)
        #expect(house.statuses(of: tickets) == [503, 503, 503, 503, 503])
        #expect(house.answer(to: tickets[0])?.body.contains("audit_unavailable") == true)
        #expect(house.answer(to: tickets[0])?.body.contains("given") == false)
        #expect(house.wait { !house.clerk.isOpen })
        let refusal = #expect(throws: Refusal.self) { try house.issue() }
        #expect(refusal?.status == 503 && refusal?.code == .auditUnavailable && refusal?.retryAfter == 1)
        #expect(house.wait { !house.desk.standing.isReady && house.desk.standing.faults == 1 })
        house.disk.set(broken: false)
        #expect(house.wait { house.clerk.isOpen })
        #expect(house.statuses(of: try house.issue(3)) == [200, 200, 200])
        #expect(house.wait { house.desk.standing.isReady })
        #expect(house.desk.standing.lost == 0)
    }

    @Test func `where it may fail open, answers are given, and what is lost is counted`() throws {
        let house = try AuditHouse(failsClosed: false)
        house.disk.set(broken: true)
        #expect(house.statuses(of: try house.issue(4)) == [200, 200, 200, 200])
        #expect(house.wait { !house.clerk.isOpen })
        #expect(house.statuses(of: try house.issue(3)) == [200, 200, 200])
        house.disk.set(broken: false)
        #expect(house.wait { house.clerk.isOpen })
        #expect(house.statuses(of: try house.issue(2)) == [200, 200])
        #expect(house.desk.close(within: 120_000))
        #expect(house.desk.standing.lost == 7)
    }

    /// What the summaries have counted of a code.
    private func counted(_ code: String, in text: String) throws -> Int {
        let pattern = try Regex("\"\(code)\":([0-9]+)", as: (Substring, Substring).self)
        return text.matches(of: pattern).compactMap { Int($0.output.1) }.reduce(0, +)
    }

    @Test func `a caller who is refused again and again has so many lines a minute, and the rest is counted`() throws {
        let house = try AuditHouse(queue: 1_000_000)
        try house.deny("mallory", times: 5_000)
        try house.deny("alice", times: 3)
        house.pass(milliseconds: 60_000)
        try house.deny("mallory", times: 1_000)
        let text = try house.close()
        #expect(text.components(separatedBy: #""principal":"apiKey:mallory""#).count - 1 == 1_200)
        #expect(text.components(separatedBy: #""principal":"apiKey:alice""#).count - 1 == 3)
        #expect(try counted("forbidden", in: text) == 4_800)
        #expect(try counted("lost", in: text) == 0)
    }

    @Test func `refusals fill half of the queue, and what is issued has the rest`() throws {
        let house = try AuditHouse(queue: 100)
        house.disk.set(held: true)
        _ = try house.issue()
        #expect(house.disk.waitForSync())
        for number in 0..<300 { try house.deny("caller-\(number)") }
        let tickets = try house.issue(50)
        #expect(throws: Refusal.self) { try house.issue() }
        house.disk.set(held: false)
        #expect(house.statuses(of: tickets) == [Int](repeating: 200, count: 50))
        let text = try house.close()
        #expect(text.components(separatedBy: #""event":"denied""#).count - 1 == 49)
        #expect(try counted("forbidden", in: text) == 251)
    }

    @Test func `as many lines wait as may, and one more is 503`() throws {
        let house = try AuditHouse(queue: 20)
        house.disk.set(held: true)
        let tickets = try house.issue(20)
        let refusal = #expect(throws: Refusal.self) { try house.issue() }
        #expect(refusal?.status == 503 && refusal?.code == .overloaded && refusal?.retryAfter == 1)
        house.disk.set(held: false)
        #expect(house.statuses(of: tickets).allSatisfy { $0 == 200 })
        #expect(house.statuses(of: [try house.issue()]) == [200])
    }

    @Test func `a disk that hangs hangs nobody for longer than five seconds`() throws {
        let house = try AuditHouse()
        house.disk.set(held: true)
        let early = try house.issue(3)
        house.pass(milliseconds: 3000)
        let late = try house.issue()
        house.pass(milliseconds: 1750)
        #expect(house.statuses(of: early, within: 0) == [0, 0, 0])
        house.pass(milliseconds: 250)
        #expect(house.statuses(of: early, within: 0) == [503, 503, 503])
        #expect(house.statuses(of: [late], within: 0) == [0])
        // Nobody else has to find out by waiting.
        #expect(throws: Refusal.self) { try house.issue() }
        house.disk.set(held: false)
        #expect(house.statuses(of: [late]) == [200])
        #expect(house.statuses(of: [try house.issue()]) == [200])
    }

    @Test func `at the end a disk that hangs is not waited for, and nobody who waits for it is given anything`() throws
    {
        let house = try AuditHouse()
        house.disk.set(held: true)
        let tickets = try house.issue(3)
        #expect(house.disk.waitForSync())
        house.clerk.end()
        #expect(house.statuses(of: tickets, within: 0) == [503, 503, 503])
        #expect(house.answer(to: tickets[0])?.body.contains("audit_unavailable") == true)
        #expect(!house.desk.close(within: 50))
        house.disk.set(held: false)
        #expect(house.desk.close(within: 120_000))
    }

    @Test func `somebody who waits has the loop look at the time, connected or not`() throws {
        let house = try AuditHouse()
        #expect(house.clerk.nextTick == nil)
        house.disk.set(held: true)
        let ticket = try house.issue()
        #expect(house.clerk.nextTick == house.now + 5000)
        house.pass(milliseconds: 5000)
        #expect(house.statuses(of: [ticket], within: 0) == [503])
        #expect(house.clerk.nextTick == nil)
    }

    @Test func `who goes away while he waits has a line and no answer, and the others have theirs`() throws {
        let house = try AuditHouse()
        house.disk.set(held: true)
        let tickets = try house.issue(3)
        #expect(house.answers.abandon(tickets[1]))
        house.disk.set(held: false)
        #expect(house.statuses(of: [tickets[0], tickets[2]]) == [200, 200])
        #expect(house.answer(to: tickets[1]) == nil)
        #expect(try house.ids() == ["id-1", "id-2", "id-3"])
    }

    @Test func `files that are full are set aside on the way`() throws {
        let house = try AuditHouse(maximumSize: 4096)
        for _ in 0..<20 { #expect(house.statuses(of: try house.issue(5)) == [200, 200, 200, 200, 200]) }
        #expect(try house.ids() == (1...100).map { "id-\($0)" })
        house.desk.rotate()
        #expect(house.statuses(of: [try house.issue()]) == [200])
    }
}
