import Foundation
import HTTP
import Testing

@testable import Audit
@testable import Gateway
@testable import Net
@testable import Telemetry
@testable import TestSamples

@Suite("Answers that wait for the audit", .timeLimit(.minutes(20)))
struct SharedAuditTests {
    @Test(arguments: [AuditSettings.Durability.batch, .each])
    func `an answer leaves when the disk has its line, and not before`(_ durability: AuditSettings.Durability) throws {
        let fixture = try AuditFixture(durability)
        fixture.disk.set(held: true)
        let ticket = try fixture.issue()
        #expect(fixture.disk.waitForSync())
        #expect(fixture.statuses(of: [ticket], within: 0.2) == [0])
        #expect(try fixture.ids() == ["id-1"])
        fixture.disk.set(held: false)
        #expect(fixture.statuses(of: [ticket]) == [200])
        #expect(fixture.answer(to: ticket)?.body == "given")
    }

    @Test func `an answer is counted when it leaves, by what it is then`() throws {
        func count(_ code: Refusal.Code, _ fixture: AuditFixture) -> UInt64 {
            fixture.counters[RequestMeter.Index.denied + code.rawValue]
        }
        func count(of status: Int, _ fixture: AuditFixture) -> UInt64 {
            let base = RequestMeter.Index.requests + RequestLabels.none * RequestLabels.statuses.count
            return fixture.counters[base + RequestLabels.index(ofStatus: status)]
        }
        let fixture = try AuditFixture()
        fixture.disk.set(held: true)
        let first = try fixture.issue()
        #expect(fixture.disk.waitForSync())
        #expect(count(of: 200, fixture) == 0)
        fixture.disk.set(held: false)
        #expect(fixture.statuses(of: [first]) == [200])
        #expect(count(of: 200, fixture) == 1)
        fixture.disk.set(broken: true)
        #expect(fixture.statuses(of: [try fixture.issue()]) == [503])
        #expect(count(of: 200, fixture) == 1 && count(of: 503, fixture) == 1)
        #expect(count(.auditUnavailable, fixture) == 1)
    }

    @Test func `without durability nobody waits, and the lines come all the same`() throws {
        let fixture = try AuditFixture(.none)
        let tickets = try fixture.issue(50)
        #expect(tickets.allSatisfy { fixture.answer(to: $0)?.status == 200 })
        let begin = fixture.disk.syncs
        #expect(fixture.sharedAudit.close(within: 120_000))
        // Its own stop alone: the line, and the record of that.
        #expect(fixture.disk.syncs == begin + 2)
        #expect(try fixture.ids().count == 50)
    }

    @Test func `all that come while the disk is busy go to it together`() throws {
        let fixture = try AuditFixture()
        let begin = fixture.disk.syncs
        fixture.disk.set(held: true)
        let first = try fixture.issue()
        #expect(fixture.disk.waitForSync())
        let others = try fixture.issue(80)
        fixture.disk.set(held: false)
        #expect(fixture.statuses(of: [first] + others).allSatisfy { $0 == 200 })
        #expect(fixture.disk.syncs - begin == 2)
        #expect(try fixture.ids() == (1...81).map { "id-\($0)" })
    }

    @Test func `a busy loop gathers lines for as long as the disk took last, and its answers wait no longer`() throws {
        let fixture = try AuditFixture()
        let begin = fixture.disk.syncs
        fixture.slowDisk(by: 2_000_000)
        fixture.isBusy = true
        // It is not known yet how long the disk takes.
        #expect(fixture.statuses(of: [try fixture.issue()]) == [200])
        let early = try fixture.issue(3)
        fixture.passTime(1_999_999)
        let late = try fixture.issue(2)
        #expect(fixture.statuses(of: early + late, within: 0.2) == [0, 0, 0, 0, 0])
        #expect(fixture.disk.syncs - begin == 1)
        fixture.passTime(1)
        fixture.rest()
        #expect(fixture.statuses(of: early + late) == [200, 200, 200, 200, 200])
        #expect(fixture.disk.syncs - begin == 2)
    }

