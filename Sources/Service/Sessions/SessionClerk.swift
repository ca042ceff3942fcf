import Bytes
import Crypto
import Machine
import Net
import Providers
import Telemetry
import Upstream

/// One loop's side of a `SessionDesk`: it asks there for the loop's requests, makes the calls that fall to the loop, and has
/// those told who waited. Everything is called on the loop's thread.
final class SessionClerk {
    typealias Outcome = SessionDesk.Outcome

    /// What a clerk has of its loop.
    struct Tools {
        let courier: any Courier
        let clock: () -> Now
        let log: Log
        /// Reads a file that may be slow to come; nil for one that cannot be read.
        let read: (_ path: String, _ then: @escaping (ReadFile?) -> Void) -> Void
        let post: @Sendable (@escaping @Sendable () -> Void) -> Void
    }

    enum Reply {
        case now(Outcome)
        /// `wait` is owed under this number.
        case later(UInt64)
    }

    private struct Waiter {
        let deadline: Int64
        let deliver: (Outcome) -> Void
    }

    let desk: SessionDesk
    let tools: Tools
    /// For the nonces of calls.
    var random = RandomPool()
    private let ownKey: OwnKey
    private var lastWaiter: UInt64 = 0
    private var waiters: [UInt64: Waiter] = [:]
    private var flights: [ObjectIdentifier: SessionFlight] = [:]

    init(_ desk: SessionDesk, key: STSKey?, _ tools: Tools) throws(CryptoError) {
        self.desk = desk
        self.tools = tools
        ownKey = try OwnKey(desk.account, key)
        lastWaiter = desk.take(SessionDesk.Seat(post: tools.post, clerk: self))
    }

    /// Whether anybody waits for it, or it for anybody.
    var isWaiting: Bool { !waiters.isEmpty || !flights.isEmpty }

    // MARK: Requests

    /// Asks for a session. Nobody is told anything before this returns.
    func ask(_ session: STSSession, for asker: SessionAsker, at now: Now) -> Reply {
        let waiter = nextWaiter()
        let reply = desk.ask(session.slot, as: waiter, for: asker, at: now)
        if reply.looksAtClock { begin(.session(session.request), for: nil, at: now) }
        switch reply.answer {
        case .serve(let credential): return .now(.serve(credential))
        case .serveAndRefresh(let credential, let flight):
            begin(.session(session.request), for: flight, at: now)
            return .now(.serve(credential))
        case .start(let flight):
            begin(.session(session.request), for: flight, at: now)
            return .later(waiter)
        case .wait: return .later(waiter)
        case .refuse(let refusal): return .now(.refuse(refusal))
        }
    }

    private func nextWaiter() -> UInt64 {
        lastWaiter &+= 1
        return lastWaiter
    }

    /// Says what becomes of a waiter; `deliver` is called once, within `limits.patience`, unless `cancel` comes first.
    func wait(_ waiter: UInt64, at now: Now, _ deliver: @escaping (Outcome) -> Void) {
        waiters[waiter] = Waiter(deadline: now.monotonic + desk.limits.patience, deliver: deliver)
    }

    /// Nobody waits under this number any more.
    func cancel(_ waiter: UInt64) {
        if waiters.removeValue(forKey: waiter) != nil { desk.cancel(waiter) }
    }

    /// A flight of this or another loop has landed.
    func deliver(_ outcome: Outcome, to numbers: [UInt64]) {
        for number in numbers { waiters.removeValue(forKey: number)?.deliver(outcome) }
    }

    /// Ends what has had its time, and goes on with calls whose pause is over.
    func tick(at now: Now) {
        for (number, waiter) in waiters where now.monotonic >= waiter.deadline {
            guard let outcome = desk.expire(number, at: now) else { continue }
            waiters.removeValue(forKey: number)?.deliver(outcome)
        }
        for flight in flights.values { flight.tick(at: now) }
        desk.sweep(at: now)
    }

    // MARK: Calls

    /// - Parameter slot: what the call is for; nil when only the vendor's clock is looked at.
    private func begin(_ purpose: SessionFlight.Purpose, for slot: SlotFlight?, at now: Now) {
        let flight = SessionFlight(purpose, for: slot, by: self)
        flights[ObjectIdentifier(flight)] = flight
        flight.begin(at: now)
    }

    /// A flight is over.
    func forget(_ flight: SessionFlight) { flights[ObjectIdentifier(flight)] = nil }

    /// Has `then` called with the key that the service signs its calls with, at once or when it has come.
    func withOwnKey(at now: Now, _ then: @escaping (Result<STSKey, UpstreamFault>) -> Void) {
        let slot: SlotKey
        switch ownKey.state {
        case .permanent(let key): return then(.success(key))
        case .temporary(let key): slot = key
        }
        let waiter = nextWaiter()
        switch desk.askForOwnKey(slot, as: waiter, at: now) {
        case .serve(let credential): then(ownKey.make(of: credential))
        case .serveAndRefresh(let credential, let flight):
            begin(.ownKey, for: flight, at: now)
            then(ownKey.make(of: credential))
        case .start(let flight):
            waitForKey(waiter, at: now, then)
            begin(.ownKey, for: flight, at: now)
        case .wait: waitForKey(waiter, at: now, then)
        case .refuse(let refusal): then(.failure(refusal.fault))
        }
    }

    /// The vendor does not take the service's own key any more; one that it was given is fetched anew.
    func dropOwnKey() {
        if case .temporary(let key) = ownKey.state { desk.forget(key) }
    }

    /// A call waits for the key as long as it takes, not only as long as a request may.
    private func waitForKey(_ waiter: UInt64, at now: Now, _ then: @escaping (Result<STSKey, UpstreamFault>) -> Void) {
        waiters[waiter] = Waiter(deadline: now.monotonic + desk.limits.callTimeout) { [ownKey] outcome in
            switch outcome {
            case .serve(let credential): then(ownKey.make(of: credential))
            case .refuse(let refusal): then(.failure(refusal.fault))
            }
        }
    }
}

// Unsafe: confined to its loop's thread; what other threads know of it is its `post`, and that runs on the loop.
extension SessionClerk: @unchecked Sendable {}

/// The key that the service itself has with STS: its own for good, or one that it is given for a while.
final class OwnKey {
    enum State {
        case permanent(STSKey)
        case temporary(SlotKey)
    }

    let state: State
    private let scheme: STSScheme
    private var made: (credential: STSCredential, key: STSKey)?

    /// - Parameter key: the configured one, where the account's identity has one.
    init(_ account: STSAccount, _ key: STSKey?) throws(CryptoError) {
        scheme = account.scheme
        state = if let key { .permanent(key) } else { .temporary(try account.ownKeySlot()) }
    }

    func make(of credential: STSCredential) -> Result<STSKey, UpstreamFault> {
        if let made, made.credential === credential { return .success(made.key) }
        do throws(CryptoError) {
            let key = try STSKey(scheme, credential)
            made = (credential, key)
            return .success(key)
        } catch {
            return .failure(.unavailable)
        }
    }
}

extension SlotRefusal {
    /// Why there is no credential, as it is told on: by a call that needed it.
    var fault: UpstreamFault {
        switch reason {
        case .fault(let fault): fault
        case .slow: .network
        case .crowded, .full, .share: .unavailable
        }
    }
}
