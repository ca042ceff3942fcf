import Bytes
import Cluster
import Crypto
import Net
import Providers
import Upstream

/// The sessions that all replicas share: one replica fetches each, and all use it. Where Redis is gone, each fetches its own.
final class SharedSessions: Sendable {
    enum Found: Sendable {
        /// A session, and the moment by the vendor's clock, in seconds since 1970.
        case session(SessionCredential, at: Int64)
        /// It is to be fetched here; `put` or `release` is owed for the turn.
        case turn([UInt8])
        /// Redis does not say.
        case unknown
    }

    /// Somebody who needs a session.
    private struct Search: Sendable {
        let slot: [UInt8]
        /// Seconds since 1970; a session must end later to be of use.
        let end: Int64
        /// Seconds that a session must have left at least.
        let life: Int64
        /// Milliseconds that a fetch can take.
        let longest: Int64
        /// Until when other replicas are waited for, in monotonic milliseconds.
        let until: Int64
        let then: @Sendable (Found) -> Void
    }

    /// What is being fetched here.
    private struct Turn: Sendable {
        let slot: [UInt8]
        /// Until when it is renewed, in monotonic milliseconds.
        let until: Int64
    }

    private struct State: Sendable {
        /// Those whose sessions other replicas are fetching.
        var waiting: [Search] = []
        /// When Redis is asked for them again, in monotonic milliseconds.
        var asksAt: Int64 = .max
        var turns: [[UInt8]: Turn] = [:]
        /// When the turns are renewed.
        var renewsAt: Int64 = .max
        /// Whether nobody knows yet if there is a Redis; it is waited for, since the others may have what is needed.
        var isBeginning = true
    }

    private let board: SessionBoard
    private let link: RedisLink
    private let state = Guarded(State())

    /// Seconds that a session has left at least to be of use for a replica that has none: ten minutes, or a third of its life (R17).
    static func leastLife(of lifetime: Int64?) -> Int64 { min(600, (lifetime ?? 3600) / 3) }
    /// Milliseconds of a turn to fetch, which its holder renews. With the pauses of two replicas that wait, which have it one after the other,
    /// it is less than a second, and than a request waits by default: a holder that has died costs nobody an answer.
    private static let turn: Int64 = 700
    private static let renewal: Int64 = 200
    /// Milliseconds until Redis is asked again for what another replica is fetching.
    private static let pause: Int64 = 100

    init(_ board: SessionBoard, by link: RedisLink) {
        self.board = board
        self.link = link
    }

    /// Has a session found; while another replica fetches it, Redis is asked again and again.
    /// - Parameters:
    ///   - end: seconds since 1970; a session must end later to be of use.
    ///   - life: seconds that a session must have left at least.
    ///   - longest: milliseconds that a fetch can take; its turn is not renewed for longer, and others are not waited for much longer.
    ///   - then: told once, from any thread.
    func find(
        _ key: CredentialKey, endingAfter end: Int64, leaving life: Int64, fetchedWithin longest: Int64,
        then: @escaping @Sendable (Found) -> Void
    ) {
        let (until, overflow) = SystemClock.now().monotonic.addingReportingOverflow(longest &+ SharedSessions.turn)
        ask(
            Search(
                slot: key.bytes, end: end, life: life, longest: longest, until: overflow ? .max : until, then: then))
    }

    private func ask(_ search: Search) {
        let then = search.then
        do throws(CryptoError) {
            let turn = Hex.encode(try SecureRandom.bytes(8))
            let question = try board.question(
                of: search.slot, endingAfter: search.end, turn: turn, lasting: SharedSessions.turn)
            link.send(question) { [self] result in
                if case .failure = result, waitsForRedis(search) { return }
                guard case .success(let reply) = result, let answer = try? board.read(reply, of: search.slot) else {
                    return then(.unknown)
                }
                switch answer {
                case .turn:
                    begin(turn, for: search)
                    then(.turn(turn))
                case .taken: wait(search)
                case .session(let session, let age): then(SharedSessions.found(session, age: age, by: search))
                }
            }
        } catch {
            then(.unknown)
        }
    }

