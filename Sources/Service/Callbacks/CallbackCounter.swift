import Bytes
import Crypto
import HTTP
import Net
import Providers
import Telemetry
import Upstream

/// Where a loop's callbacks wait for the public keys that they are signed by, and the loop's calls for those.
final class CallbackCounter {
    private struct Parked {
        let request: ParkedRequest
        let entry: CallbackTable.Entry
        let claim: CallbackClaim
    }

    private let keys: CallbackKeys
    private let tools: Fetch.Tools
    private let answers: LateAnswers
    private var loop = 0
    private var parked: [AnswerTicket: Parked] = [:]
    private var flights: [PublishedKey: CallbackKeyFlight] = [:]

    /// - Parameter post: has work run on the loop's thread.
    init(
        _ keys: CallbackKeys, _ tools: Fetch.Tools, _ answers: LateAnswers,
        post: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.keys = keys
        self.tools = tools
        self.answers = answers
        loop = keys.take(CallbackKeys.Seat(post: post, counter: self))
    }

    var isWaiting: Bool { !parked.isEmpty || !flights.isEmpty }

    /// A key that is known; nil for one that is being fetched from now on, for which the callback is to be parked.
    /// - Throws: when it cannot be had now.
    func key(at place: PublishedKey, at now: Now) throws(Refusal) -> RSAPublicKey? {
        switch keys.ask(place, for: loop, at: now) {
        case .use(let key): return key
        case .useAndRefresh(let key):
            begin(place, at: now)
            return key
        case .start:
            begin(place, at: now)
            return nil
        case .wait: return nil
        case .refuse(let fault): throw Refusal(fault, at: now)
        case .full: throw .crowded
        }
    }

    /// Has the callback judged and answered when its key has come, or cannot be had.
    /// - Throws: when as many wait as may.
    func park(
        _ request: ParkedRequest, for claim: CallbackClaim, by entry: CallbackTable.Entry
    ) throws(Refusal) {
        guard parked.count < keys.waiting else { throw .crowded }
        parked[request.ticket] = Parked(request: request, entry: entry, claim: claim)
    }

    /// The client is gone; the call goes on, for whoever comes next.
    func abandon(_ ticket: AnswerTicket) { parked[ticket] = nil }

    func tick(at instant: Instant) {
        let now = Now(instant)
        // What ends with this is not among them any more.
        for flight in Array(flights.values) { flight.tick(at: now) }
    }

    private func begin(_ place: PublishedKey, at now: Now) {
        guard let line = keys.line(to: place) else { return keys.land(place, with: .failure(.unavailable), at: now) }
        let flight = CallbackKeyFlight(for: place, on: line, tools) { [unowned self] result, now in
            flights[place] = nil
            keys.land(place, with: result, at: now)
        }
        flights[place] = flight
        flight.start(at: now)
    }

    /// A call of this or another loop is over.
    func landed(_ place: PublishedKey, with result: Result<RSAPublicKey, UpstreamFault>) {
        let now = tools.clock()
        for (ticket, callback) in parked where callback.claim.key == place {
            parked[ticket] = nil
            callback.request.finish(by: answers) { response throws(Refusal) in
                switch result {
                case .success(let key):
                    try callback.entry.answer(
                        callback.claim, by: key, as: callback.request.requestID.text, tools.log, into: &response)
                    return nil
                case .failure(let fault): throw Refusal(fault, at: now)
                }
            }
        }
    }
}

// Unsafe: confined to its loop's thread; what other threads know of it is its `post`, and that runs on the loop.
extension CallbackCounter: @unchecked Sendable {}
