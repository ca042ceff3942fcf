import Bytes
import TestTraits
import Testing

@testable import Upstream

/// Ten simulated minutes without the vendor, and its return: table, calls, breaker and budget together, as `Service` drives
/// them.
@Suite struct OutageTests {
    @Test(arguments: Rounds.some(of: Vendor.Behaviour.outages, from: 2))
    func `ten minutes of outage cost nobody a living credential, and are over 5 s after`(behaviour: Vendor.Behaviour)
        throws
    {
        var service = try SimulatedService(seed: 11)
        // Half an hour of peace, in which 40 credentials of 15 and of 60 minutes are fetched and refreshed.
        while service.clocks.monotonic < 1_800_000 { try service.step(by: 50, vendor: .well) }
        #expect(service.vendor.calls.count > 40)
        service.tally = Tally()
        let begin = service.clocks.monotonic
        while service.clocks.monotonic < begin + 600_000 { try service.step(by: 10, vendor: behaviour) }
        #expect(service.tally.requests == 60_000)
        #expect(service.tally.living > 30_000)
        #expect(Double(service.tally.livingServed) >= 0.999 * Double(service.tally.living))
        #expect(service.tally.longestWait <= 2_000)
        #expect(service.tally.refused > 1_000)
        #expect(service.tally.shortestRetryAfter >= 1 && service.tally.longestRetryAfter <= 5)
        // Nearly all of them at once: only those wait who come while an attempt is under way.
        #expect(service.tally.waited < service.tally.requests / 50)
        let end = service.clocks.monotonic
        while service.clocks.monotonic < end + 60_000 {
            service.tally = Tally()
            try service.step(by: 10, vendor: .well)
            if service.tally.refused > 0 { service.lastRefusal = service.clocks.monotonic }
        }
        #expect(service.lastRefusal - end < 5_000)
        #expect(service.vendor.mostFetchesOfAKey == 1)
        #expect(service.vendor.mostCallsInASecond <= 100)
    }

    @Test(arguments: Rounds.some(of: [Vendor.Behaviour.hanging, .unreachable, .failing]))
    func `whenever an outage ends, all is well within 5 s, new credentials included`(behaviour: Vendor.Behaviour) throws
    {
        var service = try SimulatedService(seed: 13)
        var longest: Int64 = 0
        for outage in 0..<15 {
            let begin = service.clocks.monotonic
            while service.clocks.monotonic < begin + 9_000 + Int64(outage) * 137 {
                try service.step(by: 10, vendor: behaviour)
            }
            let end = service.clocks.monotonic
            service.lastRefusal = end
            while service.clocks.monotonic < end + 8_000 {
                service.tally = Tally()
                try service.step(by: 10, vendor: .well)
                if service.tally.refused > 0 { service.lastRefusal = service.clocks.monotonic }
            }
            longest = max(longest, service.lastRefusal - end)
        }
        #expect(longest > 0 && longest < 5_000)
    }

    @Test func `a storm of new credentials stays within the account's limit, and nobody waits for long`() throws {
        var service = try SimulatedService(seed: 12)
        for second in 0..<20 {
            for number in 0..<300 { try service.ask(1000 + second * 300 + number) }
            for _ in 0..<100 { try service.step(by: 10, vendor: .well, asks: 0) }
        }
        #expect(service.vendor.calls.count > 900)
        #expect(service.vendor.mostCallsInASecond <= 100)
        #expect(service.tally.longestWait <= 2_000)
        #expect(service.tally.refused + service.tally.served >= 5_900)
    }
}

/// What the requests of a time got.
struct Tally {
    var requests = 0, served = 0, refused = 0, waited = 0
    /// Requests for which there was a credential with enough left of it, and how many of them got it.
    var living = 0, livingServed = 0
    var longestWait: Int64 = 0
    var shortestRetryAfter = Int64.max, longestRetryAfter: Int64 = 0
}

/// The other side, and what it saw.
struct Vendor {
    enum Behaviour: Sendable, CaseIterable {
        case well, unreachable, hanging, failing, throttling, talkingNonsense

        static var outages: [Behaviour] { allCases.filter { $0 != .well } }
    }

    private(set) var calls: [Int64] = []
    private(set) var mostFetchesOfAKey = 0
    private var fetches: [Int: Int] = [:]

    var mostCallsInASecond: Int {
        var (most, start) = (0, 0)
        for end in calls.indices {
            while calls[end] - calls[start] >= 1000 { start += 1 }
            most = max(most, end - start + 1)
        }
        return most
    }

    /// - Returns: when the attempt ends, and with what.
    mutating func call(at now: Int64, until: Int64, behaviour: Behaviour) -> (Int64, UpstreamFault?) {
        calls.append(now)
        return switch behaviour {
        case .well: (now + 80, nil)
        case .unreachable: (now + 1, .network)
        case .hanging: (until, .network)
        case .failing: (now + 30, .unavailable)
        case .throttling: (now + 30, .throttled)
        case .talkingNonsense: (now + 30, .malformed)
        }
    }

    mutating func depart(_ key: Int) {
        fetches[key, default: 0] += 1
        mostFetchesOfAKey = max(mostFetchesOfAKey, fetches[key] ?? 0)
    }

    mutating func arrive(_ key: Int) { fetches[key, default: 0] -= 1 }
}

/// A service and its clients, in a simulated time.
struct SimulatedService: ~Copyable {
    private struct Call {
        let fetch: SlotFetch, key: Int
        var retry: Retry
        /// When something happens next.
        var due: Int64
        /// Nil while it waits for its next attempt.
        var attempt: UpstreamFault??
    }
    private struct Waiter { let key: Int, since: Int64, isLiving: Bool }

