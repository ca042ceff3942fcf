import Access
import Bytes
import Cluster
import Crypto
import Providers

extension FuzzTarget {
    /// However what Redis says is cut, the same replies are read; and whoever reads one takes what has bounds, or nothing.
    static let redis = FuzzTarget(name: "redis") { bytes in
        let outcomes = try cuts(of: bytes).map { try RedisOutcome($0) }
        for other in outcomes.dropFirst() { try require(outcomes[0] == other, "\(outcomes[0]), or \(other)") }
        let readers = try RedisReaders.standing.get()
        for reply in outcomes[0].replies { try readers.read(reply) }
        // What replicas have sealed is read as strictly.
        if let (credential, moment) = SessionCredential.read(bytes, with: RedisReaders.secret) {
            let again = credential.parts(at: moment)
            try require(again.text == bytes, "another text is the same session")
        }
    }
}

private struct RedisOutcome: Equatable {
    private(set) var replies: [RedisReply] = []
    private var isBroken = false

    init(_ pieces: [ArraySlice<UInt8>]) throws {
        guard let reader = RedisReader() else { throw Broken("there is no memory") }
        do throws(RedisReader.Fault) {
            for piece in pieces {
                try reader.feed(Array(piece))
                while let reply = try reader.next() { replies.append(reply) }
            }
        } catch {
            isBroken = true
        }
    }
}

/// All who read what Redis says.
private struct RedisReaders: Sendable {
    private let brakes: BrakeBoard
    private let sessions: SessionBoard
    private let rate: Rate
    private let uses: TicketUses

    static let standing = Result { try RedisReaders() }
    static let secret = Secret(Array(text: Fixture.secret))

    private init() throws {
        let settings = ClusterSettings(
            redis: RedisSettings(servers: [], user: nil, password: nil, timeout: 500), key: RedisReaders.secret,
            instance: Array(text: "a"))
        let names = try ClusterNames(settings)
        brakes = try BrakeBoard(settings, names, BrakeBoard.script())
        sessions = try SessionBoard(settings, names, SessionBoard.Scripts())
        guard let rate = Rate(1_000_000, in: 1), let uses = TicketUses(1_000, epoch: Array(text: "e")) else {
            throw Broken("there is no rate")
        }
        (self.rate, self.uses) = (rate, uses)
    }

    func read(_ reply: RedisReply) throws {
        try require(reply.kind.utf8.count <= 64, "the log gets more than an error's code")
        if let beat = Heartbeat.read(reply) {
            try require((1...100_000).contains(beat.replicas) && !beat.epoch.isEmpty, "a heartbeat without bounds")
        }
        if let heads = AuditHeads.read(reply) {
            try require(heads.allSatisfy { $0.count >= 0 && $0.time >= 0 }, "a head before all lines")
        }
        if let replicas = ReplicaList.read(reply) {
            let isBounded = replicas.allSatisfy { $0.silence ?? 0 >= 0 && $0.leases?.asked ?? 0 >= 0 }
            try require(isBounded, "a replica that was heard in the future")
        }
        if TicketCounter.read(reply, uses) == .counted {
            try require(reply.integer.map { (1...1_000).contains($0) } ?? false, "a use that nobody has counted")
        }
        try read(lease: reply)
        try require(try sessions.read(reply, of: Array(text: "slot")).map(isNone) ?? true, "a session of nobody")
        let stored: BrakeBoard.Stored?
        do throws(BrakeFault) { stored = try brakes.read(reply) } catch {
            return try require(!error.description.isEmpty, "nothing is said")
        }
        try require(stored == nil, "brakes of nobody")
    }

    private func isNone(_ answer: SessionBoard.Answer) -> Bool {
        if case .session = answer { false } else { true }
    }

    private func read(lease reply: RedisReply) throws {
        let asked = LeaseTable.Wanted(identity: RateTable.Identity(rule: 1, who: 2), charge: 0, tokens: 5)
        guard let given = RateBucket.read(reply, of: rate, to: asked) else { return }
        try require(
            (0...5).contains(given.tokens) && (0...rate.count).contains(given.left)
                && (0...2 * rate.period).contains(given.wait), "a lease without bounds")
        var scope = RateScope()
        (scope.replicas, scope.isShared, scope.lease) = (3, true, 1_000)
        var table = LeaseTable(capacity: 8)
        var own = RateTable(capacity: 8)
        let identity = RateTable.Identity(rule: 1, who: 2)
        for now in [0, 1, 86_400_000] as [Int64] {
            var wanted: LeaseTable.Wanted?
            _ = table.take(rate, for: identity, in: scope, at: now, wanted: &wanted)
            if let wanted { table.settle(wanted, given, at: now) }
            table.owe(own.take(rate, for: identity, at: now), for: identity, at: now)
        }
    }
}
