import Access
import Audit
import Bytes
import Cluster
import Crypto
import HTTP
import Net
import Telemetry

/// This replica among the others: what it shares with them lies in Redis (docs/cluster.md). It outlives configurations, and does its work
/// on the thread of its link; no request waits for it but those of tickets that count.
package final class ClusterMember: RedisLinkOwner {
    /// What the link's thread knows alone.
    private struct Rounds: Sendable {
        var nextBeat: Int64 = 0
        var nextLeases: Int64 = 0
        var isBeating = false
        /// Which brakes Redis had when they were last compared; nil where they are to be compared in any case.
        var brakes: [UInt8]?
        /// How often this replica's brakes have changed.
        var changes: UInt64 = 0
        var isComparing = false
        /// Whether somebody wants to know of all replicas.
        var isLookedAt = false
    }

    let settings: ClusterSettings
    /// Counts requests by leases, while Redis is heard.
    package let limiter: RateLimiter
    let link: RedisLink
    let names: ClusterNames
    let sessions: SharedSessions
    private let wanted: WantedLeases
    private let bucket, heartbeat, counter, listing: RedisScript
    private let audit: SharedAudit?
    private let brakes: BrakeKeeper?
    private let board: BrakeBoard
    private let clock: Clock
    private let startedAt: Int64
    private let log: Log
    private let rounds = Guarded(Rounds())
    private let state = Guarded(ClusterStanding())
    /// All replicas, and when Redis told them, in monotonic milliseconds.
    private let listed = Guarded((at: Int64.min, entries: [ReplicaList.Entry]()))

    /// Milliseconds from one round of leases to the next, so that several leave together.
    private static let leaseInterval: Int64 = 5

    /// Why there is none.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameters:
    ///   - identities: how many are counted apart at a time, of each kind.
    ///   - audit: whose head is told to Redis; nil where there is none.
    ///   - brakes: what all replicas shall know; nil where there are none.
    package init(
        _ settings: ClusterSettings, identities: Int, auditing audit: SharedAudit?, braking brakes: BrakeKeeper?,
        _ log: Log, clock: @escaping Clock = SystemClock.now
    ) throws {
        let bucket = try RateBucket.script()
        let heartbeat = try Heartbeat.script()
        let counter = try TicketCounter.script()
        let listing = try ReplicaList.script()
        let braking = try BrakeBoard.script()
        let sharing = try SessionBoard.Scripts()
        guard
            let link = RedisLink(
                settings.redis, trusting: try settings.makeTrust(),
                loading: [bucket, heartbeat, counter, listing, braking] + sharing.all)
        else {
            throw Failure(description: "cluster: the system has no pipe for it")
        }
        let wanted = WantedLeases(by: link)
        self.settings = settings
        self.link = link
        self.wanted = wanted
        self.bucket = bucket
        self.heartbeat = heartbeat
        self.counter = counter
        self.listing = listing
        self.audit = audit
        self.brakes = brakes
        self.log = log
        self.clock = clock
        startedAt = clock().monotonic
        names = try ClusterNames(settings)
        board = try BrakeBoard(settings, names, braking)
        sessions = SharedSessions(try SessionBoard(settings, names, sharing), by: link)
        limiter = RateLimiter(identities: identities) { wanted.add($0) }
        state.withLock { $0.replicas = Int64(settings.replicas) }
        limiter.scope = scope(of: Int64(settings.replicas), isShared: false)
    }

    /// Connects, and goes on until `stop`.
    package func start() throws(Failure) {
        brakes?.observe { [weak self] _ in
            self?.rounds.withLock { rounds in
                rounds.brakes = nil
                rounds.changes &+= 1
                rounds.nextBeat = 0
            }
            self?.link.wake()
        }
        guard link.start(for: self) else { throw Failure(description: "cluster: the system has no thread for it") }
    }

    /// Ends, when Redis has been told how far the audit went.
    package func stop() {
        rounds.withLock { $0.nextBeat = 0 }
        link.stop()
        sessions.lose()
    }

    /// How it stands; from any thread.
    package var standing: ClusterStanding { state.withLock { $0 } }

    /// All replicas, as Redis knew them when somebody looked last; who looks has them asked for anew. None where that is long ago.
    /// From any thread.
    /// - Parameter now: monotonic milliseconds.
    func replicas(at now: Int64) -> [ReplicaList.Entry] {
        rounds.withLock { $0.isLookedAt = true }
        link.wake()
        var (moment, entries) = listed.withLock { $0 }
        guard !entries.isEmpty, now - moment <= Heartbeat.memory else { return [] }
        for index in entries.indices { entries[index].silence? += max(0, now - moment) }
        return entries
    }

    /// Whether Redis has not been heard for so long that a brake may have been missed.
    func isStale(at now: Instant) -> Bool {
        let standing = standing
        return !standing.isHeard && now.monotonic - (standing.heardAt ?? startedAt) >= settings.staleAfter
    }

    /// Whether anything may be issued.
    func admits(at now: Instant) -> Bool { settings.whenStale == .serve || !isStale(at: now) }

    /// Another replica would do no better without Redis, unless this one alone has lost it.
    func state(at now: Instant) -> Readiness.State {
        if !admits(at: now) { return .down }
        let standing = standing
        // What the others have stopped is to be known first, but for a Redis that is gone.
        if brakes != nil, !standing.knowsBrakes, now.monotonic - startedAt < settings.staleAfter { return .down }
        return standing.isHeard ? .fine : .impaired
    }

    // MARK: The link

    package func linkOpened(to runID: [UInt8]) {
        let connection = link.connections
        state.withLock { state in
            state.runID = runID
            state.connection = connection
        }
        rounds.withLock { rounds in
            let changes = rounds.changes
            rounds = Rounds()
            rounds.changes = changes
        }
    }

    package func linkFailed(because fault: RedisFault) {
        lose(because: "\(fault)")
        sessions.lose()
        // What was not asked for any more would be settled when Redis is back, as if nothing had been given out meanwhile.
        for lease in wanted.take() { limiter.settle(lease, nil, at: clock()) }
    }

    package func linkTick(at now: Int64) -> Int64 {
        guard link.isUp else { return .max }
        let (beats, leases, isLookedAt) = rounds.withLock { rounds in
            let beats = now >= rounds.nextBeat && !rounds.isBeating
            if beats {
                rounds.isBeating = true
                rounds.nextBeat = now + Heartbeat.interval
            }
            let leases = now >= rounds.nextLeases
            defer { rounds.isLookedAt = false }
            return (beats, leases, rounds.isLookedAt)
        }
        if isLookedAt { list() }
        if beats { beat() }
        if leases { askForLeases(at: now) }
        let nextSessions = sessions.tick(at: now)
        let isWanted = !wanted.isEmpty
        return rounds.withLock { rounds in
            min(rounds.isBeating ? .max : rounds.nextBeat, isWanted ? rounds.nextLeases : .max, nextSessions)
        }
    }

    // MARK: Beats

    private func list() {
        link.send(ReplicaList.call(listing, names)) { [listed, clock] result in
            guard let entries = try? ReplicaList.read(result.get()) else { return }
            listed.withLock { $0 = (clock().monotonic, entries) }
        }
    }

    private func beat() {
        // Without a nonce an epoch after FLUSHALL would be the one before, and tickets would be good once more.
        let nonce: [UInt8]
        do throws(CryptoError) { nonce = Hex.encode(try SecureRandom.bytes(8)) } catch {
            rounds.withLock { $0.isBeating = false }
            return lose(because: "\(error)")
        }
        let standing = standing
        let report = Heartbeat.Report(of: settings.instance, head: head, leases: standing.leases)
        let call = Heartbeat.call(heartbeat, names, telling: report, to: standing.runID, nonce: nonce)
        link.send(call) { [self] result in
            rounds.withLock { $0.isBeating = false }
            switch result {
            case .success(let reply):
                if let answer = Heartbeat.read(reply) {
                    hear(answer)
                } else {
                    // A server that is no master any more, has lost the scripts or takes no keys is left.
                    link.drop(because: .unexpected(to: "a heartbeat", kind: reply.kind))
                }
            // The link tells why.
            case .failure: break
            }
        }
    }

    /// How far this replica's audit goes on the disk.
    private var head: AuditHeads.Head? {
        audit.map { audit in
            let mark = audit.standing.mark
            return AuditHeads.Head(
                instance: settings.instance, count: mark.number, code: Hex.encode(mark.head.bytes.array),
                time: clock().unixSeconds, file: Array(text: audit.settings.file))
        }
    }

    private func hear(_ answer: Heartbeat.Answer) {
        let now = clock().monotonic
        let wasLost = state.withLock { state in
            defer {
                state.fault = nil
                state.heardAt = now
                state.replicas = answer.replicas
                state.epoch = answer.epoch
            }
            return !state.isHeard
        }
        let scope = scope(of: answer.replicas, isShared: true)
        if limiter.scope != scope { limiter.scope = scope }
        let isOther = rounds.withLock { $0.brakes != answer.brakes && !$0.isComparing }
        if isOther { compareBrakes(answer.brakes) }
        if wasLost {
            log.write(.info, "Redis answers: limits hold over all replicas", ["replicas": "\(answer.replicas)"])
        }
    }

    private func scope(of replicas: Int64, isShared: Bool) -> RateScope {
        var scope = RateScope()
        (scope.replicas, scope.isShared, scope.lease) = (replicas, isShared, settings.lease)
        return scope
    }

    /// Redis is not heard: from now on, this replica gives out its share of each rate.
    private func lose(because reason: String) {
        let (isNew, replicas) = state.withLock { state in
            defer {
                if state.isHeard { state.losses += 1 }
                state.fault = reason
            }
            return (state.fault != reason, state.replicas)
        }
        if limiter.scope.isShared { limiter.scope.isShared = false }
        guard isNew else { return }
        log.write(
            .warning, "Redis is not heard: this replica gives out its share of each limit",
            ["reason": reason, "replicas": "\(replicas)"])
    }

    // MARK: Brakes

    /// Takes over the brakes that Redis has, and puts those there that it has not.
    /// - Parameter seen: the version that the heartbeat has told.
    private func compareBrakes(_ seen: [UInt8]) {
        guard let brakes else { return }
        rounds.withLock { $0.isComparing = true }
        link.send(board.question) { [self] result in
            rounds.withLock { $0.isComparing = false }
            guard case .success(let reply) = result else { return }
            do {
                let stored = try board.read(reply)
                if let stored { brakes.merge(stored.list) }
                let version = stored?.version ?? []
                let changes = rounds.withLock { $0.changes }
                let known = brakes.current
                state.withLock { $0.knowsBrakes = true }
                let isBehind = !known.changes(since: stored?.list ?? .empty).isEmpty || stored?.isOld == true
                guard isBehind else {
                    return rounds.withLock { rounds in if rounds.changes == changes { rounds.brakes = version } }
                }
                link.send(try board.replacement(of: version, by: known)) { [log] result in
                    // Taken or not, the next heartbeat tells another version, and they are compared again.
                    if case .success(.error) = result {
                        log.write(.warning, "the brakes cannot be told to the other replicas: Redis does not take them")
                    }
                }
            } catch {
                // Until somebody writes another list.
                rounds.withLock { $0.brakes = seen }
                log.write(.error, "the brakes of the other replicas cannot be read", ["error": "\(error)"])
            }
        }
    }

    // MARK: Tickets

    /// What a ticket must name whose uses are counted from now on; nil while nobody can count.
    var ticketEpoch: [UInt8]? {
        let standing = standing
        return standing.isHeard ? standing.epoch : nil
    }

    /// Counts the use of a ticket.
    /// - Parameters:
    ///   - lifetime: seconds until it ends.
    ///   - then: told what came of it, from any thread.
    func spend(
        _ ticket: [UInt8], _ uses: TicketUses, lifetime: Int64,
        then: @escaping @Sendable (TicketCounter.Verdict) -> Void
    ) {
        let call: RedisCommand
        do throws(CryptoError) {
            call = try TicketCounter.call(counter, names, of: ticket, uses, lifetime: lifetime)
        } catch {
            return then(.unavailable)
        }
        // A connection whose first heartbeat has not been answered may know an epoch that is over.
        let standing = standing
        guard standing.isHeard else { return then(.unavailable) }
        link.send(call, by: standing.connection) { result in
            switch result {
            case .success(let reply): then(TicketCounter.read(reply, uses))
            case .failure: then(.unavailable)
            }
        }
    }

    // MARK: Leases

    private func askForLeases(at now: Int64) {
        let leases = wanted.take()
        guard !leases.isEmpty else { return }
        rounds.withLock { $0.nextLeases = now + ClusterMember.leaseInterval }
        state.withLock { $0.leases.asked += Int64(leases.count) }
        for lease in leases { ask(for: lease) }
    }

    private func ask(for lease: RateLimiter.WantedLease) {
        let name: [UInt8]
        do throws(CryptoError) { name = try names.name(.rate, of: lease.count.name) } catch {
            return limiter.settle(lease, nil, at: clock())
        }
        link.send(RateBucket.call(bucket, on: name, lease.count.rate, lease.wanted)) { [self] result in
            let given = try? RateBucket.read(result.get(), of: lease.count.rate, to: lease.wanted)
            if given == nil { state.withLock { $0.leases.failed += 1 } }
            limiter.settle(lease, given, at: clock())
        }
    }
}