    @Test func `a loop that has nothing else to do has its lines written at once`() throws {
        let fixture = try AuditFixture()
        fixture.slowDisk(by: 2_000_000)
        for _ in 0..<3 { #expect(fixture.statuses(of: [try fixture.issue()]) == [200]) }
        fixture.isBusy = true
        let ticket = try fixture.issue()
        #expect(fixture.statuses(of: [ticket], within: 0.1) == [0])
        fixture.isBusy = false
        fixture.rest()
        #expect(fixture.statuses(of: [ticket]) == [200])
    }

    @Test func `those who ask again when they have their answers are written with those who came meanwhile`() throws {
        let fixture = try AuditFixture()
        fixture.slowDisk(by: 2_000_000)
        fixture.disk.set(held: true)
        let first = try fixture.issue()
        #expect(fixture.disk.waitForSync())
        let meanwhile = try fixture.issue(5)
        let begin = fixture.disk.syncs
        fixture.isBusy = true
        fixture.disk.set(held: false)
        #expect(fixture.statuses(of: [first]) == [200])
        let again = try fixture.issue(3)
        fixture.isBusy = false
        fixture.rest()
        #expect(fixture.statuses(of: meanwhile + again).allSatisfy { $0 == 200 })
        #expect(fixture.disk.syncs - begin == 1)
        #expect(try fixture.ids() == (1...9).map { "id-\($0)" })
    }

    @Test func `however slow the disk was, a busy loop gathers for five milliseconds at most`() throws {
        let fixture = try AuditFixture()
        fixture.slowDisk(by: 3_000_000_000)
        fixture.isBusy = true
        #expect(fixture.statuses(of: [try fixture.issue()]) == [200])
        let ticket = try fixture.issue()
        fixture.passTime(5_000_000)
        fixture.rest()
        #expect(fixture.statuses(of: [ticket]) == [200])
    }

    @Test func `without durability a busy loop has its lines written after five milliseconds`() throws {
        let fixture = try AuditFixture(.none)
        fixture.isBusy = true
        _ = try fixture.issue(20)
        fixture.passTime(4_999_999)
        _ = try fixture.issue()
        #expect(fixture.sharedAudit.standing.groups == 0)
        fixture.passTime(1)
        fixture.rest()
        #expect(fixture.wait { fixture.sharedAudit.standing.groups == 1 })
        #expect(try fixture.ids().count == 21)
    }

    @Test func `a busy loop does not gather what the queue has no room for`() throws {
        let fixture = try AuditFixture(queue: 20)
        fixture.slowDisk(by: 2_000_000)
        #expect(fixture.statuses(of: [try fixture.issue()]) == [200])
        fixture.isBusy = true
        let tickets = try fixture.issue(11)
        #expect(fixture.statuses(of: tickets).allSatisfy { $0 == 200 })
    }

    @Test func `with each every line goes to the disk by itself`() throws {
        let fixture = try AuditFixture(.each)
        let begin = fixture.disk.syncs
        #expect(fixture.statuses(of: try fixture.issue(20)).allSatisfy { $0 == 200 })
        #expect(fixture.disk.syncs - begin == 20)
    }

    @Test func `when the disk fails, those who wait are told so, nothing more is issued, and later it is again`() throws
    {
        let fixture = try AuditFixture()
        fixture.disk.set(held: true, broken: true)
        let tickets = try fixture.issue(5)
        #expect(fixture.disk.waitForSync())
        fixture.disk.set(held: false)
        #expect(fixture.statuses(of: tickets) == [503, 503, 503, 503, 503])
        #expect(fixture.answer(to: tickets[0])?.body.contains("audit_unavailable") == true)
        #expect(fixture.answer(to: tickets[0])?.body.contains("given") == false)
        #expect(fixture.wait { !fixture.loopAudit.isOpen })
        let refusal = #expect(throws: Refusal.self) { try fixture.issue() }
        #expect(refusal?.status == 503 && refusal?.code == .auditUnavailable && refusal?.retryAfter == 1)
        #expect(fixture.wait { !fixture.sharedAudit.standing.isReady && fixture.sharedAudit.standing.faults == 1 })
        fixture.disk.set(broken: false)
        #expect(fixture.wait { fixture.loopAudit.isOpen })
        #expect(fixture.statuses(of: try fixture.issue(3)) == [200, 200, 200])
        #expect(fixture.wait { fixture.sharedAudit.standing.isReady })
        #expect(fixture.sharedAudit.standing.lost == 0)
    }

    @Test func `where it may fail open, answers are given, and what is lost is counted`() throws {
        let fixture = try AuditFixture(failsClosed: false)
        fixture.disk.set(broken: true)
        #expect(fixture.statuses(of: try fixture.issue(4)) == [200, 200, 200, 200])
        #expect(fixture.wait { !fixture.loopAudit.isOpen })
        #expect(fixture.statuses(of: try fixture.issue(3)) == [200, 200, 200])
        fixture.disk.set(broken: false)
        #expect(fixture.wait { fixture.loopAudit.isOpen })
        #expect(fixture.statuses(of: try fixture.issue(2)) == [200, 200])
        #expect(fixture.sharedAudit.close(within: 120_000))
        #expect(fixture.sharedAudit.standing.lost == 7)
    }

    /// What the summaries have counted of a code.
    private func counted(_ code: String, in text: String) throws -> Int {
        let pattern = try Regex("\"\(code)\":([0-9]+)", as: (Substring, Substring).self)
        return text.matches(of: pattern).compactMap { Int($0.output.1) }.reduce(0, +)
    }

    @Test func `a caller who is refused again and again has so many lines a minute, and the rest is counted`() throws {
        let fixture = try AuditFixture(queue: 1_000_000)
        try fixture.deny("mallory", times: 5_000)
        try fixture.deny("alice", times: 3)
        fixture.pass(milliseconds: 60_000)
        try fixture.deny("mallory", times: 1_000)
        let text = try fixture.close()
        #expect(text.components(separatedBy: #""principal":"apiKey:mallory""#).count - 1 == 1_200)
        #expect(text.components(separatedBy: #""principal":"apiKey:alice""#).count - 1 == 3)
        #expect(try counted("forbidden", in: text) == 4_800)
        #expect(try counted("lost", in: text) == 0)
    }

    @Test func `refusals fill half of the queue, and what is issued has the rest`() throws {
        let fixture = try AuditFixture(queue: 100)
        fixture.disk.set(held: true)
        _ = try fixture.issue()
        #expect(fixture.disk.waitForSync())
        for number in 0..<300 { try fixture.deny("caller-\(number)") }
        let tickets = try fixture.issue(50)
        #expect(throws: Refusal.self) { try fixture.issue() }
        fixture.disk.set(held: false)
        #expect(fixture.statuses(of: tickets) == [Int](repeating: 200, count: 50))
        let text = try fixture.close()
        #expect(text.components(separatedBy: #""event":"denied""#).count - 1 == 49)
        #expect(try counted("forbidden", in: text) == 251)
    }

    @Test func `as many lines wait as may, and one more is 503`() throws {
        let fixture = try AuditFixture(queue: 20)
        fixture.disk.set(held: true)
        let tickets = try fixture.issue(20)
        let refusal = #expect(throws: Refusal.self) { try fixture.issue() }
        #expect(refusal?.status == 503 && refusal?.code == .overloaded && refusal?.retryAfter == 1)
        fixture.disk.set(held: false)
        #expect(fixture.statuses(of: tickets).allSatisfy { $0 == 200 })
        #expect(fixture.statuses(of: [try fixture.issue()]) == [200])
    }

    @Test func `a disk that hangs hangs nobody for longer than five seconds`() throws {
        let fixture = try AuditFixture()
        fixture.disk.set(held: true)
        let early = try fixture.issue(3)
        fixture.pass(milliseconds: 3000)
        let late = try fixture.issue()
        fixture.pass(milliseconds: 1750)
        #expect(fixture.statuses(of: early, within: 0) == [0, 0, 0])
        fixture.pass(milliseconds: 250)
        #expect(fixture.statuses(of: early, within: 0) == [503, 503, 503])
        #expect(fixture.statuses(of: [late], within: 0) == [0])
        // Nobody else has to find out by waiting.
        #expect(throws: Refusal.self) { try fixture.issue() }
        fixture.disk.set(held: false)
        #expect(fixture.statuses(of: [late]) == [200])
        #expect(fixture.statuses(of: [try fixture.issue()]) == [200])
    }

    @Test
    func `an answer that has left is not withheld when the disk has its line, and one that is withheld is so once`()
        throws
    {
        let fixture = try AuditFixture()
        fixture.disk.set(held: true)
        let early = try fixture.issue(isSuperseded: true)
        #expect(fixture.disk.waitForSync())
        fixture.pass(milliseconds: 1000)
        let late = [try fixture.issue(isSuperseded: true), try fixture.issue()]
        fixture.pass(milliseconds: 4000)
        #expect(fixture.statuses(of: [early], within: 0) == [503])
        fixture.disk.set(held: false)
        #expect(fixture.statuses(of: late) == [503, 200])
        let text = try fixture.close()
        let withheld = text.split(separator: "\n").filter { $0.contains(#""event":"withheld""#) }
        #expect(withheld.count == 1 && withheld[0].contains(#""requestId":"id-2""#), "\(withheld)")
    }

    @Test func `at the end a disk that hangs is not waited for, and nobody who waits for it is given anything`() throws
    {
        let fixture = try AuditFixture()
        fixture.disk.set(held: true)
        let tickets = try fixture.issue(3)
        #expect(fixture.disk.waitForSync())
        fixture.loopAudit.end()
        #expect(fixture.statuses(of: tickets, within: 0) == [503, 503, 503])
        #expect(fixture.answer(to: tickets[0])?.body.contains("audit_unavailable") == true)
        #expect(!fixture.sharedAudit.close(within: 50))
        fixture.disk.set(held: false)
        #expect(fixture.sharedAudit.close(within: 120_000))
    }

    @Test func `somebody who waits has the loop look at the time, connected or not`() throws {
        let fixture = try AuditFixture()
        #expect(fixture.loopAudit.nextTick == nil)
        fixture.disk.set(held: true)
        let ticket = try fixture.issue()
        #expect(fixture.loopAudit.nextTick == fixture.now + 5000)
        fixture.pass(milliseconds: 5000)
        #expect(fixture.statuses(of: [ticket], within: 0) == [503])
        #expect(fixture.loopAudit.nextTick == nil)
    }

    @Test func `who goes away while he waits has a line and no answer, and the others have theirs`() throws {
        let fixture = try AuditFixture()
        fixture.disk.set(held: true)
        let tickets = try fixture.issue(3)
        #expect(fixture.answers.abandon(tickets[1]))
        fixture.disk.set(held: false)
        #expect(fixture.statuses(of: [tickets[0], tickets[2]]) == [200, 200])
        #expect(fixture.answer(to: tickets[1]) == nil)
        #expect(try fixture.ids() == ["id-1", "id-2", "id-3"])
    }

    @Test func `files that are full are set aside on the way`() throws {
        let fixture = try AuditFixture(maximumSize: 4096)
        for _ in 0..<20 { #expect(fixture.statuses(of: try fixture.issue(5)) == [200, 200, 200, 200, 200]) }
        #expect(try fixture.ids() == (1...100).map { "id-\($0)" })
        fixture.sharedAudit.rotate()
        #expect(fixture.statuses(of: [try fixture.issue()]) == [200])
    }
}
