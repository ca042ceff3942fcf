import Bytes
import Crypto
import Providers
import Upstream

/// The session that signs for a grant, and the key of its credential. Each event loop has its own.
final class SigningSession {
    let cache: SessionCache
    private let session: VendorSession
    private var served = ServedCredential()
    private var made: (credential: SessionCredential, key: SigningKey)?

    init(_ session: VendorSession, in cache: SessionCache) {
        self.session = session
        self.cache = cache
    }

    /// Asks for the credential that signs now.
    func ask(for client: @autoclosure () -> CacheClient, at now: Instant) -> SessionCache.Reply {
        if let credential = served.credential(at: now) { return .now(.serve(credential)) }
        let reply = cache.ask(session, for: client(), at: now)
        if case .now(.serve(let credential)) = reply { served.remember(credential, at: now) }
        return reply
    }

    /// The key of a credential that was served, made when the credential is new.
    func key(of credential: SessionCredential) throws(CryptoError) -> SigningKey {
        if let made, made.credential === credential { return made.key }
        let key = try credential.signingKey()
        made = (credential, key)
        return key
    }
}
