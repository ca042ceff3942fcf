import Bytes
import TestTraits
import Testing

@testable import Upstream

/// A table against a model that knows only the rules: who waits where, what is in the air, what was issued when.
@Suite struct SlotModelTests {
    @Test(arguments: Rounds.some(of: [UInt64(1), 2, 3]))
    func `50,000 random steps break no rule`(seed: UInt64) throws {
        var model = try Model(seed: seed)
        for step in 0..<50_000 {
            try model.step()
            if let fault = model.fault {
                Issue.record("step \(step): \(fault)")
                return
            }
        }
        // All that the rules speak of has happened, and often.
        #expect(model.counts.served > 1000)
        #expect(model.counts.refreshes > 100)
        #expect(model.counts.answered > 1000)
        #expect(model.counts.crowded > 100)
        #expect(model.counts.full > 3)
        #expect(model.counts.lateReports > 10)
        #expect(model.counts.stretched > 10)
    }
}

private struct Model {
    struct Issued { let expiresAt: Int64, life: Int64, since: Int64, key: Int }
    struct Fetch { let fetch: SlotFetch, key: Int, since: Int64 }
    struct Counts { var served = 0, refreshes = 0, answered = 0, crowded = 0, full = 0, lateReports = 0, stretched = 0 }

    private static let keys = 30
    private var limits = UpstreamLimits()
    private var table: SlotTableBox
    private var clocks = ManualClocks()
    private var random: SplitMix64
    private var keys: [Int] = []
    /// Who waits for each key, in order.
    private var waiting = [[UInt64]](repeating: [], count: keys)
    /// The last fetch of each key that was begun and not reported.
    private var underWay = [Fetch?](repeating: nil, count: keys)
    /// Fetches that were given up or are reported, which may be reported (again).
    private var stray: [Fetch] = []
    private var issued: [Int: Issued] = [:]
    /// When an outage was last reported for a key since its last success.
    private var outage = [Int64?](repeating: nil, count: keys)
    private var nextWaiter: UInt64 = 0
    private var nextValue = 0
    /// Whether the vendor fails, for the time being.
    private var isDown = false
    private(set) var counts = Counts()
    private(set) var fault: String?

    init(seed: UInt64) throws {
        limits.slots = 10
        limits.waitersPerSlot = 6
        limits.waiters = 25
        random = SplitMix64(seed: seed)
        table = SlotTableBox(limits: limits)
        keys = (0..<Model.keys).map { $0 }
    }

