import Bytes
import Foundation
import Net
import Telemetry
import TestTraits
import Testing
import Upstream

@testable import Gateway

/// Ten simulated minutes without the vendor, through caches and calls, as two loops see them.
@Suite struct SessionOutageTests {
    enum Behaviour: CaseIterable { case unreachable, hanging, failing, throttling, talkingNonsense }

    /// A vendor that gives nothing, in one way or another.
    private struct Outage {
        let behaviour: Behaviour
        private var hanging: [FakeUpstreamClient.Sent] = []

        init(_ behaviour: Behaviour) { self.behaviour = behaviour }

        /// Answers the calls that have been made, as far as it answers at all.
        mutating func answer(_ fixture: SessionFixture) {
            for call in fixture.take() {
                switch behaviour {
                case .unreachable: fixture.fail(call, .connect(reason: "refused"))
                case .hanging: hanging.append(call)
                case .failing: fixture.refuse(call, 503, "ServiceUnavailable")
                case .throttling: fixture.refuse(call, 400, "Throttling.User")
                case .talkingNonsense: fixture.answer(call, 200, "<html>welcome</html>")
                }
            }
        }

        /// Ends the calls whose time is over at `moment`, in monotonic milliseconds.
        mutating func end(_ fixture: SessionFixture, at moment: Int64) {
            for call in hanging where moment >= call.exchange.deadline { fixture.fail(call) }
            hanging.removeAll { moment >= $0.exchange.deadline }
        }
    }

    @Test(arguments: Rounds.some(of: Behaviour.allCases))
    func `who has a living credential is served through ten minutes of outage, and others are told within 2 s`(
        behaviour: Behaviour
    ) throws {
        let fixture = try SessionFixture(loops: 2)
        let sessions = try (0..<40).map { try fixture.session("caller\($0)", seconds: $0 % 2 == 0 ? 3600 : 1800) }
        // Peace, in which they come one after the other and are refreshed.
        for step in 0..<1_200 {
            _ = fixture.ask(sessions[step % 40], loop: step % 2)
            for call in fixture.take() { fixture.grant(call, seconds: seconds(of: call)) }
            fixture.pass(milliseconds: 1_000)
        }
        var (living, served, refused, next) = (0, 0, 0, 0)
        var outage = Outage(behaviour)
        var waiting: [(outcome: SessionFixture.Outcome, since: Int64)] = []
        var longestWait: Int64 = 0
        let begin = fixture.monotonic
        while fixture.monotonic < begin + 600_000 {
            for number in 0..<2 {
                let outcome = fixture.ask(sessions[(next + number * 5) % 40], loop: number % 2)
                living += 1
                if outcome.key != nil { served += 1 }
            }
            next += 1
            let stranger = fixture.ask(try fixture.session("stranger\(next)"), loop: next % 2)
            if stranger.reply == nil { waiting.append((stranger, fixture.monotonic)) } else { refused += 1 }
            outage.answer(fixture)
            fixture.pass(milliseconds: 250)
            outage.end(fixture, at: fixture.monotonic)
            for (outcome, since) in waiting where outcome.reply != nil {
                longestWait = max(longestWait, fixture.monotonic - since)
                #expect(outcome.refusal?.retryAfter ?? 0 >= 1)
                refused += 1
            }
            waiting.removeAll { $0.outcome.reply != nil }
        }
        #expect(living == 2_400 * 2)
        #expect(Double(served) >= 0.999 * Double(living))
        #expect(longestWait <= 2_000)
        #expect(refused > 2_300)
        // The vendor is back.
        outage.end(fixture, at: .max)
        let end = fixture.monotonic
        var wellSince: Int64?
        while wellSince == nil, fixture.monotonic < end + 10_000 {
            next += 1
            let stranger = fixture.ask(try fixture.session("stranger\(next)"))
            for call in fixture.take() { fixture.grant(call) }
            fixture.settle()
            if stranger.key != nil { wellSince = fixture.monotonic }
            fixture.pass(milliseconds: 250)
        }
        #expect((wellSince ?? .max) - end < 5_000)
    }

