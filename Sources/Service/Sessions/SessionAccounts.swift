import Bytes
import Configuration
import Crypto
import Net
import Providers
import Upstream

/// The accounts of a configuration's credentials, and the sandbox where one of them needs it.
package struct SessionAccounts: Sendable {
    /// By the place of the credential; nil for those that are keys.
    package let accounts: [SessionAccount?]
    private let sandbox: SandboxLease?
    /// Where the sandbox listens; nil when there is none.
    var sandboxPort: UInt16? { sandbox?.port }

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
        after earlier: SessionAccounts?, from now: Now, startingSandbox start: SandboxStart
    ) throws(Failure) {
        let guests = configuration.credentials.compactMap { SessionAccounts.guest($0) }
        sandbox = try guests.isEmpty ? nil : SandboxLease(guests, start)
        var accounts: [SessionAccount?] = []
        for credential in configuration.credentials {
            guard let sessions = credential.sessions else {
                accounts.append(nil)
                continue
            }
            let basis = SessionAccount.Basis(
                name: credential.name, account: sessions.account,
                endpoints: try SessionAccounts.endpoints(of: sessions.account, sandbox),
                trusted: sessions.trustFile.flatMap { files[$0] }, limits: sessions.limits,
                callsPerCaller: sessions.callsPerCaller)
            if let account = earlier?.accounts.compactMap({ $0 }).first(where: { $0.basis == basis }) {
                accounts.append(account)
                continue
            }
            var trust: TLSTrust?
            if basis.endpoints.contains(where: \.isSecure) {
                do throws(TLSTrust.Failure) {
                    trust = try trusts.trust(in: sessions.trustFile.map { .file($0) } ?? .system)
                } catch {
                    throw Failure(description: error.description)
                }
            }
            accounts.append(SessionAccount(basis, trusting: trust, from: now))
        }
        self.accounts = accounts
    }

    /// A loop's caches, by the index of the credential.
    func caches(_ configuration: Configuration, _ tools: LoopTools) throws(CryptoError) -> [SessionCache?] {
        var caches: [SessionCache?] = []
        for (credential, account) in zip(configuration.credentials, accounts) {
            guard let account else {
                caches.append(nil)
                continue
            }
            let key = try credential.key.map { key throws(CryptoError) in
                try STSKey(
                    account.account.scheme, accessKeyID: key.accessKey, secret: key.secret,
                    securityToken: key.securityToken)
            }
            caches.append(try SessionCache(account, key: key, tools))
        }
        return caches
    }

    private static func guest(_ credential: Configuration.Credential) -> SandboxGuest? {
        guard let account = credential.sessions?.account, case .sandbox = account.endpoints, let key = credential.key
        else { return nil }
        return SandboxGuest(accessKeyID: key.accessKey, secret: key.secret, roleARN: account.roleARN)
    }

    private static func endpoints(
        of account: STSAccount, _ sandbox: SandboxLease?
    ) throws(Failure) -> [VendorEndpoint] {
        if case .hosts(let endpoints) = account.endpoints { return endpoints }
        guard let sandbox else { throw Failure(description: "there is no sandbox") }
        do throws(VendorEndpoint.Fault) {
            return [try VendorEndpoint(Array(text: "http://127.0.0.1:\(sandbox.port)"))]
        } catch {
            throw Failure(description: error.reason.description)
        }
    }
}
