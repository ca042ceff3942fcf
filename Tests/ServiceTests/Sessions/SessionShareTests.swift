import Providers
import Testing
import Upstream

@testable import Service

/// What one caller may take of an account: calls, places to wait in, and places in the table.
@Suite struct SessionShareTests {
    private static let limits =
        Sample.stsKey + ", limits: { callsPerCaller: '30/min', patience: '60s', callBurst: 1000, callsPerSecond: 1000 }"

    /// Sessions that differ in their lifetime only.
    private func sessions(_ house: SessionHouse, _ name: String, _ count: Int) throws -> [STSSession] {
        try (0..<count).map { try house.session(name, seconds: 900 + Int64($0)) }
    }

    @Test func `calls begin for one caller as often as its share says, and for others all the same`() throws {
        let house = try SessionHouse(Self.limits)
        let outcomes = try sessions(house, "alice", 200).map { house.ask($0, from: 1) }
        #expect(house.take().count == 30)
        let refused = outcomes.compactMap(\.refusal)
        #expect(refused.count == 170)
        #expect(refused.allSatisfy { $0.reason == .share && $0.retryAfter == 2 })
        #expect(house.ask(try house.session("bob"), from: 2).refusal == nil)
        #expect(house.take().count == 1)
        // One more in two seconds.
        house.advance(milliseconds: 2_000)
        for session in try sessions(house, "alice-other", 5) { _ = house.ask(session, from: 1) }
        #expect(house.take().count == 1)
    }

    @Test func `what is remembered is served and refreshed without a share, and who waits along pays nothing`() throws {
        let house = try SessionHouse(Self.limits)
        let session = try house.session("alice", seconds: 3600)
        _ = house.ask(session, from: 1)
        let waiting = house.ask(session, from: 2)
        let key = house.grant(house.take()[0])
        #expect(waiting.key == key)
        for session in try sessions(house, "bob", 40) { _ = house.ask(session, from: 2) }
        #expect(house.take().count == 30, "waiting along was free")
        for session in try sessions(house, "alice", 40) { _ = house.ask(session, from: 1) }
        #expect(house.take().count == 29)
        #expect(house.ask(session, from: 1).key == key)
        house.advance(milliseconds: 1_900_000)
        for session in try sessions(house, "alice-other", 40) { _ = house.ask(session, from: 1) }
        _ = house.take()
        #expect(house.ask(session, from: 1).key == key)
        #expect(house.take().count == 1, "it is refreshed")
    }

    @Test func `a session of the grant's own costs nobody's share`() throws {
        let house = try SessionHouse(Self.limits)
        for session in try sessions(house, "signing", 60) { _ = house.ask(session) }
        #expect(house.take().count > 30)
    }

    @Test func `one caller has no more requests waiting than one session may, whatever it waits for`() throws {
        let house = try SessionHouse(
            Sample.stsKey + ", limits: { waitersPerSession: 8, waiters: 64, patience: '60s' }")
        let sessions = try sessions(house, "alice", 4)
        let outcomes = (0..<40).map { house.ask(sessions[$0 % 4], from: 1) }
        #expect(outcomes.compactMap(\.refusal).map(\.reason) == [SlotRefusal.Reason](repeating: .crowded, count: 32))
        for caller: UInt64 in 2...4 {
            let own = try self.sessions(house, "caller\(caller)", 2)
            let outcomes = (0..<8).map { house.ask(own[$0 % 2], from: caller) }
            #expect(outcomes.allSatisfy { $0.reply == nil }, "there is room for others")
        }
        // Whoever has been answered waits no more.
        for call in house.take() { house.grant(call, seconds: 900) }
        #expect(outcomes.filter { $0.key != nil }.count == 8)
        let next = try house.session("alice", seconds: 2000)
        // Of one session it has half of the room.
        #expect((0..<9).map { _ in house.ask(next, from: 1) }.filter { $0.refusal != nil }.count == 5)
    }

    @Test func `who asks for one new session after the other puts out its own, and none that others use`() throws {
        let house = try SessionHouse(
            Sample.stsKey
                + ", limits: { sessions: 50, callsPerCaller: '600/min', callBurst: 1000, callsPerSecond: 1000 }")
        let others = try sessions(house, "bob", 10)
        for session in others { _ = house.ask(session, from: 2) }
        for call in house.take() { house.grant(call) }
        let held = others.map { house.ask($0, from: 2).key }
        #expect(held.allSatisfy { $0 != nil })
        for round in 0..<20 {
            house.advance(milliseconds: 2_000)
            for number in 0..<20 {
                _ = house.ask(try house.session("alice", seconds: 1000 + Int64(20 * round + number)), from: 1)
            }
            for call in house.take() { house.grant(call) }
            #expect(others.map { house.ask($0, from: 2).key } == held, "\(round)")
        }
        #expect(house.take().isEmpty)
    }
}
