@testable import Upstream
import Bytes

/// Random numbers as a machine may be given them: the ends, and some between.
let someRandom: [UInt64] = [0, 1, .max / 2, .max - 1, .max]

/// The key of the `number`th credential.
struct FixtureError: Error {}

/// Both clocks, moved by hand.
struct ManualClocks {
    var unixSeconds: Int64 = 1_800_000_000
    var monotonic: Int64 = 5_000_000

    var now: Instant { Instant(unixSeconds: unixSeconds, monotonic: monotonic) }

    mutating func advance(seconds: Int64) {
        unixSeconds += seconds
        monotonic += seconds * 1000
    }
}

func text<Value>(_ reply: SlotReply<Value>) -> String {
    switch reply.outcome {
    case .serve(let value): "serve \(value)" + (reply.fetch == nil ? "" : ", refresh")
    case .refuse(let refusal): text(refusal)
    case nil: reply.fetch == nil ? "wait" : "start"
    }
}

func text<Value>(_ outcome: SlotOutcome<Value>?) -> String {
    switch outcome {
    case .serve(let value): "serve \(value)"
    case .refuse(let refusal): text(refusal)
    case nil: "nothing"
    }
}

func text(_ refusal: SlotRefusal) -> String {
    switch refusal.reason {
    case .fault(let fault): "refuse \(fault) \(refusal.retryAfter)"
    default: "refuse \(refusal.reason) \(refusal.retryAfter)"
    }
}

/// One slot, its clocks and its fetches.
struct SlotBench {
    var slot = ExpiringSlot()
    /// What the slot's owner keeps for it.
    private var held = 0
    var clocks = ManualClocks()
    var limits = UpstreamLimits()
    var random: UInt64 = .max / 2
    /// The last fetch that was begun.
    private(set) var fetch: UInt64 = 0

    var policy: CachePolicy { CachePolicy(credentials: limits) }
    var state: ExpiringSlot.State { slot.state(at: clocks.now, policy: policy) }

    mutating func ask() -> String {
        switch slot.ask(at: clocks.now, fetch: fetch + 1, policy: policy) {
        case .serve: return "serve \(held)"
        case .serveAndRefresh:
            fetch += 1
            return "serve \(held), refresh"
        case .start:
            fetch += 1
            return "start"
        case .wait: return "wait"
        case .refuse(let refusal): return text(refusal)
        }
    }

    /// The fetch brings `value`, issued this moment by a vendor whose clock is ours, unless told otherwise.
    mutating func succeed(
        _ value: Int, life: Int64, issuedAt: Int64? = nil, longest: Int64? = nil, fetch: UInt64? = nil
    ) -> String {
        let issuedAt = issuedAt ?? clocks.unixSeconds
        let outcome = slot.succeeded(
            fetch ?? self.fetch, for: .dated(expiresAt: issuedAt.plus(life), issuedAt: issuedAt, longest: longest),
            at: clocks.now, random: random, policy: policy)
        if outcome == .replaced { held = value }
        return words(outcome)
    }

    mutating func fail(_ fault: UpstreamFault, fetch: UInt64? = nil) -> String {
        words(slot.failed(fetch ?? self.fetch, with: fault, at: clocks.now, random: random, policy: policy))
    }

    /// What somebody gets who has waited long enough.
    var unanswered: String { words(slot.unanswered(at: clocks.now, policy: policy)) }

    private func words(_ outcome: ExpiringSlot.Outcome?) -> String {
        switch outcome {
        case .replaced, .kept: "serve \(held)"
        case .refused(let refusal): text(refusal)
        case nil: "nothing"
        }
    }
}
