import Bytes
import Testing

@testable import Upstream

@Suite struct SlotTableTests {
    private func limits(slots: Int = 10_000, perSlot: Int = 4_096, waiters: Int = 16_384) -> UpstreamLimits {
        var limits = UpstreamLimits()
        limits.slots = slots
        limits.waitersPerSlot = perSlot
        limits.waiters = waiters
        return limits
    }

    /// Asks, and gives the fetch that is to begin, if any.
    private func ask(
        _ table: inout SlotTable<Int, Int>, _ number: Int, for waiter: UInt64, at clocks: ManualClocks
    ) throws -> (String, SlotFetch?) {
        let reply = table.ask(number, for: waiter, at: clocks.now)
        return (text(reply), reply.fetch)
    }

    /// Fills a slot with its own number.
    private func fill(
        _ table: inout SlotTable<Int, Int>, _ number: Int, life: Int64 = 3600, at clocks: ManualClocks
    ) throws {
        let (_, fetch) = try ask(&table, number, for: .max, at: clocks)
        let completion = table.landed(
            try #require(fetch),
            with: .success(
                (number, .dated(expiresAt: clocks.unixSeconds + life, issuedAt: clocks.unixSeconds, longest: nil))),
            at: clocks.now, random: .max / 2)
        _ = try #require(completion)
    }

    @Test func `a thousand who miss at once make one fetch, and all get its answer in the order they came`() throws {
        let clocks = ManualClocks()
        for fails in [false, true] {
            var table = SlotTable<Int, Int>(CachePolicy(credentials: UpstreamLimits()))
            var fetches: [SlotFetch] = []
            for waiter in 0..<UInt64(1000) {
                let (words, fetch) = try ask(&table, 1, for: waiter, at: clocks)
                #expect(words == (waiter == 0 ? "start" : "wait"))
                if let fetch { fetches.append(fetch) }
            }
            #expect(fetches.count == 1)
            #expect(table.waiterCount == 1000)
            let fetch = try #require(fetches.first)
            let report =
                fails
                ? table.landed(fetch, with: .failure(.refused), at: clocks.now, random: 0)
                : table.landed(
                    fetch,
                    with: .success(
                        (1, .dated(expiresAt: clocks.unixSeconds + 3600, issuedAt: clocks.unixSeconds, longest: 3600))),
                    at: clocks.now, random: 0)
            let completion = try #require(report)
            #expect(completion.waiters == Array(0..<1000))
            #expect(text(completion.outcome) == (fails ? "refuse refused 4" : "serve 1"))
            #expect(table.waiterCount == 0)
            let again = table.landed(fetch, with: .failure(.network), at: clocks.now, random: 0)
            #expect(again == nil)
            // No storm follows: nobody is sent out again.
            for waiter in 0..<UInt64(1000) {
                let (words, next) = try ask(&table, 1, for: waiter, at: clocks)
                #expect(words == (fails ? "refuse refused 4" : "serve 1") && next == nil)
            }
        }
    }

