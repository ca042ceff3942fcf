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

    /// Whether a request that has waited would still be admitted: by its host, its page's origin, its caller and its grant.
    /// - Parameter now: seconds since 1970.
    func admits(_ request: PendingIssue, at now: Int64) -> Bool {
        if let grant = request.grant, !configuration.has(grant) { return false }
        // A vendor's callback has no other credential than its signature, and may come by the grant's own host.
        guard let caller = request.caller else { return true }
        guard hosts.indices.contains(request.listener), hosts[request.listener].admits(request.authority.span),
            request.origin.isEmpty || origins.isListed(request.origin.span, askedAs: request.authority.span)
        else { return false }
        return configuration.authenticator.serves(caller, at: now, keys.memory)
    }
}

extension Configuration {
    /// Whether it has a grant as another configuration has it, or its own.
    fileprivate func has(_ grant: Grant) -> Bool {
        if grants.indices.contains(grant.index), grants[grant.index] === grant { return true }
        return grants.contains { $0.name == grant.name && $0.entry.fingerprint == grant.entry.fingerprint }
    }
}

/// What a loop admits new requests by, shared by its snapshots.
final class NewestAdmission {
    var admission: Admission?
}
