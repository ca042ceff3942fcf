import Audit
import Bytes
import HTTP
import Upstream

/// Whether the service can do its work, part by part, for load balancers that choose between instances.
struct Readiness: Sendable {
    enum State: Sendable {
        case fine
        /// It does not work, and another instance's would not either; what is remembered is still handed out.
        case impaired
        /// It does not work here: requests had better go elsewhere.
        case down

        var name: StaticString {
            switch self {
            case .fine: "ok"
            case .impaired: "failing"
            case .down: "down"
            }
        }
    }

    private let accounts: SessionAccounts
    private let record: ReloadRecord
    private let audit: SharedAudit?
    private let cluster: ClusterMember?
    private let brakes: BrakeKeeper?

    /// - Parameters:
    ///   - audit: nil where there is none.
    ///   - cluster: nil for a service that is alone.
    init(_ snapshot: Snapshot, _ audit: SharedAudit?, _ cluster: ClusterMember?) {
        self.cluster = cluster
        accounts = snapshot.accounts
        record = snapshot.record
        brakes = snapshot.brakes
        self.audit = audit
    }

    func parts(at now: Instant) -> [(name: StaticString, state: State)] {
        let accounts = accounts.accounts.compactMap { $0 }
        var parts: [(name: StaticString, state: State)] = [
            // A service that answers has a configuration; it may not be the newest one.
            ("configuration", record.standing.refusal == nil ? .fine : .impaired),
            ("sts", accounts.contains { $0.sts.isFailing } ? .impaired : .fine),
            ("clock", accounts.contains { $0.isClockOff(at: now) } ? .down : .fine),
        ]
        if let audit {
            let fault: State = audit.settings.failsClosed ? .down : .impaired
            parts.append(("audit", audit.standing.isReady ? .fine : fault))
        }
        // What is known holds; what is stopped now may not come here.
        if let brakes { parts.append(("brakes", brakes.fault == nil ? .fine : .impaired)) }
        if let cluster { parts.append(("cluster", cluster.state(at: now))) }
        return parts
    }

    func isReady(at now: Instant) -> Bool { parts(at: now).allSatisfy { $0.state != .down } }

    /// Writes how each part is: 200, or 503 when one of them is down. It tells nothing else, since anybody may ask.
    func write(at now: Instant, into response: inout Response) {
        let parts = parts(at: now)
        let isReady = parts.allSatisfy { $0.state != .down }
        response.status = isReady ? 200 : 503
        response.body.append(object: { json in
            json.add("status", isReady ? "ready" : "not_ready")
            json.add("parts", object: { json in for part in parts { json.add(part.name, part.state.name) } })
        })
        response.body.append("\n")
    }
}

extension Response {
    /// That the process answers.
    mutating func tellAlive() {
        body.append(object: { $0.add("status", "ok") })
        body.append("\n")
    }
}
