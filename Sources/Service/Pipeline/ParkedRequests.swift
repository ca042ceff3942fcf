import HTTP
import Net

/// The requests of one loop whose answers wait for something that is fetched: each is answered once, unless its client goes
/// before. Everything is called on the loop's thread.
final class ParkedRequests {
    /// What a request waits for, and how many may wait for that in a loop.
    enum Group {
        /// A session; how many wait is bounded where sessions are remembered.
        case sessions
        /// A vendor's public key.
        case callbacks(most: Int)
        /// A vendor's answer to the request alone. A caller may have as many waiting as leave as many free, so that there is
        /// always room for others. All callers without a name together have a quarter, however many addresses they have.
        case fetches(most: Int, caller: UInt64, isAnonymous: Bool)

        fileprivate var index: Int {
            switch self {
            case .sessions: 0
            case .callbacks: 1
            case .fetches: 2
            }
        }

        /// - Parameters:
        ///   - parked: how many of the group are parked.
        ///   - anonymous: how many of them are those of callers without a name.
        ///   - own: how many of them are the caller's.
        fileprivate func admits(_ parked: Int, anonymous: Int, own: (UInt64) -> Int) -> Bool {
            switch self {
            case .sessions: true
            case .callbacks(let most): parked < most
            case .fetches(let most, let caller, false): own(caller) < most - parked
            case .fetches(let most, let caller, true): own(caller) < min(most / 4 - anonymous, most - parked)
            }
        }
    }

    private struct Parked {
        let request: ParkedRequest
        let group: Group
        let whenAbandoned: () -> Void
    }

    private let answers: LateAnswers
    private var parked: [AnswerTicket: Parked] = [:]
    /// How many are parked, by the index of the group.
    private var counts = [0, 0, 0]
    /// How many fetches of each caller are parked, by a hash that nobody outside can aim at.
    private var callers: [UInt64: Int] = [:]
    /// How many fetches of callers without a name are parked.
    private var anonymous = 0

    init(_ answers: LateAnswers) { self.answers = answers }

    var isEmpty: Bool { parked.isEmpty }

    /// - Throws: when as many of the group are parked as may.
    func admit(to group: Group) throws(Refusal) {
        let isAdmitted = group.admits(counts[group.index], anonymous: anonymous) { callers[$0, default: 0] }
        if !isAdmitted { throw .crowded }
    }

    /// Keeps a request until `finish` or `abandon` is called.
    /// - Parameter whenAbandoned: called when nobody waits for the answer any more.
    /// - Throws: when as many of the group are parked as may.
    func park(
        _ request: ParkedRequest, in group: Group, whenAbandoned: @escaping () -> Void
    ) throws(Refusal) {
        try admit(to: group)
        parked[request.ticket] = Parked(request: request, group: group, whenAbandoned: whenAbandoned)
        counts[group.index] += 1
        if case .fetches(_, let caller, let isAnonymous) = group {
            callers[caller, default: 0] += 1
            if isAnonymous { anonymous += 1 }
        }
    }

    /// Has a request answered, by what `fill` puts into the response or by the refusal that it throws.
    func finish(_ ticket: AnswerTicket, _ fill: (inout Response) throws(Refusal) -> IssueTerms?) {
        take(ticket)?.request.finish(by: answers, fill)
    }

    /// The client is gone.
    func abandon(_ ticket: AnswerTicket) { take(ticket)?.whenAbandoned() }

    private func take(_ ticket: AnswerTicket) -> Parked? {
        guard let taken = parked.removeValue(forKey: ticket) else { return nil }
        counts[taken.group.index] -= 1
        if case .fetches(_, let caller, let isAnonymous) = taken.group {
            if isAnonymous { anonymous -= 1 }
            let count = callers[caller, default: 1]
            callers[caller] = count > 1 ? count - 1 : nil
        }
        return taken
    }
}
