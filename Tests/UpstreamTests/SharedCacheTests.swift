import Access
import Bytes
import Testing

@testable import Upstream

/// One shared cache and several event loops, without sockets: who is told what, on which loop, and who fetches.
@Suite struct SharedCacheTests {
    /// Loops whose mailboxes the test empties.
    private final class Loops: @unchecked Sendable {
        let shared: SharedCache<Int, String>
        private(set) var caches: [LoopCache<Int, String>] = []
        private(set) var fetches: [SlotFetch] = []
        /// What each loop was told, in order.
        private(set) var told: [[String]]
        /// What each loop took that is published.
        private(set) var published: [[String]]
        private var posted: [(loop: Int, work: @Sendable () -> Void)] = []
        var clocks = ManualClocks()

        init(_ count: Int, _ policy: CachePolicy) {
            shared = SharedCache(policy)
            told = Array(repeating: [], count: count)
            published = told
            for loop in 0..<count { caches.append(make(loop)) }
        }

        private func make(_ loop: Int) -> LoopCache<Int, String> {
            LoopCache(shared, post: { [unowned self] in posted.append((loop, $0)) }) { [unowned self] in
                published[loop].append($0)
            }
        }

        /// A loop's configuration is gone, and the next one replaces it.
        func replace(_ loop: Int) { caches[loop] = make(loop) }

        /// - Returns: what it is told at once; nil where it waits.
        @discardableResult
        func ask(_ key: Int, at loop: Int = 0, of client: CacheClient? = nil, for patience: Int64? = nil) -> String? {
            switch caches[loop].ask(key, of: client, at: clocks.now, begin: { fetches.append($0) }) {
            case .now(let outcome): return text(outcome)
            case .later(let waiter):
                caches[loop].wait(waiter, for: patience, at: clocks.now) { [unowned self] in
                    told[loop].append(text($0))
                }
                return nil
            }
        }

        /// How many posts there are for each loop; they run.
        func deliver() -> [Int] {
            let due = posted
            posted = []
            for post in due { post.work() }
            return caches.indices.map { loop in due.count { $0.loop == loop } }
        }

        func land(_ value: String, for lifetime: Lifetime = .fixed(refresh: 60_000, keep: 600_000)) {
            shared.land(fetches.removeFirst(), with: .success((value, lifetime)), at: clocks.now)
        }

        func fail(_ fault: UpstreamFault) { shared.land(fetches.removeFirst(), with: .failure(fault), at: clocks.now) }
    }

    private func policy(_ capacity: Int = 8) -> CachePolicy {
        CachePolicy(keys: capacity, pause: .constant(empty: 2_000, serving: 5_000), UpstreamLimits())
    }

    @Test func `all loops wait for one fetch, and each that waits is told by one post`() {
        let loops = Loops(3, policy())
        for _ in 0..<10 {
            #expect(loops.ask(1, at: 0) == nil)
            #expect(loops.ask(1, at: 2) == nil)
        }
        #expect(loops.fetches.count == 1)
        loops.land("a")
        // Nobody is told before the loops come to it.
        #expect(loops.told == [[], [], []])
        #expect(loops.deliver() == [1, 0, 1])
        #expect(loops.told.map(\.count) == [10, 0, 10] && Set(loops.told.joined()) == ["serve a"])
        #expect(loops.ask(1, at: 1) == "serve a" && loops.deliver() == [0, 0, 0])
    }

    @Test func `a value is served on while its refresh fails, until its time is over`() {
        let loops = Loops(1, policy())
        loops.ask(1)
        loops.land("a")
        _ = loops.deliver()
        for second in stride(from: Int64(60), to: 600, by: 1) {
            loops.clocks.advance(seconds: 1)
            guard second > 60 else {
                loops.clocks.advance(seconds: 59)
                continue
            }
            #expect(loops.ask(1) == "serve a", "\(second)")
            while !loops.fetches.isEmpty { loops.fail(.network) }
        }
        loops.clocks.advance(seconds: 60)
        #expect(loops.ask(1) == nil && loops.fetches.count == 1)
        loops.fail(.refused)
        _ = loops.deliver()
        #expect(loops.told[0].last == "refuse refused 2")
        #expect(loops.ask(1) == "refuse refused 2" && loops.fetches.isEmpty)
    }

