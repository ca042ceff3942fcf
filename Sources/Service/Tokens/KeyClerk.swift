import Access
import Net
import Upstream

/// What one loop knows of tokens and their issuers' keys; it fetches those that fall to the loop. Everything is called on the
/// loop's thread.
final class KeyClerk {
    var memory: JWTMemory
    let tools: Fetch.Tools
    private let desks: [KeyDesk?]
    /// By the place of the issuer.
    private var flights: [Int: KeyFlight] = [:]

    /// - Parameter post: has work run on the loop's thread.
    init(
        _ desks: KeyDesks, _ memory: consuming JWTMemory, _ tools: Fetch.Tools,
        post: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.desks = desks.desks
        self.memory = memory
        self.tools = tools
        for (place, desk) in self.desks.enumerated() {
            guard let known = desk?.take(KeyDesk.Seat(post: post, clerk: self, place: place)) else { continue }
            self.memory.take(known.keys, of: place, areOther: true, until: known.until)
        }
        // Before anybody asks.
        if self.desks.contains(where: { $0 != nil }) {
            let clerk = self
            post { clerk.tick(at: clerk.tools.clock()) }
        }
    }

    /// Whether it is fetching keys, which others may wait for.
    var isWaiting: Bool { !flights.isEmpty }

    /// When `tick` is to be called though nobody asks, in monotonic milliseconds: a flight is looked after all the time.
    var nextTick: Int64? { flights.isEmpty ? desks.lazy.compactMap { $0?.next }.min() : .min }

    func tick(at now: Now) {
        for (place, desk) in desks.enumerated() {
            if let flight = flights[place] {
                flight.tick(at: now)
            } else if let desk {
                begin(desk, at: place, at: now)
            }
        }
    }

    /// Has the keys of an issuer fetched soon: a token's key is not among those that may be used.
    func want(of place: Int, at now: Now) {
        guard desks.indices.contains(place), let desk = desks[place] else { return }
        desk.want(at: now)
        if flights[place] == nil { begin(desk, at: place, at: now) }
    }

    private func begin(_ desk: KeyDesk, at place: Int, at now: Now) {
        guard desk.begins(at: now) else { return }
        let flight = KeyFlight(to: desk, tools)
        flights[place] = flight
        flight.whenOver = { [weak self] in self?.flights[place] = nil }
        flight.start(at: now)
    }

    func take(_ keys: JWTKeySet, of place: Int, areOther: Bool, until: Int64) {
        memory.take(keys, of: place, areOther: areOther, until: until)
    }
}

// Unsafe: confined to its loop's thread, like the loop's client: desks ask for it by the loop's mailbox.
extension KeyClerk: @unchecked Sendable {}