    @Test func `what one key gets no other gets`() throws {
        let clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: UpstreamLimits()))
        for number in 0..<500 { try fill(&table, number, at: clocks) }
        for number in 0..<500 {
            let (words, _) = try ask(&table, number, for: 1, at: clocks)
            #expect(words == "serve \(number)")
        }
        #expect(table.count == 500)
        let (words, _) = try ask(&table, 500, for: 1, at: clocks)
        #expect(words == "start")
    }

    @Test func `who goes is not answered, and those behind keep their order`() throws {
        let clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: UpstreamLimits()))
        let (_, fetch) = try ask(&table, 1, for: 0, at: clocks)
        for waiter in 1..<UInt64(10) { _ = try ask(&table, 1, for: waiter, at: clocks) }
        for waiter in [UInt64(0), 9, 4, 5] {
            let waited = table.cancel(waiter)
            let again = table.cancel(waiter)
            #expect(waited && !again)
        }
        _ = try ask(&table, 1, for: 4, at: clocks)
        let late = table.expire(7, at: clocks.now)
        #expect(text(late) == "refuse slow 1")
        let never = table.expire(7, at: clocks.now)
        #expect(text(never) == "nothing")
        #expect(table.waiterCount == 6)
        let completion = table.landed(try #require(fetch), with: .failure(.network), at: clocks.now, random: .max)
        #expect(completion?.waiters == [1, 2, 3, 6, 8, 4])
    }

    @Test func `the fetch goes on when all who waited have gone, and fills the slot`() throws {
        let clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: limits(slots: 1)))
        let (_, fetch) = try ask(&table, 1, for: 0, at: clocks)
        table.cancel(0)
        let (other, _) = try ask(&table, 2, for: 0, at: clocks)
        #expect(other == "refuse full 1")
        let completion = table.landed(
            try #require(fetch),
            with: .success(
                (5, .dated(expiresAt: clocks.unixSeconds + 900, issuedAt: clocks.unixSeconds, longest: nil))),
            at: clocks.now, random: 0)
        #expect(completion?.waiters == [])
        let (words, _) = try ask(&table, 1, for: 0, at: clocks)
        #expect(words == "serve 5")
    }

    @Test func `waiters have a bound for each slot and one for all, and whoever leaves makes room`() throws {
        let clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: limits(perSlot: 3, waiters: 5)))
        let (_, fetch) = try ask(&table, 1, for: 1, at: clocks)
        for (number, waiter, words) in [
            (1, UInt64(2), "wait"), (1, 3, "wait"), (1, 4, "refuse crowded 1"), (2, 4, "start"), (2, 5, "wait"),
            (2, 6, "refuse crowded 1"), (3, 6, "refuse crowded 1"),
        ] {
            let (answer, _) = try ask(&table, number, for: waiter, at: clocks)
            #expect(answer == words)
        }
        #expect(table.count == 2 && table.waiterCount == 5)
        table.cancel(5)
        let (room, other) = try ask(&table, 3, for: 6, at: clocks)
        #expect(room == "start" && other != nil)
        _ = table.landed(try #require(fetch), with: .failure(.network), at: clocks.now, random: .max)
        #expect(table.waiterCount == 2)
        let (again, _) = try ask(&table, 4, for: 7, at: clocks)
        #expect(again == "start")
    }

    @Test
    func `a client has half of the room, for one slot and in all, and of the other half as much as it leaves free`() {
        var waiters = Waiters(most: 64, perSlot: 8)
        var lists = [LinkedList(), LinkedList()]
        var token: UInt64 = 0
        func add(_ client: UInt64, to slot: Int) -> Bool {
            token += 1
            guard waiters.admits(token, of: client, to: lists[slot]) else { return false }
            waiters.add(token, of: client, for: slot, in: &lists[slot])
            return true
        }
        for _ in 0..<4 { #expect(add(1, to: 0)) }
        #expect(!add(1, to: 0))
        for _ in 0..<2 { #expect(add(2, to: 0)) }
        #expect(!add(2, to: 0) && add(3, to: 0), "others have room for the same")
        for _ in 0..<4 { #expect(add(1, to: 1)) }
        #expect(!add(1, to: 1), "what waits for anything counts")
        #expect(add(4, to: 1))
    }

    @Test func `one who waits already is not taken twice`() throws {
        let clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: UpstreamLimits()))
        let (_, fetch) = try ask(&table, 1, for: 1, at: clocks)
        let (same, _) = try ask(&table, 1, for: 1, at: clocks)
        let (other, _) = try ask(&table, 2, for: 1, at: clocks)
        #expect(same == "refuse crowded 1" && other == "refuse crowded 1")
        let completion = table.landed(try #require(fetch), with: .failure(.network), at: clocks.now, random: .max)
        #expect(completion?.waiters == [1])
    }

    @Test func `a fetch that nobody could wait for is not begun`() throws {
        var clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: limits(waiters: 1)))
        let (_, fetch) = try ask(&table, 1, for: 1, at: clocks)
        _ = table.landed(try #require(fetch), with: .failure(.network), at: clocks.now, random: .max)
        let (_, other) = try ask(&table, 2, for: 2, at: clocks)
        #expect(other != nil)
        clocks.monotonic += 1000
        let (words, none) = try ask(&table, 1, for: 3, at: clocks)
        #expect(words == "refuse crowded 1" && none == nil)
        table.cancel(2)
        let (next, begun) = try ask(&table, 1, for: 3, at: clocks)
        #expect(next == "start" && begun != nil)
    }

    @Test func `when it is full the least recently used that is idle goes, and nothing else`() throws {
        let clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: limits(slots: 4)))
        for number in 1...3 { try fill(&table, number, at: clocks) }
        let (_, fetch) = try ask(&table, 4, for: 4, at: clocks)
        _ = try ask(&table, 1, for: 9, at: clocks)
        try fill(&table, 5, at: clocks)
        let states = (1...5).map { table.state(of: $0, at: clocks.now) }
        #expect(states == [.fresh, .empty, .fresh, .waiting, .fresh])
        try fill(&table, 6, at: clocks)
        try fill(&table, 7, at: clocks)
        let later = (1...7).map { table.state(of: $0, at: clocks.now) }
        #expect(later == [.empty, .empty, .empty, .waiting, .fresh, .fresh, .fresh])
        #expect(table.count == 4)
        let completion = table.landed(try #require(fetch), with: .failure(.network), at: clocks.now, random: 0)
        #expect(completion?.waiters == [4])
    }

    @Test func `what has ended goes before what still lives`() throws {
        var clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: limits(slots: 3)))
        try fill(&table, 1, life: 7200, at: clocks)
        try fill(&table, 2, life: 900, at: clocks)
        try fill(&table, 3, life: 7200, at: clocks)
        clocks.advance(seconds: 1000)
        try fill(&table, 4, at: clocks)
        let states = (1...4).map { table.state(of: $0, at: clocks.now) }
        #expect(states == [.fresh, .empty, .fresh, .fresh])
    }

    @Test func `a table full of fetches refuses, and takes again when one has ended`() throws {
        let clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: limits(slots: 2)))
        let (_, fetch) = try ask(&table, 1, for: 1, at: clocks)
        _ = try ask(&table, 2, for: 2, at: clocks)
        let (full, _) = try ask(&table, 3, for: 3, at: clocks)
        #expect(full == "refuse full 1")
        _ = table.landed(try #require(fetch), with: .failure(.network), at: clocks.now, random: 0)
        let (words, _) = try ask(&table, 3, for: 3, at: clocks)
        #expect(words == "start")
        #expect(table.count == 2)
    }

    @Test func `sweeping lets go of what has ended, a little at a time, whatever the wall clock says`() throws {
        var clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: UpstreamLimits()))
        for number in 0..<100 { try fill(&table, number, life: number < 40 ? 900 : 3600, at: clocks) }
        let (_, fetch) = try ask(&table, 100, for: 1, at: clocks)
        clocks.unixSeconds += 36_000
        table.sweep(at: clocks.now, atMost: 1000)
        #expect(table.count == 101)
        clocks.unixSeconds -= 36_000
        clocks.advance(seconds: 601)
        table.sweep(at: clocks.now, atMost: 10)
        #expect(table.count > 85)
        for _ in 0..<20 { table.sweep(at: clocks.now, atMost: 10) }
        #expect(table.count == 61)
        let completion = table.landed(try #require(fetch), with: .failure(.refused), at: clocks.now, random: 0)
        #expect(completion?.waiters == [1])
        table.sweep(at: clocks.now, atMost: 1000)
        #expect(table.count == 61)
        clocks.advance(seconds: 31)
        table.sweep(at: clocks.now, atMost: 1000)
        #expect(table.count == 60)
        clocks.advance(seconds: 3600)
        table.sweep(at: clocks.now, atMost: .max)
        table.sweep(at: clocks.now, atMost: -1)
        #expect(table.count == 0)
    }

    @Test func `what is let go is used again: nothing grows with the number of those who came and went`() throws {
        let clocks = ManualClocks()
        var table = SlotTable<Int, Int>(CachePolicy(credentials: limits(slots: 5)))
        for number in 0..<1000 { try fill(&table, number, at: clocks) }
        #expect(table.count == 5 && table.entryCount == 5)
        var waiters = Waiters(most: 8, perSlot: 8)
        var list = LinkedList()
        for token in 0..<UInt64(1000) {
            if token >= 8 { waiters.remove(token - 8, from: &list) }
            let isAdmitted = waiters.admits(token, of: token, to: list)
            #expect(isAdmitted)
            waiters.add(token, of: token, for: 3, in: &list)
        }
        #expect(waiters.count == 8 && waiters.entryCount == 8)
        let left = waiters.removeAll(from: &list)
        #expect(left == Array(992..<1000))
        #expect(list.count == 0 && waiters.count == 0)
    }

    @Test func `the value is let go with its slot`() throws {
        final class Canary: Sendable {}
        let clocks = ManualClocks()
        var table = SlotTable<Int, Canary>(CachePolicy(credentials: limits(slots: 1)))
        weak var canary: Canary?
        do {
            let value = Canary()
            canary = value
            guard let fetch = table.ask(1, for: 1, at: clocks.now).fetch else { return }
            _ = table.landed(
                fetch,
                with: .success(
                    (value, .dated(expiresAt: clocks.unixSeconds + 900, issuedAt: clocks.unixSeconds, longest: nil))),
                at: clocks.now, random: 0)
        }
        #expect(canary != nil)
        _ = table.ask(2, for: 1, at: clocks.now)
        #expect(canary == nil)
    }
}
