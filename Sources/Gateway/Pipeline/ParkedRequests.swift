import Bytes
import Cluster
import HTTP
import Net
import Upstream

/// The requests of one loop whose answers wait for something that is fetched: each is answered once, unless its client goes
/// before. Everything is called on the loop's thread.
final class ParkedRequests {
    /// What a request waits for, and how many may wait for that in a loop.
    struct Group {
        fileprivate let index: Int
        fileprivate let most: Int
        /// Whether the request stays parked when its client is gone, since what it waits for does not end.
        var staysWithoutClient = false
        /// The caller's hash, which no client can predict. A caller may take at most half of the room that the others leave, so that
        /// others always find room; nil where callers are not told apart.
        fileprivate var caller: UInt64?
        fileprivate var isAnonymous = false

        /// A session: how many wait is bounded where sessions are remembered.
        static let sessions = Group(index: 0, most: .max)

        /// The use of a ticket, which Redis counts.
        static let tickets = Group(index: 3, most: RedisLink.mostQueued)

        /// A vendor's public key.
        static func callbacks(most: Int) -> Group { Group(index: 1, most: most) }

        /// A vendor's answer to the request alone. All callers without a name together have a quarter of the room, however many
        /// addresses they have.
        static func fetches(most: Int, caller: UInt64, isAnonymous: Bool = false) -> Group {
            Group(index: 2, most: most, caller: caller, isAnonymous: isAnonymous)
        }

        /// The same, where the vendor's time depends on the request.
        static func slowFetches(most: Int, caller: UInt64, isAnonymous: Bool = false) -> Group {
            Group(index: 4, most: most, caller: caller, isAnonymous: isAnonymous)
        }

        fileprivate var share: Share? { caller.map { Share(group: index, caller: $0) } }
    }

    /// A caller in a group.
    fileprivate struct Share: Hashable {
        let group: Int
        let caller: UInt64
    }

    private struct Parked {
        let request: ParkedRequest
        let group: Group
        let whenAbandoned: () -> Void
    }

    private let answers: LateAnswers
    private var parked: [PendingResponse: Parked] = [:]
    /// How many are parked, by the index of the group.
    private var counts = [0, 0, 0, 0, 0]
    /// How many requests of each caller are parked, where callers are told apart.
    private var callers: [Share: Int] = [:]
    /// How many fetches of callers without a name are parked, by the index of the group.
    private var anonymous = [0, 0, 0, 0, 0]

    init(_ answers: LateAnswers) { self.answers = answers }

    var isEmpty: Bool { parked.isEmpty }

    /// - Throws: when as many of the group are parked as may.
    func admit(to group: Group) throws(Refusal) {
        let own = group.share.map { callers[$0, default: 0] } ?? 0
        guard own < group.most - counts[group.index],
            !group.isAnonymous || own < group.most / 4 - anonymous[group.index]
        else { throw .crowded }
    }

    /// Keeps a request until `finish` or `abandon` is called.
    /// - Parameter whenAbandoned: called when nobody waits for the answer any more.
    /// - Throws: when as many of the group are parked as may.
    func park(
        _ request: ParkedRequest, in group: Group, whenAbandoned: @escaping () -> Void
    ) throws(Refusal) {
        try admit(to: group)
        parked[request.pending] = Parked(request: request, group: group, whenAbandoned: whenAbandoned)
        counts[group.index] += 1
        if let share = group.share { callers[share, default: 0] += 1 }
        if group.isAnonymous { anonymous[group.index] += 1 }
    }

    /// Keeps a request until what it waits for has come from a cache, or cannot be had.
    /// - Parameters:
    ///   - waiter: the number under which it waits; it does so no more when this throws.
    ///   - fill: writes the answer, or throws why there is none.
    func park<Key, Value>(
        _ request: ParkedRequest, in group: Group, for waiter: UInt64, of cache: LoopCache<Key, Value>,
        since now: Instant,
        _ fill: @escaping (SlotOutcome<Value>, inout Response) throws(Refusal) -> IssueTerms?
    ) throws(Refusal) {
        do throws(Refusal) {
            try park(request, in: group) { cache.cancel(waiter) }
        } catch {
            cache.cancel(waiter)
            throw error
        }
        let pending = request.pending
        cache.wait(waiter, for: cache.shared.policy.patience, at: now) { [weak self] outcome in
            self?.finish(pending) { response throws(Refusal) in try fill(outcome, &response) }
        }
    }

    /// Has a request answered, by what `fill` puts into the response or by the refusal that it throws.
    /// What is issued by a ticket whose uses are counted leaves when this use is.
    func finish(_ pending: PendingResponse, _ fill: (inout Response) throws(Refusal) -> IssueTerms?) {
        guard let request = parked[pending]?.request, let use = request.use else {
            take(pending)?.request.finish(by: answers, fill)
            return
        }
        var response = Response()
        let terms: IssueTerms?
        do throws(Refusal) { terms = try fill(&response) } catch {
            take(pending)?.request.finish(by: answers) { _ throws(Refusal) in throw error }
            return
        }
        let written = HeldResponse(&response)
        use.spend { [self] verdict in
            take(pending)?.request.finish(by: answers) { response throws(Refusal) in
                if let refusal = Refusal(verdict) { throw refusal }
                written.move(into: &response)
                return terms
            }
        }
    }

    /// The client is gone.
    func abandon(_ pending: PendingResponse) {
        guard let waiting = parked[pending], waiting.group.staysWithoutClient else {
            take(pending)?.whenAbandoned()
            return
        }
        waiting.request.isAbandoned = true
    }

    private func take(_ pending: PendingResponse) -> Parked? {
        guard let taken = parked.removeValue(forKey: pending) else { return nil }
        counts[taken.group.index] -= 1
        if taken.group.isAnonymous { anonymous[taken.group.index] -= 1 }
        if let share = taken.group.share {
            let count = callers[share, default: 1]
            callers[share] = count > 1 ? count - 1 : nil
        }
        return taken
    }
}

// Unsafe: confined to its loop's thread.
extension ParkedRequests: @unchecked Sendable {}
