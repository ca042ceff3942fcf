import Providers
import Testing
import Upstream

@testable import Gateway
@testable import TestSamples

/// What one caller may take of an account: calls, requests that wait, and slots in the table.
@Suite struct SessionShareTests {
    private static let limits =
        SampleConfiguration.stsKey
        + ", limits: { callsPerCaller: '30/min', patience: '60s', callBurst: 1000, callsPerSecond: 1000 }"

    /// Sessions that differ in their lifetime only.
    private func sessions(_ fixture: SessionFixture, _ name: String, _ count: Int) throws -> [VendorSession] {
        try (0..<count).map { try fixture.session(name, seconds: 900 + Int64($0)) }
    }

    @Test func `calls begin for one caller as often as its share says, and for others all the same`() throws {
        let fixture = try SessionFixture(Self.limits)
        let outcomes = try sessions(fixture, "alice", 200).map { fixture.ask($0, from: 1) }
        #expect(fixture.take().count == 30)
        let refused = outcomes.compactMap(\.refusal)
        #expect(refused.count == 170)
        #expect(refused.allSatisfy { $0.reason == .share && $0.retryAfter == 2 })
        #expect(fixture.ask(try fixture.session("bob"), from: 2).refusal == nil)
        #expect(fixture.take().count == 1)
        // One more in two seconds.
        fixture.advance(milliseconds: 2_000)
        for session in try sessions(fixture, "alice-other", 5) { _ = fixture.ask(session, from: 1) }
        #expect(fixture.take().count == 1)
    }

    @Test func `what is remembered is served and refreshed without a share, and who waits along pays nothing`() throws {
        let fixture = try SessionFixture(Self.limits)
        let session = try fixture.session("alice", seconds: 3600)
        _ = fixture.ask(session, from: 1)
        let waiting = fixture.ask(session, from: 2)
        let key = fixture.grant(fixture.take()[0])
        #expect(waiting.key == key)
        for session in try sessions(fixture, "bob", 40) { _ = fixture.ask(session, from: 2) }
        #expect(fixture.take().count == 30, "waiting along was free")
        for session in try sessions(fixture, "alice", 40) { _ = fixture.ask(session, from: 1) }
        #expect(fixture.take().count == 29)
        #expect(fixture.ask(session, from: 1).key == key)
        fixture.advance(milliseconds: 1_900_000)
        for session in try sessions(fixture, "alice-other", 40) { _ = fixture.ask(session, from: 1) }
        _ = fixture.take()
        #expect(fixture.ask(session, from: 1).key == key)
        #expect(fixture.take().count == 1, "it is refreshed")
    }

    @Test func `a session of the grant's own costs nobody's share`() throws {
        let fixture = try SessionFixture(Self.limits)
        for session in try sessions(fixture, "signing", 60) { _ = fixture.ask(session) }
        #expect(fixture.take().count > 30)
    }

    @Test func `one caller has no more requests waiting than one session may, whatever it waits for`() throws {
        let fixture = try SessionFixture(
            SampleConfiguration.stsKey + ", limits: { waitersPerSession: 8, waiters: 64, patience: '60s' }")
        let sessions = try sessions(fixture, "alice", 4)
        let outcomes = (0..<40).map { fixture.ask(sessions[$0 % 4], from: 1) }
        #expect(outcomes.compactMap(\.refusal).map(\.reason) == [SlotRefusal.Reason](repeating: .crowded, count: 32))
        for caller: UInt64 in 2...4 {
            let own = try self.sessions(fixture, "caller\(caller)", 2)
            let outcomes = (0..<8).map { fixture.ask(own[$0 % 2], from: caller) }
            #expect(outcomes.allSatisfy { $0.reply == nil }, "there is room for others")
        }
        // Whoever has been answered waits no more.
        for call in fixture.take() { fixture.grant(call, seconds: 900) }
        #expect(outcomes.filter { $0.key != nil }.count == 8)
        let next = try fixture.session("alice", seconds: 2000)
        // Of one session it has half of the room.
        #expect((0..<9).map { _ in fixture.ask(next, from: 1) }.filter { $0.refusal != nil }.count == 5)
    }

    @Test func `who asks for one new session after the other puts out its own, and none that others use`() throws {
        let fixture = try SessionFixture(
            SampleConfiguration.stsKey
                + ", limits: { sessions: 50, callsPerCaller: '600/min', callBurst: 1000, callsPerSecond: 1000 }")
        let others = try sessions(fixture, "bob", 10)
        for session in others { _ = fixture.ask(session, from: 2) }
        for call in fixture.take() { fixture.grant(call) }
        let held = others.map { fixture.ask($0, from: 2).key }
        #expect(held.allSatisfy { $0 != nil })
        for round in 0..<20 {
            fixture.advance(milliseconds: 2_000)
            for number in 0..<20 {
                _ = fixture.ask(try fixture.session("alice", seconds: 1000 + Int64(20 * round + number)), from: 1)
            }
            for call in fixture.take() { fixture.grant(call) }
            #expect(others.map { fixture.ask($0, from: 2).key } == held, "\(round)")
        }
        #expect(fixture.take().isEmpty)
    }
}
