import Access
import Bytes
import Configuration

/// What a snapshot admits requests by, on one loop. It does not change.
final class Admission {
    let configuration: Configuration
    /// By the index of the address that is listened on.
    let hosts: [HostRule]
    let origins: CORSPolicy
    let keys: LoopTokens

    init(_ configuration: Configuration, keys: LoopTokens) {
        self.configuration = configuration
        self.keys = keys
        hosts = configuration.server.listen.map { HostRule(configuration.server, listener: $0) }
        origins = CORSPolicy(configuration.server)
    }

    /// Whether a request that has waited would still be admitted: by its host, its page's origin, its caller, its grant and what is
    /// stopped now.
    /// - Parameter now: seconds since 1970.
    fileprivate func admits(_ request: PendingIssue, by brakes: BrakeTable, at now: Int64) -> Bool {
        var own: Grant?
        if let grant = request.grant {
            own = configuration.same(as: grant)
            if own == nil { return false }
        }
        // A vendor's callback has no other credential than its signature, and may come by the grant's own host.
        guard let caller = request.caller else { return true }
        // A new ticket has no grant: that is judged whenever it is used.
        let brake =
            own.map { brakes.covers($0, of: configuration, for: caller, at: now) } ?? brakes.covers(caller, at: now)
        guard brake == nil else { return false }
        guard hosts.indices.contains(request.listener), hosts[request.listener].admits(request.authority.span),
            request.origin.isEmpty || origins.isListed(request.origin.span, askedAs: request.authority.span)
        else { return false }
        return configuration.authenticator.serves(caller, at: now, keys.memory)
    }
}

extension Configuration {
    /// Its grant that is as another configuration's is, or its own; nil where it has none.
    fileprivate func same(as grant: Grant) -> Grant? {
        if grants.indices.contains(grant.index), grants[grant.index] === grant { return grant }
        return grants.first { $0.name == grant.name && $0.entry.fingerprint == grant.entry.fingerprint }
    }
}

/// What a loop admits new requests by, shared by its snapshots.
final class NewestAdmission {
    var admission: Admission?
    /// What the operator has stopped, whatever the snapshot.
    var brakes = BrakeTable.empty

    /// Whether a request that has waited would still be admitted.
    /// - Parameter now: seconds since 1970.
    func admits(_ request: PendingIssue, at now: Int64) -> Bool {
        admission?.admits(request, by: brakes, at: now) ?? false
    }
}
