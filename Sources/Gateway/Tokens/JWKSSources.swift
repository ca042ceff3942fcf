import Access
import Bytes
import Configuration
import Net
import Providers
import Upstream

/// The sources of a configuration's issuers.
package struct JWKSSources: Sendable {
    /// By the index of the issuer; nil for those whose keys are configured.
    let sources: [JWKSSource?]

    /// - Parameters:
    ///   - trusts: who vouches for issuers that are asked over TLS.
    ///   - earlier: those of the configuration before; what is the same issuer's stays.
    ///   - now: when issuers may be asked for the first time.
    /// - Throws: when the authorities that the system trusts cannot be had, and one of the issuers is asked over TLS.
    package init(
        _ configuration: Configuration, trusting trusts: TLSTrusts, after earlier: JWKSSources? = nil,
        from now: Instant = SystemClock.now()
    ) throws(TLSTrust.Failure) {
        sources = try configuration.authenticator.tokenIssuers.map { issuer throws(TLSTrust.Failure) in
            guard let source = configuration.keySources[issuer.id] else { return nil }
            if let good = earlier?.sources.first(where: { $0?.isGood(for: issuer, source) == true }) { return good }
            let trust = source.endpoint.isSecure ? try trusts.trust() : nil
            return JWKSSource(issuer, source, trusting: trust, from: now)
        }
    }

    private init() { sources = [] }

    /// For commands that are told who the caller is: nothing is fetched.
    static let none = JWKSSources()
}