    @Test(arguments: Behaviour.allCases)
    func `the account is failing with the first call that has failed in all its attempts, until the vendor answers one`(
        behaviour: Behaviour
    ) throws {
        let fixture = try SessionFixture()
        var outage = Outage(behaviour)
        let first = fixture.ask(try fixture.session("first"))
        for _ in 0..<40 {
            outage.answer(fixture)
            fixture.pass(milliseconds: 250)
            outage.end(fixture, at: fixture.monotonic)
        }
        #expect(first.refusal != nil && !fixture.isWaiting())
        #expect(fixture.shared.sts.isFailing)
        // Nobody asks.
        fixture.pass(milliseconds: 60_000)
        #expect(fixture.shared.sts.isFailing)
        _ = fixture.ask(try fixture.session("second"))
        for call in fixture.take() { fixture.refuse(call, 403, "NoPermission") }
        #expect(!fixture.shared.sts.isFailing)
    }

    @Test func `the log says once that the vendor answers again, and nothing where it has not failed`() throws {
        let file = try LogFile(level: .info)
        let fixture = try SessionFixture(log: file.log)
        func times() throws -> Int { try file.text().ranges(of: "the vendor answers again").count }
        func isServed(_ name: String) throws -> Bool {
            let outcome = fixture.ask(try fixture.session(name))
            for call in fixture.take() { fixture.grant(call) }
            return outcome.key != nil
        }
        #expect(try isServed("before") && times() == 0)
        _ = fixture.ask(try fixture.session("during"))
        for _ in 0..<40 {
            for call in fixture.take() { fixture.fail(call, .connect(reason: "refused")) }
            fixture.pass(milliseconds: 250)
        }
        #expect(fixture.shared.sts.isFailing)
        #expect(try isServed("after") && isServed("later") && times() == 1)
    }

    @Test(arguments: [900, 1_200, 3_600] as [Int64], Rounds.some(of: Behaviour.allCases, from: 1))
    func `through a long outage a credential is served until five minutes are left of it, and not after`(
        life: Int64, behaviour: Behaviour
    ) throws {
        let fixture = try SessionFixture(loops: 2)
        let session = try fixture.session(seconds: life)
        _ = fixture.ask(session)
        let end = fixture.unixSeconds + life
        let key = fixture.grant(try #require(fixture.take().first), seconds: life)
        var outage = Outage(behaviour)
        var (leastServed, mostRefused) = (life, Int64(0))
        while fixture.unixSeconds < end {
            let outcome = fixture.ask(session, loop: Int(fixture.unixSeconds % 2))
            outage.answer(fixture)
            let left = end - fixture.unixSeconds
            if outcome.key == nil { mostRefused = max(mostRefused, left) } else { leastServed = min(leastServed, left) }
            #expect(outcome.key == nil || outcome.key == key)
            fixture.pass(milliseconds: 1_000)
            outage.end(fixture, at: fixture.monotonic)
        }
        // A second is kept to spare, since dates are cut to whole ones.
        #expect(leastServed == 301)
        #expect(mostRefused == 300)
    }

    @Test(arguments: [(900, 300), (1_200, 400), (3_600, 600)] as [(Int64, Int64)])
    func `while nothing fails, a third of its life must be left, or ten minutes`(life: Int64, floor: Int64) throws {
        let fixture = try SessionFixture()
        let session = try fixture.session(seconds: life)
        _ = fixture.ask(session)
        let end = fixture.unixSeconds + life
        fixture.grant(try #require(fixture.take().first), seconds: life)
        fixture.advance(milliseconds: (life - floor - 1) * 1000)
        #expect(fixture.ask(session).key != nil && end - fixture.unixSeconds == floor + 1)
        fixture.advance(milliseconds: 1000)
        #expect(fixture.ask(session).key == nil)
    }

    private func seconds(of call: FakeUpstreamClient.Sent) -> Int64 {
        call.request.contains("DurationSeconds=1800") ? 1800 : 3600
    }
}
