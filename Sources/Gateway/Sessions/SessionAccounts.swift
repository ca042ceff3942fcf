import Bytes
import Configuration
import Crypto
import Net
import Providers
import Upstream

/// The accounts of a configuration's credentials.
package struct SessionAccounts: Sendable {
    /// By the index of the credential; nil for those that are keys.
    package let accounts: [SessionAccount?]

    /// Why the service cannot start.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameters:
    ///   - files: what the configuration was made of.
    ///   - trusts: who vouches for vendors that are asked over TLS.
    ///   - earlier: those of the configuration before; an account of the same basis stays, with all that it remembers.
    ///   - now: when vendors may be asked for the first time.
    init(
        _ configuration: Configuration, of files: WatchedFiles, trusting trusts: TLSTrusts,
        after earlier: SessionAccounts?, from now: Instant
    ) throws(Failure) {
        accounts = try configuration.credentials.map { credential throws(Failure) in
            guard let sessions = credential.sessions else { return nil }
            let basis = SessionAccount.Basis(
                name: credential.name, source: sessions.source, trusted: sessions.trustFile.flatMap { files[$0] },
                limits: sessions.limits,
                callsPerCaller: sessions.callsPerCaller)
            if let good = earlier?.accounts.first(where: { $0?.basis == basis }) { return good }
            guard basis.source.endpoints.contains(where: \.isSecure) else {
                return SessionAccount(basis, trusting: nil, from: now)
            }
            do throws(TLSTrust.Failure) {
                let trust = try trusts.trust(in: sessions.trustFile.map { .file($0) } ?? .system)
                return SessionAccount(basis, trusting: trust, from: now)
            } catch {
                throw Failure(description: error.description)
            }
        }
    }

    /// A loop's caches, by the index of the credential.
    func caches(_ configuration: Configuration, _ tools: LoopCallTools) throws(CryptoError) -> [SessionCache?] {
        try zip(configuration.credentials, accounts).map { credential, account throws(CryptoError) in
            guard let account else { return nil }
            let key = try credential.key.map { key throws(CryptoError) in
                try SigningKey(accessKey: key.accessKey, secret: key.secret, securityToken: key.securityToken)
            }
            return try SessionCache(account, key: key, tools)
        }
    }
}