    /// A session that Redis has, unless it is of no use: whoever writes to Redis can put an earlier one there again, or another
    /// time beside it, and Redis' clock can be wrong.
    /// - Parameter age: seconds since it was put there, by Redis' clock.
    private static func found(_ session: SessionBoard.Session, age: Int64, by search: Search) -> Found {
        guard let (credential, put) = SessionCredential.read(session.text, with: session.secret) else {
            return .unknown
        }
        // Of the two clocks, the one by which it is older counts.
        let known = SystemClock.now().unixSeconds.subtractingReportingOverflow(put)
        let older = max(age, known.overflow ? 0 : known.partialValue)
        let (moment, isLate) = put.addingReportingOverflow(older)
        let (left, isFar) = credential.expiresAt.subtractingReportingOverflow(moment)
        guard !isLate, !isFar, credential.expiresAt > search.end, left > search.life else { return .unknown }
        return .session(credential, at: moment)
    }

    /// - Returns: whether the search goes on when there is a first connection, or none.
    private func waitsForRedis(_ search: Search) -> Bool {
        state.withLock { state in
            if state.isBeginning {
                state.waiting.append(search)
                state.asksAt = .min
            }
            return state.isBeginning
        }
    }

    private func wait(_ search: Search) {
        let now = SystemClock.now().monotonic
        // A turn that never ends is nobody's, but of somebody who writes to Redis.
        guard now < search.until else { return search.then(.unknown) }
        state.withLock { state in
            if state.waiting.isEmpty { state.asksAt = now + SharedSessions.pause }
            state.waiting.append(search)
        }
    }

    private func begin(_ turn: [UInt8], for search: Search) {
        let now = SystemClock.now().monotonic
        state.withLock { state in
            if state.turns.isEmpty { state.renewsAt = now + SharedSessions.renewal }
            let (until, overflow) = now.addingReportingOverflow(search.longest)
            state.turns[turn] = Turn(slot: search.slot, until: overflow ? .max : until)
        }
    }

    private func end(_ turn: [UInt8]) {
        state.withLock { state in
            state.turns[turn] = nil
            if state.turns.isEmpty { state.renewsAt = .max }
        }
    }

    /// Has a session that was fetched serve all replicas.
    /// - Parameter moment: when the vendor gave it, by its clock, in seconds since 1970.
    func put(_ credential: SessionCredential, of key: CredentialKey, at moment: Int64, turn: [UInt8]) {
        let (left, overflow) = credential.expiresAt.subtractingReportingOverflow(moment)
        guard !overflow, (1...SessionForm.durations.upperBound).contains(left) else { return release(key, turn: turn) }
        end(turn)
        let parts = credential.parts(at: moment)
        let command = try? board.put(
            SessionBoard.Session(text: parts.text, secret: parts.secret), of: key.bytes, until: credential.expiresAt,
            lasting: left * 1000, turn: turn)
        if let command { link.send(command) { _ in } }
    }

    /// A turn has brought nothing.
    func release(_ key: CredentialKey, turn: [UInt8]) {
        end(turn)
        if let command = try? board.release(key.bytes, turn: turn) { link.send(command) { _ in } }
    }

    // MARK: The link's thread

    /// Asks again for what others fetch, and renews the turns, if it is time.
    /// - Parameter now: monotonic milliseconds.
    /// - Returns: when it is to be called again.
    func tick(at now: Int64) -> Int64 {
        let (searches, turns, next) = state.withLock { state in
            var (searches, turns): ([Search], [[UInt8]: Turn]) = ([], [:])
            state.isBeginning = false
            if now >= state.asksAt {
                swap(&searches, &state.waiting)
                state.asksAt = .max
            }
            if now >= state.renewsAt {
                state.turns = state.turns.filter { now < $0.value.until }
                turns = state.turns
                state.renewsAt = turns.isEmpty ? .max : now + SharedSessions.renewal
            }
            return (searches, turns, min(state.asksAt, state.renewsAt))
        }
        for search in searches { ask(search) }
        for (name, turn) in turns {
            if let command = try? board.renew(turn.slot, turn: name, lasting: SharedSessions.turn) {
                link.send(command) { _ in }
            }
        }
        return next
    }

    /// There is no Redis: who waits fetches a session itself.
    func lose() {
        let searches = state.withLock { state in
            defer {
                state.waiting = []
                state.asksAt = .max
                state.isBeginning = false
            }
            return state.waiting
        }
        for search in searches { search.then(.unknown) }
    }
}
