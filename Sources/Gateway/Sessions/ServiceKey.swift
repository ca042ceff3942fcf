import Crypto
import Providers
import Upstream

/// The service's own key for asking a vendor: the configured one, or a temporary one that is fetched.
final class ServiceKey {
    enum State {
        case permanent(SigningKey)
        /// What it is remembered under, and how it is fetched.
        case temporary(CredentialKey, OwnKeySource)
        /// There is none, nor any need of one.
        case none
    }

    let state: State
    private var made: (credential: SessionCredential, key: SigningKey)?

    /// - Parameter key: the configured one, where the source has one.
    init(_ source: any SessionSource, _ key: SigningKey?) throws(CryptoError) {
        state =
            if let own = source.ownKey {
                .temporary(try CredentialKey(serviceKeyOf: source), own)
            } else if let key {
                .permanent(key)
            } else {
                .none
            }
    }

    func make(of outcome: SlotOutcome<SessionCredential>) -> Result<SigningKey, UpstreamFault> {
        switch outcome {
        case .serve(let credential):
            if let made, made.credential === credential { return .success(made.key) }
            do throws(CryptoError) {
                let key = try credential.signingKey()
                made = (credential, key)
                return .success(key)
            } catch {
                return .failure(.unavailable)
            }
        case .refuse(let refusal): return .failure(refusal.fault)
        }
    }
}

extension SlotRefusal {
    /// The fault of a call that needed the key.
    fileprivate var fault: UpstreamFault {
        switch reason {
        case .fault(let fault): fault
        case .slow: .network
        case .crowded, .full, .share: .unavailable
        }
    }
}
