import Access
import Configuration

/// The configuration that a loop answers new requests by.
final class NewestConfiguration {
    var configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }
}

/// What a request waits for: judged when it was asked for, and once more before it is issued, since the configuration may have
/// changed meanwhile.
struct PendingIssue {
    let caller: Caller
    let grant: Grant
    let newest: NewestConfiguration

    /// Whether the newest configuration knows the caller by the same proof, does not deny it, and has the same grant.
    /// - Parameter now: seconds since 1970.
    func isStillGood(at now: Int64) -> Bool {
        let configuration = newest.configuration
        if configuration.grants.indices.contains(grant.index), configuration.grants[grant.index] === grant {
            return true
        }
        return configuration.grants.contains { $0.name == grant.name && $0.fingerprint == grant.fingerprint }
            && configuration.authenticator.serves(caller, at: now)
    }
}
