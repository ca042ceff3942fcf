import Access
import Bytes
import Configuration
import Crypto
import Gateway
import HTTP
import Machine
import Net
import Providers
import Telemetry
import Upstream

/// The service as it is put together to serve, with one loop that never runs: requests are handed to its handler here.
///
/// It is always the same moment in it, so that an operation does the same however often it is done.
final class Fixture {
    let configuration: Configuration
    let handler: any RequestHandler
    private let snapshot: Snapshot
    /// The loop that the handler belongs to.
    private let server: Server

    /// Seconds since 1970.
    static let seconds: Int64 = 1_800_000_000
    static let now = Instant(unixSeconds: seconds, monotonic: 5_000_000)
    static let nonce = Nonce(InlineArray(repeating: 7))
    static let secret = "a-secret-of-the-benchmark-01234567890123"
    static let apiKey = "an-api-key-of-the-benchmark-0123456789012345"

    init() throws {
        let configuration = try Fixture.load()
        let snapshot = try Snapshot(configuration)
        var handler: (any RequestHandler)?
        server = try Server(Server.Settings(addresses: [], workers: 1), resolver: Resolver()) { loop in
            let made = try LoopHandler(
                snapshot, ProcessResources(RateLimiter(identities: configuration.rates.identities), Metrics()), loop)
            handler = made
            return made
        }
        guard let handler else { throw RowError("the server has no loop") }
        self.configuration = configuration
        self.snapshot = snapshot
        self.handler = handler
    }

    private static func load() throws -> Configuration {
        let digest = Hex.encode(try Digest(.sha256, of: Array(text: apiKey).span).bytes.array).text
        let text = """
            { version: 1, server: { listen: "127.0.0.1:8080" },
              credentials: { \(Chapter.all.map(\.credentials).joined()) },
              authentication: { apiKeys: [{ id: "app", sha256: "\(digest)" }], jwt: [\(Chapter.issuers)],
                tickets: { secret: { env: "S" } } },
              grants: { \(Chapter.all.map(\.grants).joined()) },
              log: { level: "warning" } }
            """
        return try Configuration.load(
            "/benchmark.json5",
            in: Environment(
                variable: { _ in secret },
                file: { name in
                    ReadFile(
                        bytes: Array(text: name == "/benchmark.jwks" ? Chapter.keys : text), isWorldReadable: false)
                }))
    }

    /// The permit that a caller gets for a route and a query.
    func permitted(_ route: String, _ query: String, apiKey: String? = nil) throws -> Permitted {
        try Permitted(route, query, by: caller(apiKey), under: configuration.policy)
    }

    /// The caller who presents an API key; the anonymous caller without one.
    func caller(_ apiKey: String?) throws -> Caller {
        guard let apiKey else { return configuration.authenticator.anonymous }
        switch configuration.authenticator.identify(apiKey: Array(text: apiKey).span, at: Fixture.seconds) {
        case .caller(let caller): return caller
        case .refused(let reason, _): throw RowError(reason.description)
        }
    }

    /// A ticket of the API key's caller, as it stands in a URL.
    func ticket(for grant: String, fixing parameters: [NameValue]) throws -> String {
        let (caller, terms) = (
            try caller(Fixture.apiKey), TicketTerms(grant: Array(text: grant), parameters: parameters)
        )
        guard let signer = try configuration.authenticator.ticketKey?.makeSigner(),
            let ticket = Ticket(
                Array(text: "1d9f7c0e-ticket"), for: caller, until: Fixture.seconds + 60, terms,
                mark: try signer.mark(of: caller.proof)),
            let text = try signer.write(ticket)
        else { throw RowError("there is no ticket") }
        return text.text
    }

    /// The caller of an Authorization field.
    func caller(_ authorization: [UInt8], _ memory: inout CredentialCache) throws -> Caller {
        switch configuration.authenticator.identify(
            authorization: authorization.span, apiKey: nil, at: Fixture.seconds, remembering: &memory)
        {
        case .caller(let caller): return caller
        case .refused(let reason, _): throw RowError(reason.description)
        }
    }

    /// A grant's key, ready to sign.
    func key(of grant: Grant) throws -> SigningKey {
        guard let pair = configuration.credentials[grant.credential].key else { throw RowError("there is no key") }
        return try SigningKey(accessKey: pair.accessKey, secret: pair.secret)
    }

    /// Puts a credential where the one session that is granted on a route would be remembered; once is enough.
    func rememberSession(_ route: String) throws {
        let permitted = try permitted(route, "")
        let grant = permitted.permit.grant
        guard case .session(let issuer) = configuration.issuers[grant.index],
            let account = snapshot.accounts.accounts[grant.credential]
        else {
            throw RowError("the grant is none of sessions")
        }
        var scratch = ByteWriter()
        try remember(
            issuer.session(
                under: permitted.permit, for: permitted.caller.principal, of: account.source, using: &scratch),
            in: account)
    }

    /// The same for the sessions that sign.
    func rememberSigningSessions() throws {
        for (grant, issuer) in zip(configuration.grants, configuration.issuers) {
            guard case .signingBySession(_, let policy) = issuer,
                let account = snapshot.accounts.accounts[grant.credential]
            else { continue }
            guard let session = try VendorSession(signingFor: grant, allowing: policy, of: account.source) else {
                throw RowError("the session's policy is none")
            }
            try remember(session, in: account)
        }
    }

    private func remember(_ session: VendorSession, in account: SessionAccount) throws {
        guard
            let credential = SessionCredential(
                accessKeyID: Array(text: "STS.NUexampleexampleexample1"),
                secret: Array(text: "exampleexampleexampleexampleexampleexample12"),
                securityToken: [UInt8](repeating: UInt8(ascii: "x"), count: 680),
                expiresAt: Fixture.seconds + 3600)
        else { throw RowError("there is no credential") }
        let now = Fixture.now
        if let fetch = account.cache.ask(session.key, for: 1, at: now).fetch {
            let lifetime = Lifetime.dated(
                expiresAt: credential.expiresAt, issuedAt: now.unixSeconds, longest: nil)
            account.cache.land(fetch, with: .success((credential, lifetime)), at: now)
        }
    }

    /// Puts a key where the one that a claim is by would be remembered; once is enough.
    func remember(_ key: RSAPublicKey, for claim: CallbackClaim) {
        let now = Fixture.now
        let keys = snapshot.callbackKeys
        if let fetch = keys.cache.ask(claim.key, for: 1, at: now).fetch {
            keys.cache.land(fetch, with: .success((key, keys.lifetime)), at: now)
        }
    }
}