    @Test func `a waiter is told when its patience is over, and whoever goes is told nothing`() {
        var policy = policy()
        policy.limits.waitersPerSlot = 2
        let loops = Loops(1, policy)
        loops.ask(1, for: 1_000)
        guard case .later(let waiter) = loops.caches[0].ask(1, at: loops.clocks.now, begin: { _ in }) else {
            Issue.record("it does not wait")
            return
        }
        #expect(loops.ask(1) == "refuse crowded 1")
        loops.caches[0].cancel(waiter)
        loops.ask(1)
        loops.clocks.monotonic += 999
        loops.caches[0].tick(at: loops.clocks.now)
        #expect(loops.told == [[]])
        loops.clocks.monotonic += 1
        loops.caches[0].tick(at: loops.clocks.now)
        #expect(loops.told == [["refuse slow 1"]] && loops.caches[0].isWaiting)
        loops.land("a")
        _ = loops.deliver()
        #expect(loops.told == [["refuse slow 1", "serve a"]] && !loops.caches[0].isWaiting)
    }

    @Test func `a value that is published is taken by every loop, and by one that came later`() {
        var policy = policy()
        policy.isPublished = true
        let loops = Loops(3, policy)
        var begun: [SlotFetch] = []
        for loop in loops.caches { loop.refresh(1, at: loops.clocks.now) { begun.append($0) } }
        #expect(begun.count == 1)
        for value in ["a", "b"] {
            loops.shared.land(
                begun.removeFirst(), with: .success((value, .fixed(refresh: 60_000, keep: 600_000))),
                at: loops.clocks.now)
            #expect(loops.deliver() == [1, 1, 1])
            #expect(loops.caches[2].due(1) == loops.clocks.monotonic + 60_000)
            for loop in loops.caches { loop.refresh(1, at: loops.clocks.now) { begun.append($0) } }
            #expect(begun.isEmpty)
            loops.clocks.advance(seconds: 60)
            loops.caches[1].refresh(1, at: loops.clocks.now) { begun.append($0) }
        }
        #expect(loops.published == [["a", "b"], ["a", "b"], ["a", "b"]])
        // What brings nothing is told to nobody.
        loops.shared.land(begun.removeFirst(), with: .failure(.network), at: loops.clocks.now)
        #expect(loops.deliver() == [0, 0, 0] && loops.shared.value(of: 1) == "b")
    }

    @Test func `a loop whose configuration is gone is told nothing, and its number serves the next`() {
        let loops = Loops(2, policy())
        loops.ask(1, at: 1)
        weak let gone = loops.caches[1]
        loops.replace(1)
        #expect(gone == nil)
        loops.ask(1, at: 1)
        loops.ask(1, at: 0)
        loops.land("a")
        _ = loops.deliver()
        #expect(loops.told == [["serve a"], ["serve a"]])
    }

    @Test func `a client begins as many fetches as its share says, and what is held costs nothing`() {
        var policy = policy(100)
        policy.fetchesPerClient = Rate(2, in: 60_000)
        let loops = Loops(1, policy)
        let one = CacheClient(mark: 1, pays: true)
        for key in 0..<4 { #expect(loops.ask(key, of: one) == (key < 2 ? nil : "refuse share 30")) }
        #expect(loops.ask(5, of: CacheClient(mark: 2, pays: true)) == nil)
        #expect(loops.ask(6, of: CacheClient(mark: 1, pays: false)) == nil)
        loops.land("a")
        #expect(loops.ask(0, of: one) == "serve a")
    }
}
