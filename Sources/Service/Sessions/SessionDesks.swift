import Bytes
import Configuration
import Crypto
import Dispatch
import Machine
import Net
import Providers
import Telemetry
import Upstream

/// The desks of a configuration's credentials, and the sandbox where one of them needs it.
package struct SessionDesks: Sendable {
    /// By the place of the credential; nil for those that are keys.
    package let desks: [SessionDesk?]
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
    ///   - earlier: those of the configuration before; a desk of the same basis stays, with all that it remembers.
    ///   - now: when vendors may be asked for the first time.
    init(
        _ configuration: Configuration, of files: WatchedFiles, trusting trusts: TLSTrusts,
        after earlier: SessionDesks?, from now: Now, startingSandbox start: SandboxStart
    ) throws(Failure) {
        let guests = configuration.credentials.compactMap { SessionDesks.guest($0) }
        sandbox = try guests.isEmpty ? nil : SandboxLease(guests, start)
        var desks: [SessionDesk?] = []
        for credential in configuration.credentials {
            guard let sessions = credential.sessions else {
                desks.append(nil)
                continue
            }
            let basis = SessionDesk.Basis(
                name: credential.name, account: sessions.account,
                endpoints: try SessionDesks.endpoints(of: sessions.account, sandbox),
                trusted: sessions.trustFile.flatMap { files[$0] }, limits: sessions.limits,
                callsPerCaller: sessions.callsPerCaller)
            if let desk = earlier?.desks.compactMap({ $0 }).first(where: { $0.basis == basis }) {
                desks.append(desk)
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
            desks.append(SessionDesk(basis, trusting: trust, from: now))
        }
        self.desks = desks
    }

    /// A loop's clerks, by the place of the credential.
    func clerks(
        _ configuration: Configuration, _ loop: LoopAccess, _ courier: any Courier, clock: @escaping Clock, _ log: Log
    ) throws(CryptoError) -> [SessionClerk?] {
        let mailbox = loop.clients.mailbox
        let tools = SessionClerk.Tools(
            courier: courier, clock: { Now(clock()) }, log: log,
            read: { path, then in
                let then = LoopWork(then)
                // A file of another file system may be slow to come.
                DispatchQueue(label: "countersign.secrets").async {
                    let file = Surroundings.process.file(path)
                    mailbox.post { then.body(file) }
                }
            },
            post: { mailbox.post($0) })
        var clerks: [SessionClerk?] = []
        for (credential, desk) in zip(configuration.credentials, desks) {
            guard let desk else {
                clerks.append(nil)
                continue
            }
            let key = try credential.key.map { key throws(CryptoError) in
                try STSKey(
                    desk.account.scheme, accessKeyID: key.accessKey, secret: key.secret,
                    securityToken: key.securityToken)
            }
            clerks.append(try SessionClerk(desk, key: key, tools))
        }
        return clerks
    }

    /// What is run on the loop's thread alone, though another hands it over.
    // Unsafe: nothing of it is touched where it is handed over.
    private struct LoopWork: @unchecked Sendable {
        let body: (ReadFile?) -> Void
        init(_ body: @escaping (ReadFile?) -> Void) { self.body = body }
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
