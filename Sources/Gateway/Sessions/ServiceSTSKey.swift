import Crypto
import Providers
import Upstream

/// The service's own key for STS: the configured one, or a temporary one that is fetched.
final class ServiceSTSKey {
    enum State {
        case permanent(STSKey)
        /// What it is remembered under.
        case temporary(CredentialKey)
    }

    let state: State
    private let scheme: STSScheme
    private var made: (credential: STSCredential, key: STSKey)?

    /// - Parameter key: the configured one, where the account's identity has one.
    init(_ account: STSAccount, _ key: STSKey?) throws(CryptoError) {
        scheme = account.scheme
        state = if let key { .permanent(key) } else { .temporary(try CredentialKey(serviceKeyOf: account)) }
    }

    func make(of outcome: SlotOutcome<STSCredential>) -> Result<STSKey, UpstreamFault> {
        switch outcome {
        case .serve(let credential):
            if let made, made.credential === credential { return .success(made.key) }
            do throws(CryptoError) {
                let key = try STSKey(scheme, credential)
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