    private let limits = UpstreamLimits()
    private var table = SlotTable<Int, Int>(CachePolicy(credentials: UpstreamLimits()))
    private var breaker = Breaker()
    private var budget: CallBudget
    private(set) var clocks = ManualClocks()
    private var random: SplitMix64
    private var calls: [Call] = []
    private var waiters: [UInt64: Waiter] = [:]
    private var nextWaiter: UInt64 = 0
    /// When the last credential of each key was issued; its life is the key's.
    private var issued: [Int: Int64] = [:]
    private var behaviour = Vendor.Behaviour.well
    private var asked = 0
    private var nextKey = 100
    var vendor = Vendor()
    var tally = Tally()
    var lastRefusal: Int64 = 0

    init(seed: UInt64) throws {
        clocks.monotonic = 0
        random = SplitMix64(seed: seed)
        budget = CallBudget(at: 0)
    }

    private func life(of key: Int) -> Int64 { key % 2 == 0 ? 900 : 3600 }

    /// Lets time pass, has the calls and the waiters go on, and sends requests: nine of ten for one of 40 credentials, every
    /// tenth for one that nobody asked for before.
    mutating func step(by milliseconds: Int64, vendor behaviour: Vendor.Behaviour, asks: Int = 1) throws {
        clocks.monotonic += milliseconds
        clocks.unixSeconds = 1_800_000_000 + clocks.monotonic / 1000
        self.behaviour = behaviour
        for index in calls.indices { proceed(index) }
        calls.removeAll { $0.due == .max }
        for (token, waiter) in waiters where clocks.monotonic - waiter.since >= limits.patience {
            if let outcome = table.expire(token, at: clocks.now) { answer(token, with: outcome) }
        }
        for _ in 0..<asks {
            asked += 1
            if asked % 10 == 0 { nextKey += 1 }
            try ask(asked % 10 == 0 ? nextKey : Int.random(in: 0..<40, using: &random))
        }
    }

    mutating func ask(_ key: Int) throws {
        tally.requests += 1
        nextWaiter += 1
        let left = (issued[key] ?? .min / 2) + life(of: key) * 1000 - clocks.monotonic
        // With a second less, since dates are cut to whole ones, and another for the fetch.
        let isLiving = left >= min(300, life(of: key) / 3) * 1000 + 2000
        if isLiving { tally.living += 1 }
        let reply = table.ask(key, for: nextWaiter, at: clocks.now)
        switch reply.outcome {
        case .serve: serve(isLiving)
        case nil: wait(key, isLiving)
        case .refuse(let refusal): refuse(refusal)
        }
        if let fetch = reply.fetch { begin(fetch, key) }
    }

    private mutating func serve(_ isLiving: Bool) {
        tally.served += 1
        if isLiving { tally.livingServed += 1 }
    }

    private mutating func refuse(_ refusal: SlotRefusal) {
        tally.refused += 1
        tally.shortestRetryAfter = min(tally.shortestRetryAfter, refusal.retryAfter)
        tally.longestRetryAfter = max(tally.longestRetryAfter, refusal.retryAfter)
    }

    private mutating func wait(_ key: Int, _ isLiving: Bool) {
        waiters[nextWaiter] = Waiter(key: key, since: clocks.monotonic, isLiving: isLiving)
    }

    private mutating func begin(_ fetch: SlotFetch, _ key: Int) {
        vendor.depart(key)
        let retry = Retry(endpoints: 2, at: clocks.monotonic, limits: limits)
        calls.append(Call(fetch: fetch, key: key, retry: retry, due: clocks.monotonic, attempt: nil))
        proceed(calls.count - 1)
    }

    /// Takes one call as far as it goes now; it is over when it is never due again.
    private mutating func proceed(_ index: Int) {
        while calls[index].due <= clocks.monotonic {
            let now = clocks.monotonic
            let step: Retry.Step
            switch calls[index].attempt {
            case nil: step = calls[index].retry.next(at: now, past: &breaker, within: &budget)
            case .some(nil):
                calls[index].retry.succeeded(at: now, past: &breaker)
                return end(index, with: nil)
            case .some(.some(let fault)):
                step = calls[index].retry.failed(with: fault, at: now, random: random.next(), past: &breaker)
            }
            switch step {
            case .attempt(_, let until):
                let (due, fault) = vendor.call(at: now, until: until, behaviour: behaviour)
                calls[index].due = due
                calls[index].attempt = .some(fault)
            case .wait(let until):
                calls[index].due = until
                calls[index].attempt = nil
            case .giveUp(let fault): return end(index, with: fault)
            }
        }
    }

    private mutating func end(_ index: Int, with fault: UpstreamFault?) {
        let (fetch, key) = (calls[index].fetch, calls[index].key)
        calls[index].due = .max
        vendor.arrive(key)
        let completion: SlotTable<Int, Int>.Completion?
        if let fault {
            completion = table.landed(fetch, with: .failure(fault), at: clocks.now, random: random.next())
        } else {
            issued[key] = clocks.monotonic
            completion = table.landed(
                fetch,
                with: .success(
                    (
                        key,
                        .dated(
                            expiresAt: clocks.unixSeconds + life(of: key), issuedAt: clocks.unixSeconds,
                            longest: life(of: key))
                    )), at: clocks.now, random: random.next())
        }
        guard let completion else { return }
        for token in completion.waiters { answer(token, with: completion.outcome) }
    }

    private mutating func answer(_ token: UInt64, with outcome: SlotOutcome<Int>) {
        guard let waiter = waiters.removeValue(forKey: token) else { return }
        if clocks.monotonic > waiter.since { tally.waited += 1 }
        tally.longestWait = max(tally.longestWait, clocks.monotonic - waiter.since)
        switch outcome {
        case .serve: serve(waiter.isLiving)
        case .refuse(let refusal): refuse(refusal)
        }
    }
}
