import Access
import Crypto
import HTTP
import Providers
import Telemetry
import Upstream

/// Every key of the configuration that does not belong to a provider.
package enum Schema {
    package static let root = Root()

    package struct Root: FieldGroup {
        let version = Field("version", .integer(1...1), required: true, "The version of this format.")
        let server = Field("server", object: Server(), "The public listener.")
        let admin = Field(
            "admin", object: Admin(), "The listener for those who run the service: whether it is alive and ready.")
        let credentials = Field("credentials", .members, required: true, "The vendors' keys, by names of your own.")
        let authentication = Field("authentication", object: Authentication(), "How callers prove who they are.")
        let defaults = Field("defaults", object: Defaults(), "What grants have that do not say it themselves.")
        let grants = Field("grants", .members, required: true, "Who may have what, by names of your own.")
        let policyTests = Field(
            "policyTests", .objects(PolicyTests()), default: [],
            "What callers must get, and must not; a configuration that fails one of its own is not loaded.")
        let rateLimit = Field("rateLimit", object: RateLimit(), "How often anybody may ask.")
        let callbackKeys = Field(
            "callbackKeys", object: CallbackKeys(),
            "The public keys that vendors sign callbacks by, fetched when one comes.")
        let reload = Field("reload", object: Reload(), "How a changed configuration is noticed.")
        let audit = Field(
            "audit", .object(Audit()), fixed: true, "The record of what was issued; without it there is none.")
        let log = Field("log", object: LogFields(), "What the service tells about itself on standard error.")
    }

    struct Server: FieldGroup {
        let listen = Field(
            "listen", .strings, default: .texts("127.0.0.1:8080"), fixed: true,
            "`host:port` or `[v6]:port`, numeric or localhost, or `unix:/PATH` (mode 0660); several as a list.")
        let tls = Field(
            "tls", .object(TLS()), fixed: true,
            "With it clients speak TLS on all addresses: 1.2 or 1.3, and HTTP/1.1 over it.")
        let plaintext = Field(
            "plaintext", .boolean, default: false,
            "Whether to listen off loopback without TLS, which a proxy in front does.")
        let hosts = Field(
            "hosts", .strings, default: [], "Host names that are answered to, without port; `\"*\"` for all (R1).")
        let publicURL = Field(
            "publicURL", .string,
            "What clients reach the service by, such as `\"https://tokens.example.com\"`: URLs of tickets begin with it."
        )
        let transport = Field(
            "transport", .choice(["epoll", "dispatch"]), fixed: true,
            "How sockets are waited for; without it as suits the system: epoll on Linux.")
        let workers = Field(
            "workers", .integer(0...256), default: 0, fixed: true, "Event loops; 0 for one on each core.")
        let limits = Field("limits", object: .limits, without: Limits(), "How much one client may take.")
        let trustedProxies = Field(
            "trustedProxies", .strings, default: [],
            "Peers whose `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` are believed: addresses and blocks of them (`10.0.0.0/8`), `unix:` for Unix sockets."
        )
        let proxyProtocol = Field(
            "proxyProtocol", .boolean, default: false,
            "Whether connections of `trustedProxies` begin with the PROXY protocol, version 1 or 2.")
        let cors = Field("cors", object: CORS(), "Which web pages may ask.")
        let statusInBody = Field(
            "statusInBody", .boolean, default: false,
            "Whether errors of `/distribute-token.json` travel with HTTP 200, since some clients hide an error's body.")
        let aliases = Field("aliases", .members, "Other paths for routes: `{ \"/api/uptoken\": \"qiniu.uptoken\" }`.")
    }

    struct Admin: FieldGroup {
        let listen = Field(
            "listen", .strings, default: .texts("127.0.0.1:8081"), fixed: true,
            "As `server.listen`; `[]` for none. On loopback plain HTTP, elsewhere as `server` has it, and with `auth`.")
        let auth = Field(
            "auth", .objects(APIKey()), default: [],
            "Keys of those who may ask; with one, all is for them alone but `/livez` and `/readyz`.")
        let connections = Field(
            "connections", .integer(1...1000), default: Limits.reservedConnections,
            "Open connections, counted apart from `server.limits.connections`; beyond it 503.")
    }

    struct TLS: FieldGroup {
        let certificates = Field(
            "certificates", .objects(Certificate()), required: true,
            "The first is shown to clients that call none of the names.")
        let clientCAFile = Field(
            "clientCAFile", .string,
            "PEM: the authorities whose certificates clients may show; one that shows another is refused.")
        let crlFile = Field(
            "crlFile", .string,
            "PEM: a list of revoked certificates (CRL) of each of these authorities; none may be old.")
    }

    struct Certificate: FieldGroup {
        let names = Field(
            "names", .strings, required: true,
            "Host names for which it is shown; `\"*.example.com\"` for all one label below.")
        let certificateFile = Field(
            "certificateFile", .string, required: true,
            "PEM: the certificate, then those of its issuers in order; the root may be left out.")
        let keyFile = Field(
            "keyFile", .string, required: true,
            "PEM: its key, not encrypted. The file must not be readable by everybody.")
    }

    struct CORS: FieldGroup {
        let origins = Field(
            "origins", .strings, default: [], "Origins of web pages, such as `\"https://app.example.com\"` (R2).")
    }

    struct Reload: FieldGroup {
        let watch = Field(
            "watch", .boolean, default: true,
            "Whether the file, and every file that it names, is looked at for changes; SIGHUP has it read in any case.")
        let interval = Field("interval", .duration(100...3_600_000), default: 5_000, "From one look to the next.")
    }

    struct Authentication: FieldGroup {
        let apiKeys = Field("apiKeys", .objects(APIKey()), default: [], "Keys of programs; several may share an id.")
        let jwt = Field(
            "jwt", .objects(JWT()), default: [], "Issuers of tokens (JWT), each with an `issuer` of its own.")
        let certificates = Field(
            "certificates", .objects(ClientCertificate()),
            "Callers who show a certificate of `server.tls.clientCAFile`.")
        let rememberedTokens = Field(
            "rememberedTokens", .integer(0...1_000_000), default: 10_000,
            "Tokens that an event loop need not check anew each time; beyond it, a newer one replaces an older one."
        )
        let tickets = Field("tickets", object: Tickets(), "URL tickets, for clients that can send no header (R11).")
        let deny = Field(
            "deny", .strings, default: [],
            "Callers that get nothing: `\"apiKey:ID\"`, `\"jwt:ID/SUBJECT\"`, `\"certificate:ID\"`, `\"ticket:ID\"` (R12)."
        )
    }

    struct Tickets: FieldGroup {
        let secret = Field(
            "secret", .secret, "What tickets are signed with, at least 32 bytes (R10); without it there are none.")
        let maxLifetime = Field(
            "maxLifetime", .duration(1000...2_592_000_000), default: 3_600_000, "The longest that a ticket may hold.")
    }

    struct APIKey: FieldGroup {
        let id = Field("id", .string, required: true, "Who has the key.")
        let sha256 = Field(
            "sha256", .string, required: true, "The SHA-256 of the key in hex; `countersign make-key` makes both.")
        let notAfter = Field("notAfter", .time, "When the key ends.")
    }

    struct JWT: FieldGroup {
        let id = Field("id", .string, required: true, "What its callers are called by: `\"jwt:ID\"`.")
        let issuer = Field("issuer", .string, required: true, "The `iss` of its tokens, byte for byte.")
        let audience = Field("audience", .string, required: true, "What must be in their `aud`.")
        let algorithms = Field(
            "algorithms", .strings, required: true,
            "What they may be signed by: `HS256` alone, or some of `RS256`, `PS256`, `ES256` and `EdDSA`.")
        let jwksUrl = Field(
            "jwksUrl", .string, "Where its public keys are fetched, as a JWK set: https, or http on this machine.")
        let jwksRefresh = Field(
            "jwksRefresh", .duration(1_000...86_400_000), default: 600_000,
            "From one fetching of `jwksUrl` to the next; sooner for a `kid` that is not known.")
        let jwksKeep = Field(
            "jwksKeep", .duration(1_000...2_592_000_000), default: 86_400_000,
            "How long the keys of `jwksUrl` are used while they cannot be fetched again.")
        let jwksFile = Field("jwksFile", .string, "A file of its public keys, as a JWK set (RFC 7517).")
        let publicKeyFile = Field("publicKeyFile", .string, "A file of its one public key, in PEM.")
        let secret = Field("secret", .secret, "The secret of HS256, at least 32 bytes (R10).")
        let leeway = Field(
            "leeway", .duration(0...600_000), default: 30_000, "By how much its clock and ours may differ.")
    }

    struct ClientCertificate: FieldGroup {
        let id = Field("id", .string, required: true, "What the caller is called by: `\"certificate:ID\"`.")
        let san = Field(
            "san", .strings, required: true,
            "Alternative names, of which the certificate has one: `\"dns:backend.example.com\"`, "
                + "`\"uri:spiffe://example.com/backend\"`, `\"email:ops@example.com\"`; byte for byte.")
    }

    struct RateLimit: FieldGroup {
        let perAddress = Field(
            "perAddress", .rate,
            "Requests of one address, of a whole /64 with IPv6; beyond it 429. As many TLS handshakes may stay without a request; "
                + "beyond it connections are closed. None by default, since mobile carriers share them."
        )
        let perCaller = Field(
            "perCaller", .rate, "Requests of one caller, over all grants; of one address for `anonymous`.")
        let identities = Field(
            "identities", .integer(64...16_777_216), default: 65_536, fixed: true,
            "Addresses that are counted apart at a time, and as many callers that have authenticated; 16 bytes each. Beyond it the one that has used least gives way."
        )
    }

    /// What `POST /explain` is asked, and a policy test asks.
    package struct Inquiry: FieldGroup {
        package let caller = Field(
            "caller", .string, required: true,
            "Who asks: `\"anonymous\"`, `\"apiKey:ID\"`, `\"certificate:ID\"` or `\"jwt:ID/SUBJECT\"`.")
        package let claims = Field(
            "claims", .json(maximumLength: 8192),
            "What the caller's token says beside `sub` and `iss`; its `exp` is when it ends.")
        package let route = Field("route", .string, required: true, "What is asked for, such as `qiniu.uptoken`.")
        package let grant = Field("grant", .string, "The grant that is named, as the parameter `grant` does.")
        package let parameters = Field(
            "parameters", .json(maximumLength: 65_536), "What is asked, as a POST to the route has it.")
        package let at = Field("at", .time, "When it is asked; without it, now.")
        package let address = Field(
            "address", .string, "The address that it is asked from, such as `192.0.2.1`; without it, from none.")

        package init() {}
    }

    struct PolicyTests: FieldGroup {
        let name = Field("name", .string, "What the test is called where it fails.")
        let inquiry = Inquiry()
        let expect = Field(
            "expect", .string, required: true,
            "`\"allow\"`, `\"deny\"`, or the `code` of the refusal, such as `\"not_in_grant\"`.")
        let gives = Field(
            "gives", object: ExpectedPermit(), "What is allowed must be this; what is not said may be any.")
    }

    struct ExpectedPermit: FieldGroup {
        let grant = Field("grant", .string, "The grant by which it is allowed.")
        let bucket = Field("bucket", .string, "The bucket.")
        let key = Field("key", .string, "The whole key, or the prefix where what is given is for one.")
        let limitedBy = Field("limitedBy", .choice(["requested", "grant", "caller"]), "What says when that ends (R5).")
        let lifetime = Field("lifetime", .duration(1000...2_592_000_000), "For how long it holds.")
    }

    struct CallbackKeys: FieldGroup {
        let remembered = Field(
            "remembered", .integer(1...10_000), default: 64, "Keys that are remembered, or being fetched, at a time.")
        let refresh = Field(
            "refresh", .duration(1_000...86_400_000), default: 3_600_000,
            "How old a key is when it is fetched again, while it is used.")
        let keep = Field(
            "keep", .duration(1_000...2_592_000_000), default: 86_400_000,
            "How old a key may be that is used while it cannot be fetched again.")
        let callsPerSecond = Field(
            "callsPerSecond", .integer(1...1000), default: 10, "Calls for the vendor's usual key, at most.")
        let strangeCallsPerSecond = Field(
            "strangeCallsPerSecond", .integer(1...1000), default: 1,
            "Calls for keys of other versions than the vendor's usual one, which anybody may make up; five times as many at once."
        )
        let waiting = Field(
            "waiting", .integer(1...100_000), default: 512,
            "Callbacks that may wait for keys in an event loop; beyond it 503.")
    }

    struct Audit: FieldGroup {
        private static let standard = AuditSettings(file: "", key: Secret([]))

        let file = Field(
            "file", .string, required: true, fixed: true,
            "Where the lines are written; files that are full are set aside beside it.")
        let key = Field(
            "key", .secret, required: true, fixed: true,
            "What the lines are chained by, at least 32 bytes (R10); `countersign audit verify` needs it.")
        let durability = Field(
            "durability", .choice(AuditSettings.Durability.self), default: standard.durability, fixed: true,
            "What an answer waits for: nothing; until the disk has its line, with all that came meanwhile; or with no other."
        )
        let failClosed = Field(
            "failClosed", .boolean, default: standard.failsClosed, fixed: true,
            "Whether nothing is issued (503) while no line can be written; else lost lines are counted.")
        let maxSize = Field(
            "maxSize", .size(4096...1_099_511_627_776), default: standard.maximumSize, fixed: true,
            "The size from which on a new file is begun, which goes on from the old one.")
        let queue = Field(
            "queue", .integer(16...1_000_000), default: standard.queue, fixed: true,
            "Lines of one event loop that may wait for the disk; beyond it 503. Refusals fill at most half of it.")
        let deniedPerMinute = Field(
            "deniedPerMinute", .integer(1...1_000_000), default: standard.deniedPerMinute, fixed: true,
            "Refusals of one caller that have a line of their own in a minute, in each event loop; beyond it they are counted."
        )
    }

    struct LogFields: FieldGroup {
        let level = Field("level", .choice(Log.Level.self), default: Log.Settings().level, "The least that is told.")
        let format = Field(
            "format", .choice(LogFormat.self), default: Log.Settings().format, "Lines for people or for programs.")
        let requests = Field(
            "requests", .boolean, default: Log.Settings().tellsRequests,
            "Whether each request is told, at level info: its id, path, status and client, and never a query.")
        let buffer = Field(
            "buffer", .size(4096...67_108_864), default: Log.Settings().buffer,
            "What may wait to be written when nobody reads the log; beyond it lines are lost, and counted.")
    }

    /// What every credential holds.
    struct Credential: FieldGroup {
        let provider = Field(
            "provider", .choice(Registry.providers.map(\.name)), required: true, "Whose keys these are.")
        let pair = CredentialFields()
    }

    static let credential = Credential()

    /// The keys of a credential of a provider.
    package static func credential(of provider: ProviderDescription) -> [FieldDescription] {
        credential.descriptions + provider.credentialFields
            + (provider.givesSessions ? SessionCredential().descriptions : SigningCredentialFields().descriptions)
    }

    /// What a credential may hold with which sessions are asked for.
    struct SessionCredential: FieldGroup {
        let limits = Field(
            "limits", object: SessionLimits(), "How often, how long and for how many the vendor is asked.")
    }

    struct SessionLimits: FieldGroup {
        let callTimeout = Field(
            "callTimeout", .duration(100...60_000), default: UpstreamLimits().callTimeout,
            "One call for a session, with all its attempts and the pauses between them.")
        let attemptTimeout = Field(
            "attemptTimeout", .duration(100...30_000), default: UpstreamLimits().attemptTimeout,
            "One attempt, from the connection to the answer's last byte; at most `callTimeout`.")
        let attempts = Field(
            "attempts", .integer(1...10), default: UpstreamLimits().attempts,
            "Attempts of one call, over all endpoints.")
        let callsPerSecond = Field(
            "callsPerSecond", .integer(1...1000), default: UpstreamLimits().callsPerSecond,
            "Calls that may be begun in a second; the vendor takes 100 of an account, all its users together.")
        let callBurst = Field(
            "callBurst", .integer(1...1000), default: UpstreamLimits().callBurst,
            "Calls that may be begun at once after a silence.")
        let callsPerCaller = Field(
            "callsPerCaller", default: Rate(30, in: 60_000),
            "Calls that may be begun for one caller, whatever sessions it asks for; of one address for `anonymous`. "
                + "Beyond it 429 for sessions that are not remembered.")
        let sessions = Field(
            "sessions", .integer(2...1_000_000), default: UpstreamLimits().slots,
            "Sessions that are remembered at a time, the service's own key among them.")
        let waiters = Field(
            "waiters", .integer(1...1_000_000), default: UpstreamLimits().waiters,
            "Requests that may wait in all; beyond it 503.")
        let waitersPerSession = Field(
            "waitersPerSession", .integer(1...1_000_000), default: UpstreamLimits().waitersPerSlot,
            "Requests that may wait for one session, and those of one caller in all. Where more than half of them wait, "
                + "a caller has as many as it leaves free. Beyond it 503.")
        let patience = Field(
            "patience", .duration(100...60_000), default: UpstreamLimits().patience,
            "How long a request may wait; then it is told to come back.")
    }
}
