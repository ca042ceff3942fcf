import Access
import Audit
import Cluster
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
            "admin", object: Admin(), "The listener for operators: health, metrics and `explain`.")
        let credentials = Field(
            "credentials", .members, required: true, "The vendors' keys, under names that you choose.")
        let authentication = Field("authentication", object: Authentication(), "How callers prove who they are.")
        let defaults = Field("defaults", object: Defaults(), "Default values for grants.")
        let grants = Field("grants", .members, required: true, "Who gets what, under names that you choose.")
        let policyTests = Field(
            "policyTests", .objects(PolicyTests()), default: [],
            "Tests of the grants. A configuration that fails one of its tests is not loaded.")
        let rateLimit = Field("rateLimit", object: RateLimit(), "How many requests an address or a caller may send.")
        let callbackKeys = Field(
            "callbackKeys", object: CallbackKeys(),
            "The vendors' public keys for callbacks. The service fetches a key when a callback needs it.")
        let reload = Field("reload", object: Reload(), "How the service notices a changed configuration.")
        let audit = Field(
            "audit", .object(Audit()), fixed: .forProcess,
            "The record of everything that was issued. Without this key there is none.")
        let brake = Field(
            "brake", .object(Brake()), fixed: .forProcess,
            "What the operator stops at once, such as a grant or a caller whose key has leaked. Without this key nothing can be stopped so."
        )
        let cluster = Field(
            "cluster", .object(Cluster()), fixed: .forProcess,
            "What several replicas share through Redis ([docs/cluster.md](../docs/cluster.md)). Without this key each is alone."
        )
        let log = Field("log", object: LogFields(), "The log, on standard error.")
    }

    struct Server: FieldGroup {
        let listen = Field(
            "listen", .strings, default: .texts("127.0.0.1:8080"), fixed: .forProcess,
            "`host:port` or `[v6]:port`, numeric or localhost, or `unix:/PATH` (mode 0660); several as a list.")
        let tls = Field(
            "tls", .object(TLS()), fixed: .forProcess,
            "TLS 1.2 and 1.3 on all addresses of `listen`, with HTTP/1.1.")
        let plaintext = Field(
            "plaintext", .boolean, default: false,
            "Allows addresses off loopback without TLS, for a proxy in front that does TLS.")
        let hosts = Field(
            "hosts", .strings, default: [], "Host names that requests may use, without port; `\"*\"` for all (R1).")
        let publicURL = Field(
            "publicURL", .string,
            "The URL by which clients reach the service, such as `\"https://tokens.example.com\"`. URLs of tickets begin with it."
        )
        let errorReference = Field(
            "errorReference", .string,
            "The start of the `type` URL of every error, such as `\"https://docs.example.com/errors#\"`. The code of the error follows it. The default is `/docs/api.md#`, the path of that page in this project."
        )
        let transport = Field(
            "transport", .choice(["epoll", "dispatch"]), fixed: .forProcess,
            "How the service waits for sockets. The default is epoll on Linux, and dispatch elsewhere.")
        let workers = Field(
            "workers", .integer(0...256), default: 0, fixed: .forProcess, "Number of event loops; 0 for one per core.")
        let limits = Field("limits", object: .limits, without: Limits(), "Limits for clients.")
        let trustedProxies = Field(
            "trustedProxies", .strings, default: [],
            "Proxies whose `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` the service believes: addresses and blocks (`10.0.0.0/8`), `unix:` for Unix sockets."
        )
        let proxyProtocol = Field(
            "proxyProtocol", .boolean, default: false,
            "Whether connections from `trustedProxies` begin with the PROXY protocol, version 1 or 2.")
        let cors = Field("cors", object: CORS(), "CORS: web pages that may call the service from a browser.")
        let statusInBody = Field(
            "statusInBody", .boolean, default: false,
            "Whether errors of `/distribute-token.json` have HTTP status 200, for clients that hide the body of an error."
        )
        let aliases = Field(
            "aliases", .members, "Additional paths for routes: `{ \"/api/uptoken\": \"qiniu.uptoken\" }`.")
    }

    struct Admin: FieldGroup {
        let listen = Field(
            "listen", .strings, default: .texts("127.0.0.1:8081"), fixed: .forProcess,
            "Like `server.listen`; `[]` for no admin listener. On loopback it is plain HTTP. Elsewhere it follows `server` (`tls` or `plaintext`) and needs `auth`."
        )
        let auth = Field(
            "auth", .objects(APIKey()), default: [],
            "Operators' keys. If set, every path except `/livez` and `/readyz` requires a key.")
        let console = Field(
            "console", .boolean, default: false,
            "Whether there is a page for operators at `/console` ([docs/console.md](../docs/console.md)).")
        let connections = Field(
            "connections", .integer(1...1000), default: Limits.reservedConnections,
            "Open connections; beyond it 503. They do not count for `server.limits.connections`.")
    }

    struct CORS: FieldGroup {
        let origins = Field(
            "origins", .strings, default: [],
            "CORS: origins allowed to call from a browser, such as `\"https://app.example.com\"` (R2).")
    }

    struct Reload: FieldGroup {
        let watch = Field(
            "watch", .boolean, default: true,
            "Whether the service looks for changes of the configuration and of every file that it names. SIGHUP always reloads."
        )
        let interval = Field("interval", .duration(100...3_600_000), default: 5_000, "Time between two looks.")
    }

    struct Authentication: FieldGroup {
        let apiKeys = Field("apiKeys", .objects(APIKey()), default: [], "API keys. Several keys may share an id.")
        let jwt = Field(
            "jwt", .objects(JWT()), default: [], "Issuers of tokens (JWT). No two have the same `issuer`.")
        let certificates = Field(
            "certificates", .objects(ClientCertificate()),
            "Callers with a client certificate of `server.tls.clientCAFile`.")
        let rememberedTokens = Field(
            "rememberedTokens", .integer(0...1_000_000), default: 10_000,
            "Tokens and tickets that each event loop remembers, and need not read again. Beyond it, a new one replaces an old one, but a ticket no token."
        )
        let tickets = Field("tickets", object: Tickets(), "URL tickets, for clients that cannot send headers (R11).")
        let deny = Field(
            "deny", .strings, default: [],
            "Callers that the service refuses: `\"apiKey:ID\"`, `\"jwt:ID/SUBJECT\"`, `\"certificate:ID\"`, `\"ticket:ID\"` (R12)."
        )
    }

    struct Tickets: FieldGroup {
        let secret = Field(
            "secret", .secret,
            "The secret that signs tickets, at least 32 bytes (R10). Without it there are no tickets.")
        let maxLifetime = Field(
            "maxLifetime", .duration(1000...2_592_000_000), default: 3_600_000, "The longest lifetime of a ticket.")
    }

    struct APIKey: FieldGroup {
        let id = Field("id", .string, required: true, "The id of the key's owner.")
        let sha256 = Field(
            "sha256", .string, required: true, "The SHA-256 of the key in hex; `countersign make-key` makes both.")
        let notAfter = Field("notAfter", .time, "When the key expires.")
    }

    struct JWT: FieldGroup {
        let id = Field("id", .string, required: true, "The id in its callers' names: `\"jwt:ID\"`.")
        let issuer = Field("issuer", .string, required: true, "The `iss` of its tokens, byte for byte.")
        let audience = Field("audience", .string, required: true, "The text that must be in the `aud` of its tokens.")
        let algorithms = Field(
            "algorithms", .strings, required: true,
            "Accepted signature algorithms: `HS256` alone, or some of `RS256`, `PS256`, `ES256` and `EdDSA`.")
        let jwksUrl = Field(
            "jwksUrl", .string, "The URL of its public keys, a JWK set: https, or http on this machine.")
        let jwksRefresh = Field(
            "jwksRefresh", .duration(1_000...86_400_000), default: 600_000,
            "Time between two fetches of `jwksUrl`. An unknown `kid` causes an earlier fetch.")
        let jwksKeep = Field(
            "jwksKeep", .duration(1_000...2_592_000_000), default: 86_400_000,
            "How long the service uses fetched keys while it cannot fetch them again; longer than `jwksRefresh`.")
        let jwksFile = Field("jwksFile", .string, "A file of its public keys, a JWK set (RFC 7517).")
        let publicKeyFile = Field("publicKeyFile", .string, "A file of its one public key, in PEM.")
        let secret = Field("secret", .secret, "The secret of HS256, at least 32 bytes (R10).")
        let leeway = Field(
            "leeway", .duration(0...600_000), default: 30_000,
            "How much the issuer's clock and the service's clock may differ.")
    }

    struct ClientCertificate: FieldGroup {
        let id = Field("id", .string, required: true, "The id in the caller's name: `\"certificate:ID\"`.")
        let san = Field(
            "san", .strings, required: true,
            "Alternative names. The certificate must have one of them, byte for byte: `\"dns:backend.example.com\"`, "
                + "`\"uri:spiffe://example.com/backend\"`, `\"email:ops@example.com\"`.")
    }

    struct RateLimit: FieldGroup {
        let perAddress = Field(
            "perAddress", .rate,
            "Requests from one address, or from one /64 of IPv6; beyond it 429. The same number of TLS handshakes may stay without a request; "
                + "beyond it connections are closed. No limit by default, since clients of a mobile carrier share addresses."
        )
        let perCaller = Field(
            "perCaller", .rate, "Requests of one caller over all grants. For `anonymous`, requests of one address.")
        let identities = Field(
            "identities", .integer(64...16_777_216), default: 65_536, fixed: .forProcess,
            "How many addresses the service counts separately, and how many authenticated callers; 16 bytes each, 80 with `cluster`. Beyond it, the service forgets the one that has used least."
        )
    }

    /// What `POST /explain` is asked, and a policy test asks.
    package struct Inquiry: FieldGroup {
        package let caller = Field(
            "caller", .string, required: true,
            "The caller: `\"anonymous\"`, `\"apiKey:ID\"`, `\"certificate:ID\"` or `\"jwt:ID/SUBJECT\"`.")
        package let claims = Field(
            "claims", .json(maximumLength: 8192),
            "The claims of the caller's token, besides `sub` and `iss`. `exp` is when the token ends.")
        package let route = Field("route", .string, required: true, "The route, such as `qiniu.uptoken`.")
        package let grant = Field("grant", .string, "The grant to use, like the parameter `grant`.")
        package let parameters = Field(
            "parameters", .json(maximumLength: 65_536), "The parameters, as in a POST to the route.")
        package let at = Field("at", .time, "The time of the request. The default is now.")
        package let address = Field(
            "address", .string, "The caller's address, such as `192.0.2.1`. The default is none.")

        package init() {}
    }

    /// What `POST /brakes` is asked.
    package struct BrakeOrder: FieldGroup {
        /// The shortest and the longest time for which something is stopped, in milliseconds.
        package static let durations: ClosedRange<Int64> = 1000...31_536_000_000

        package let kind = Field(
            "kind", .choice(Access.Brake.Kind.self), required: true, "What is stopped, or set free.")
        package let name = Field(
            "name", .string,
            "The name of the grant, credential or issuer, or the caller as in `authentication.deny`. None for `all`.")
        package let reason = Field("reason", .string, required: true, "Why, for the audit and for other operators.")
        package let duration = Field(
            "for", .duration(durations), "After which time it ends by itself. The default is never.")
        package let release = Field("release", .boolean, default: false, "Whether it is set free again.")

        package init() {}
    }

    struct PolicyTests: FieldGroup {
        let name = Field("name", .string, "The name that is shown if the test fails.")
        let inquiry = Inquiry()
        let expect = Field(
            "expect", .string, required: true,
            "`\"allow\"`, `\"deny\"`, or the `code` of the refusal, such as `\"not_in_grant\"`.")
        let gives = Field(
            "gives", object: ExpectedPermit(), "What must be allowed. A key that is left out may have any value.")
    }

    struct ExpectedPermit: FieldGroup {
        let grant = Field("grant", .string, "The grant that allows it.")
        let bucket = Field("bucket", .string, "The bucket.")
        let key = Field("key", .string, "The whole key, or the prefix if the credential is for a prefix.")
        let limitedBy = Field("limitedBy", .choice(["requested", "grant", "caller"]), "What sets the end (R5).")
        let lifetime = Field("lifetime", .duration(1000...2_592_000_000), "The lifetime.")
    }

    struct CallbackKeys: FieldGroup {
        let remembered = Field(
            "remembered", .integer(1...10_000), default: 64, "Keys that the service remembers or fetches at one time.")
        let refresh = Field(
            "refresh", .duration(1_000...86_400_000), default: 3_600_000,
            "The age at which a key in use is fetched again.")
        let keep = Field(
            "keep", .duration(1_000...2_592_000_000), default: 86_400_000,
            "The age up to which a key is used while it cannot be fetched again; longer than `refresh`.")
        let callsPerSecond = Field(
            "callsPerSecond", .integer(1...1000), default: 10, "Calls per second for the vendor's usual key.")
        let strangeCallsPerSecond = Field(
            "strangeCallsPerSecond", .integer(1...1000), default: 1,
            "Calls per second for keys of other versions, which anybody can make up. Five times as many may start at once."
        )
        let waiting = Field(
            "waiting", .integer(1...100_000), default: 512,
            "Callbacks that may wait for keys in each event loop; beyond it 503.")
    }

    struct Audit: FieldGroup {
        private static let standard = AuditSettings(file: "", key: Secret([]))

        let file = Field(
            "file", .string, required: true, fixed: .forProcess,
            "The file of the record. Full files are renamed and stay beside it.")
        let key = Field(
            "key", .secret, required: true, fixed: .forService,
            "The key that chains the lines, at least 32 bytes (R10). `countersign audit verify` needs it.")
        let durability = Field(
            "durability", .choice(AuditSettings.Durability.self), default: standard.durability, fixed: .forProcess,
            "What an answer waits for: nothing (`none`); until its line is on the disk, together with others (`batch`) or alone (`each`)."
        )
        let failClosed = Field(
            "failClosed", .boolean, default: standard.failsClosed, fixed: .forProcess,
            "Whether the service issues nothing (503) while it cannot write lines. With `false` it counts the lost lines."
        )
        let maxSize = Field(
            "maxSize", .size(4096...1_099_511_627_776), default: standard.maximumSize, fixed: .forProcess,
            "The size at which a new file begins. It continues the chain of the old one.")
        let queue = Field(
            "queue", .integer(16...1_000_000), default: standard.queue, fixed: .forProcess,
            "Lines of each event loop that may wait for the disk; beyond it 503. Refusals fill at most half of it.")
        let deniedPerMinute = Field(
            "deniedPerMinute", .integer(1...1_000_000), default: standard.deniedPerMinute, fixed: .forProcess,
            "Refusals of one caller that get a line of their own, per minute and event loop. Further refusals are only counted."
        )
    }

    struct Brake: FieldGroup {
        let file = Field(
            "file", .string, required: true, fixed: .forProcess,
            "The file of what is stopped, which `countersign brake` and the admin listener write. Its folder must exist."
        )
        let entries = Field(
            "entries", .integer(1...Int64(BrakeList.most)), default: 1000, fixed: .forProcess,
            "Brakes and releases that the file may have. Releases, and brakes that have ended, are kept for 30 days.")
    }

    struct Cluster: FieldGroup {
        private static let standard = ClusterSettings(
            redis: RedisSettings(servers: [], user: nil, password: nil, timeout: 500), key: Secret([]), instance: [])

        let servers = Field(
            "servers", .strings, required: true, fixed: .forProcess,
            "Where Redis is: `rediss://HOST:PORT` with TLS, `redis://HOST:PORT` without. Of several, the first that is a master is used."
        )
        let plaintext = Field(
            "plaintext", .boolean, default: false, fixed: .forProcess,
            "Allows `redis://` to other machines, for a network of your own that others cannot read.")
        let trustFile = Field(
            "trustFile", .string, fixed: .forProcess,
            "PEM: the certificate authorities of servers with TLS. The default is the system's authorities.")
        let user = Field(
            "user", .string, fixed: .forProcess, "The user of Redis' ACL. The default is Redis' user `default`.")
        let password = Field("password", .secret, fixed: .forProcess, "The user's password.")
        let key = Field(
            "key", .secret, required: true, fixed: .forService,
            "The key that seals values and hides names in Redis, at least 32 bytes (R10); the same for all replicas.")
        let previousKey = Field(
            "previousKey", .secret, fixed: .forProcess,
            "The key before, while replicas change to another: values that it sealed are still opened.")
        let prefix = Field(
            "prefix", .string, default: standard.prefix, fixed: .forProcess,
            "What the names of all keys in Redis begin with.")
        let instance = Field(
            "instance", .string, fixed: .forProcess,
            "The name of this replica. No two replicas have the same. The default is the machine's name.")
        let timeout = Field(
            "timeout", .duration(50...10_000), default: standard.redis.timeout, fixed: .forProcess,
            "Time for a connection to Redis, and for each answer; beyond it Redis counts as gone.")
        let lease = Field(
            "lease", .duration(100...60_000), default: standard.lease, fixed: .forProcess,
            "The time whose tokens of a rate a replica takes from Redis at once.")
        let replicas = Field(
            "replicas", .integer(ClusterSettings.replicaCounts), default: standard.replicas, fixed: .forProcess,
            "How many replicas a replica that starts while Redis is gone supposes; it gives out its share of each limit by that."
        )
        let staleAfter = Field(
            "staleAfter", .duration(1_000...86_400_000), default: standard.staleAfter, fixed: .forProcess,
            "The time without Redis after which `whenStale` holds.")
        let whenStale = Field(
            "whenStale", .choice(ClusterSettings.WhenStale.self), default: standard.whenStale, fixed: .forProcess,
            "Whether the service issues (`serve`) or answers 503 (`refuse`) then: it may have missed a brake.")
    }

    struct LogFields: FieldGroup {
        let level = Field(
            "level", .choice(Log.Level.self, by: { $0.name.description }), default: Log.Settings().level,
            "The lowest level that is written.")
        let format = Field(
            "format", .choice(LogFormat.self), default: Log.Settings().format,
            "Lines for people (`text`) or for programs (`json`).")
        let requests = Field(
            "requests", .boolean, default: Log.Settings().tellsRequests,
            "Whether each request gets a line at level info: its id, path, status and client, but never its query.")
        let buffer = Field(
            "buffer", .size(4096...67_108_864), default: Log.Settings().buffer,
            "Size of the lines that may wait while nobody reads the log. Beyond it, lines are lost and counted.")
    }

    /// What every credential holds.
    struct Credential: FieldGroup {
        let provider = Field(
            "provider", .choice(Registry.providers.map(\.name)), required: true, "The vendor.")
        let pair = CredentialFields()
    }

    static let credential = Credential()

    /// The keys of a credential of a provider.
    package static func credential(of provider: ProviderDescription) -> [FieldDescription] {
        credential.descriptions + provider.credentialFields
            + (provider.sessions == nil ? SigningCredentialFields().descriptions : SessionCredential().descriptions)
    }

    /// What a credential may hold with which sessions are asked for.
    struct SessionCredential: FieldGroup {
        let limits = Field(
            "limits", object: SessionLimits(), "Limits of the calls to the vendor.")
    }

    struct SessionLimits: FieldGroup {
        let callTimeout = Field(
            "callTimeout", .duration(100...60_000), default: UpstreamLimits().callTimeout,
            "Time for one call for a session, with all attempts and pauses.")
        let attemptTimeout = Field(
            "attemptTimeout", .duration(100...30_000), default: UpstreamLimits().attemptTimeout,
            "Time for one attempt, from connecting to the last byte of the answer; at most `callTimeout`.")
        let attempts = Field(
            "attempts", .integer(1...10), default: UpstreamLimits().attempts,
            "Attempts per call, over all endpoints.")
        let callsPerSecond = Field(
            "callsPerSecond", .integer(1...1000), default: UpstreamLimits().callsPerSecond,
            "Calls per second. The vendor accepts 100 from an account, all its users together.")
        let callBurst = Field(
            "callBurst", .integer(1...1000), default: UpstreamLimits().callBurst,
            "Calls that may start at once after a pause.")
        let callsPerCaller = Field(
            "callsPerCaller", default: Rate(30, in: 60_000),
            "Calls for one caller, over all sessions. For `anonymous`, calls for one address. "
                + "Beyond it, a request for a session that is not remembered gets 429.")
        let sessions = Field(
            "sessions", .integer(2...1_000_000), default: UpstreamLimits().slots,
            "Sessions that the service remembers, its own key included.")
        let waiters = Field(
            "waiters", .integer(1...1_000_000), default: UpstreamLimits().waiters,
            "Requests that may wait in total; beyond it 503.")
        let waitersPerSession = Field(
            "waitersPerSession", .integer(1...1_000_000), default: UpstreamLimits().waitersPerSlot,
            "Requests that may wait for one session, and requests of one caller that may wait in total. If more than half of them wait, "
                + "a caller may have as many as are left free. Beyond it 503.")
        let patience = Field(
            "patience", .duration(100...60_000), default: UpstreamLimits().patience,
            "How long a request may wait, before the client is told to ask again.")
    }
}