    mutating func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        // Some are asked for often enough to be refreshed, others come and go.
        case 0..<40: ask(Int.random(in: 0..<5, using: &random))
        case 40..<50: ask(Int.random(in: 0..<Model.keys, using: &random))
        case 50..<64: succeed()
        case 64..<74: fail()
        case 74..<80: cancel()
        case 80..<84: expire()
        case 84..<87: reportStray()
        case 87..<88: jump()
        case 88..<89: table.table.sweep(at: clocks.now, atMost: Int.random(in: 0..<20, using: &random))
        default: advance()
        }
        check()
    }

    private mutating func advance() {
        let milliseconds =
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: Int64.random(in: 0..<500, using: &random)
            case 6..<9: Int64.random(in: 0..<20_000, using: &random)
            default: Int64.random(in: 0..<600_000, using: &random)
            }
        clocks.monotonic += milliseconds
        clocks.unixSeconds += milliseconds / 1000
    }

    private mutating func jump() {
        clocks.unixSeconds += [-3600, -60, 60, 3600].randomElement(using: &random) ?? 0
    }

    private func isAlive(_ fetch: Fetch?) -> Bool {
        fetch.map { clocks.monotonic - $0.since < limits.fetchLease } ?? false
    }

    private mutating func ask(_ key: Int) {
        nextWaiter += 1
        let reply = table.table.ask(keys[key], for: nextWaiter, at: clocks.now)
        if let fetch = reply.fetch { begin(fetch, for: key) }
        switch reply.outcome {
        case .serve(let value):
            if reply.fetch != nil { counts.refreshes += 1 }
            serve(value, for: key)
        case nil:
            if !isAlive(underWay[key]) { fault = "waits for nothing" }
            waiting[key].append(nextWaiter)
        case .refuse(let refusal):
            if refusal.retryAfter < 1 || refusal.retryAfter > 60 { fault = "retry after \(refusal.retryAfter)" }
            switch refusal.reason {
            case .share: fault = "nobody has a share here"
            case .crowded:
                counts.crowded += 1
                let all = waiting.reduce(0) { $0 + $1.count }
                if waiting[key].count < limits.waitersPerSlot, all < limits.waiters { fault = "there was room" }
            case .full:
                counts.full += 1
                let busy = waiting.indices.filter { !waiting[$0].isEmpty || underWay[$0] != nil }.count
                if busy < limits.slots { fault = "\(busy) are busy, which is not full" }
            case .slow: fault = "nobody waited"
            case .fault: if isAlive(underWay[key]) { fault = "refused in spite of a fetch" }
            }
        }
    }

    private mutating func begin(_ fetch: SlotFetch, for key: Int) {
        if isAlive(underWay[key]) { fault = "two fetches" }
        if let lost = underWay[key] { stray.append(lost) }
        underWay[key] = Fetch(fetch: fetch, key: key, since: clocks.monotonic)
    }

    private mutating func serve(_ value: Int, for key: Int, slow: Bool = false) {
        counts.served += 1
        guard let issued = issued[value], issued.key == key else {
            fault = "another's credential"
            return
        }
        let left = min(
            (issued.expiresAt - clocks.unixSeconds) * 1000, issued.life * 1000 - (clocks.monotonic - issued.since))
        let isFailing = slow || outage[key].map { clocks.monotonic - $0 <= limits.outageMemory } ?? false
        let floor = min(600, issued.life / 3) * 1000
        if left < floor { counts.stretched += 1 }
        if left < (isFailing ? min(floor, 300_000) : floor) { fault = "\(left) ms left of \(issued.life) s" }
    }

    private mutating func succeed() {
        if Int.random(in: 0..<100, using: &random) == 0 { isDown.toggle() }
        guard !isDown else { return fail() }
        guard let fetch = underWay.compactMap({ $0 }).randomElement(using: &random) else { return }
        report(fetch, life: [900, 900, 1500, 3600, 43_200, 60, 10, -5].randomElement(using: &random) ?? 0)
    }

    private mutating func report(_ fetch: Fetch, life: Int64) {
        nextValue += 1
        // What the vendor says, by a clock that is not quite ours; its life by ours is the shorter for it.
        let issuedAt = clocks.unixSeconds + Int64.random(in: -200...200, using: &random)
        let believed = min(life, issuedAt + life - clocks.unixSeconds)
        issued[nextValue] = Issued(
            expiresAt: issuedAt + life, life: max(0, believed), since: fetch.since, key: fetch.key)
        let completion = table.table.landed(
            fetch.fetch,
            with: .success((nextValue, .dated(expiresAt: issuedAt + life, issuedAt: issuedAt, longest: nil))),
            at: clocks.now, random: random.next())
        if completion != nil { outage[fetch.key] = nil }
        complete(completion, of: fetch)
    }

    private mutating func fail() {
        guard let fetch = underWay.compactMap({ $0 }).randomElement(using: &random) else { return }
        report(fetch, fault: faults[..<(isDown ? 4 : 9)].randomElement(using: &random) ?? .network)
    }

    private var faults: [UpstreamFault] {
        [
            .network, .unavailable, .throttled, .breakerOpen(until: clocks.monotonic + 700), .malformed, .refused,
            .expired, .clockOff, .overBudget(until: clocks.monotonic + 20),
        ]
    }

    private mutating func report(_ fetch: Fetch, fault: UpstreamFault) {
        let completion = table.table.landed(fetch.fetch, with: .failure(fault), at: clocks.now, random: random.next())
        if completion != nil {
            if fault.isOutage { outage[fetch.key] = clocks.monotonic }
            if fault == .refused { outage[fetch.key] = nil }
        }
        complete(completion, of: fetch)
    }

    private mutating func complete(_ completion: SlotTable<Int, Int>.Completion?, of fetch: Fetch) {
        let isCurrent = underWay[fetch.key]?.fetch == fetch.fetch
        guard let completion else {
            if isCurrent, isAlive(fetch) { fault = "a fetch was forgotten" }
            if isCurrent { underWay[fetch.key] = nil }
            return
        }
        if !isCurrent { fault = "a report was taken twice, or of a fetch given up" }
        if completion.waiters != waiting[fetch.key] {
            fault = "answered \(completion.waiters), not \(waiting[fetch.key])"
        }
        counts.answered += waiting[fetch.key].count
        waiting[fetch.key] = []
        underWay[fetch.key] = nil
        stray.append(fetch)
        if case .serve(let value) = completion.outcome { serve(value, for: fetch.key) }
    }

    private mutating func reportStray() {
        guard let fetch = stray.randomElement(using: &random) else { return }
        counts.lateReports += 1
        if stray.count > 50 { stray.removeFirst(25) }
        if Bool.random(using: &random) { report(fetch, life: 3600) } else { report(fetch, fault: .network) }
    }

    private mutating func cancel() {
        guard nextWaiter > 0 else { return }
        let waiter = nextWaiter - min(nextWaiter, UInt64.random(in: 0..<40, using: &random))
        let waited = table.table.cancel(waiter)
        if waited != forget(waiter) { fault = "\(waiter) waited: \(waited)" }
    }

    private mutating func expire() {
        guard let key = waiting.indices.filter({ !waiting[$0].isEmpty }).randomElement(using: &random),
            let waiter = waiting[key].randomElement(using: &random)
        else { return }
        let outcome = table.table.expire(waiter, at: clocks.now)
        if outcome == nil { fault = "\(waiter) was lost" }
        _ = forget(waiter)
        if case .serve(let value) = outcome { serve(value, for: key, slow: true) }
    }

    private mutating func forget(_ waiter: UInt64) -> Bool {
        for key in waiting.indices {
            if let index = waiting[key].firstIndex(of: waiter) {
                waiting[key].remove(at: index)
                return true
            }
        }
        return false
    }

    private mutating func check() {
        let all = waiting.reduce(0) { $0 + $1.count }
        if table.table.waiterCount != all { fault = "\(table.table.waiterCount) wait, not \(all)" }
        if all > limits.waiters || waiting.contains(where: { $0.count > limits.waitersPerSlot }) { fault = "crowd" }
        if table.table.count > limits.slots { fault = "\(table.table.count) slots" }
    }
}

/// A table cannot be copied, a model can.
private final class SlotTableBox {
    var table: SlotTable<Int, Int>

    init(limits: UpstreamLimits) { table = SlotTable(CachePolicy(credentials: limits)) }
}
