import Access
import Providers

/// Every key of the configuration that does not belong to a provider.
package enum Schema {
    package static let root: [FieldDescription] = [
        FieldDescription("version", .integer(1...1), required: true, "The version of this format."),
        FieldDescription("server", .object(server), "The public listener."),
        FieldDescription(
            "admin", .object(admin), "The listener for those who run the service: whether it is alive and ready."),
        FieldDescription("credentials", .members, required: true, "The vendors' keys, by names of your own."),
        FieldDescription("authentication", .object(authentication), "How callers prove who they are."),
        FieldDescription("grants", .members, required: true, "Who may have what, by names of your own."),
        FieldDescription(
            "policyTests", .objects(policyTest), standard: "[]",
            "What callers must get, and must not; a configuration that fails one of its own is not loaded."),
        FieldDescription("rateLimit", .object(rateLimit), "How often anybody may ask."),
        FieldDescription(
            "callbackKeys", .object(callbackKeys),
            "The public keys that vendors sign callbacks by, fetched when one comes."),
        FieldDescription("reload", .object(reload), "How a changed configuration is noticed."),
        FieldDescription(
            "audit", .object(audit), fixed: true, "The record of what was issued; without it there is none."),
        FieldDescription("log", .object(log), "What the service tells about itself on standard error."),
    ]

    static let server: [FieldDescription] = [
        FieldDescription(
            "listen", .strings, standard: "\"127.0.0.1:8080\"", fixed: true,
            "`host:port` or `[v6]:port`, numeric or localhost, or `unix:/PATH` (mode 0660); several as a list."),
        FieldDescription(
            "tls", .object(tls), fixed: true,
            "With it clients speak TLS on all addresses: 1.2 or 1.3, and HTTP/1.1 over it."),
        FieldDescription(
            "plaintext", .boolean, standard: "false",
            "Whether to listen off loopback without TLS, which a proxy in front does."),
        FieldDescription(
            "hosts", .strings, standard: "[]", "Host names that are answered to, without port; `\"*\"` for all (R1)."),
        FieldDescription(
            "transport", .choice(["epoll", "dispatch"]), fixed: true,
            "How sockets are waited for; without it as suits the system: epoll on Linux."),
        FieldDescription(
            "workers", .integer(0...256), standard: "0", fixed: true, "Event loops; 0 for one on each core."),
        FieldDescription("limits", .object(limits), "How much one client may take."),
        FieldDescription(
            "trustedProxies", .strings, standard: "[]",
            "Peers whose `X-Forwarded-For` is believed: addresses and blocks of them (`10.0.0.0/8`), `unix:` for Unix sockets."
        ),
        FieldDescription(
            "proxyProtocol", .boolean, standard: "false",
            "Whether connections of `trustedProxies` begin with the PROXY protocol, version 1 or 2."),
        FieldDescription("cors", .object(cors), "Which web pages may ask."),
        FieldDescription(
            "statusInBody", .boolean, standard: "false",
            "Whether errors of `/distribute-token.json` travel with HTTP 200, since some clients hide an error's body."),
        FieldDescription("aliases", .members, "Other paths for routes: `{ \"/api/uptoken\": \"qiniu.uptoken\" }`."),
    ]

    static let admin: [FieldDescription] = [
        FieldDescription(
            "listen", .strings, standard: "\"127.0.0.1:8081\"", fixed: true,
            "As `server.listen`; `[]` for none. On loopback plain HTTP, elsewhere as `server` has it, and with `auth`."),
        FieldDescription(
            "auth", .objects(apiKey), standard: "[]",
            "Keys of those who may ask; with one, all is for them alone but `/livez` and `/readyz`."),
        FieldDescription(
            "connections", .integer(1...1000), standard: "64",
            "Open connections, counted apart from `server.limits.connections`; beyond it 503."),
    ]

    static let tls: [FieldDescription] = [
        FieldDescription(
            "certificates", .objects(certificate), required: true,
            "The first is shown to clients that call none of the names."),
        FieldDescription(
            "clientCAFile", .string,
            "PEM: the authorities whose certificates clients may show; one that shows another is refused."),
        FieldDescription(
            "crlFile", .string,
            "PEM: a list of revoked certificates (CRL) of each of these authorities; none may be old."),
    ]

    static let certificate: [FieldDescription] = [
        FieldDescription(
            "names", .strings, required: true,
            "Host names for which it is shown; `\"*.example.com\"` for all one label below."),
        FieldDescription(
            "certificateFile", .string, required: true,
            "PEM: the certificate, then those of its issuers in order; the root may be left out."),
        FieldDescription(
            "keyFile", .string, required: true,
            "PEM: its key, not encrypted. The file must not be readable by everybody."),
    ]

    static let limits: [FieldDescription] = [
        FieldDescription("requestLine", .size(64...65_536), standard: "\"8KiB\"", "The request line; beyond it 414."),
        FieldDescription("headers", .size(256...1_048_576), standard: "\"32KiB\"", "All header fields; beyond it 431."),
        FieldDescription("headerCount", .integer(1...10_000), standard: "100", "Header fields; beyond it 431."),
        FieldDescription("body", .size(0...16_777_216), standard: "\"256KiB\"", "The body; beyond it 413."),
        FieldDescription("jsonDepth", .integer(1...128), standard: "32", "Nesting of a JSON body; beyond it 400."),
        FieldDescription(
            "connections", .integer(1...1_000_000), standard: "20000",
            "Open connections; beyond it the address that has most loses one, or whoever connects gets 503."),
        FieldDescription(
            "handshakes", .integer(1...1_000_000), standard: "1024",
            "TLS handshakes under way, up to 150 KiB of memory each; beyond it the address that has most of them loses a connection."
        ),
        FieldDescription(
            "buffers", .size(1_048_576...1_073_741_824), standard: "\"32MiB\"",
            "Unfinished requests and unsent answers of all connections that hold more than `connectionBuffer`; beyond it the address that holds most loses a connection, by 503."
        ),
        FieldDescription(
            "connectionBuffer", .size(0...65_536), standard: "\"4KiB\"",
            "What each connection may hold of these, whatever others do; it does not count."),
        FieldDescription(
            "tlsMessages", .size(32_768...1_073_741_824), standard: "\"128KiB\"",
            "TLS of one connection that carries no data, such as new keys; beyond it a client is cut off."),
        FieldDescription(
            "headerTimeout", .duration(100...600_000), standard: "\"10s\"",
            "From a request's first byte to its empty line."),
        FieldDescription(
            "requestTimeout", .duration(100...600_000), standard: "\"25s\"",
            "From a request's first byte to its last."),
        FieldDescription(
            "writeTimeout", .duration(100...600_000), standard: "\"15s\"",
            "For a client to take what was answered; one that does not is cut off."),
        FieldDescription("idleTimeout", .duration(100...3_600_000), standard: "\"60s\"", "Between two requests."),
        FieldDescription(
            "drainTimeout", .duration(0...600_000), standard: "\"10s\"", "For requests under way at the end."),
    ]

    static let cors: [FieldDescription] = [
        FieldDescription(
            "origins", .strings, standard: "[]", "Origins of web pages, such as `\"https://app.example.com\"` (R2).")
    ]

    static let reload: [FieldDescription] = [
        FieldDescription(
            "watch", .boolean, standard: "true",
            "Whether the file, and every file that it names, is looked at for changes; SIGHUP has it read in any case."),
        FieldDescription(
            "interval", .duration(100...3_600_000), standard: "\"5s\"", "From one look to the next."),
    ]

    private static let previous = FieldDescription(
        "previous",
        .objects([
            FieldDescription("accessKey", .string, required: true, "The public half of the pair."),
            FieldDescription("secretKey", .secret, required: true, "The secret half."),
            FieldDescription("until", .time, required: true, "When nothing that it has signed is believed any more."),
        ]), standard: "[]",
        "Pairs that signed before: what they have signed is still known (callbacks, `inspect`), and nothing new is signed."
    )

    static let authentication: [FieldDescription] = [
        FieldDescription("apiKeys", .objects(apiKey), standard: "[]", "Keys of programs; several may share an id."),
        FieldDescription(
            "jwt", .objects(jwt), standard: "[]", "Issuers of tokens (JWT), each with an `issuer` of its own."),
        FieldDescription(
            "certificates", .objects(clientCertificate),
            "Callers who show a certificate of `server.tls.clientCAFile`."),
        FieldDescription(
            "rememberedTokens", .integer(0...1_000_000), standard: "10000",
            "Tokens that an event loop need not check anew each time; beyond it, a newer one takes an older one's place."
        ),
        FieldDescription("tickets", .object(tickets), "URL tickets, for clients that can send no header (R11)."),
        FieldDescription(
            "deny", .strings, standard: "[]",
            "Callers that get nothing: `\"apiKey:ID\"`, `\"jwt:ID/SUBJECT\"`, `\"certificate:ID\"`, `\"ticket:ID\"` (R12)."
        ),
    ]

    static let tickets: [FieldDescription] = [
        FieldDescription(
            "secret", .secret, "What tickets are signed with, at least 32 bytes (R10); without it there are none."),
        FieldDescription(
            "maxLifetime", .duration(1000...2_592_000_000), standard: "\"1h\"", "The longest that a ticket may hold."),
    ]

    static let apiKey: [FieldDescription] = [
        FieldDescription("id", .string, required: true, "Who has the key."),
        FieldDescription(
            "sha256", .string, required: true, "The SHA-256 of the key in hex; `countersign hash-key` makes both."),
        FieldDescription("notAfter", .time, "When the key ends."),
    ]

    static let jwt: [FieldDescription] = [
        FieldDescription("id", .string, required: true, "What its callers are called by: `\"jwt:ID\"`."),
        FieldDescription("issuer", .string, required: true, "The `iss` of its tokens, byte for byte."),
        FieldDescription("audience", .string, required: true, "What must be in their `aud`."),
        FieldDescription(
            "algorithms", .strings, required: true,
            "What they may be signed by: `HS256` alone, or some of `RS256`, `PS256`, `ES256` and `EdDSA`."),
        FieldDescription(
            "jwksUrl", .string, "Where its public keys are fetched, as a JWK set: https, or http on this machine."),
        FieldDescription(
            "jwksRefresh", .duration(1_000...86_400_000), standard: "\"10m\"",
            "From one fetching of `jwksUrl` to the next; sooner for a `kid` that is not known."),
        FieldDescription(
            "jwksKeep", .duration(1_000...2_592_000_000), standard: "\"1d\"",
            "How long the keys of `jwksUrl` are used while they cannot be fetched again."),
        FieldDescription("jwksFile", .string, "A file of its public keys, as a JWK set (RFC 7517)."),
        FieldDescription("publicKeyFile", .string, "A file of its one public key, in PEM."),
        FieldDescription("secret", .secret, "The secret of HS256, at least 32 bytes (R10)."),
        FieldDescription(
            "leeway", .duration(0...600_000), standard: "\"30s\"", "By how much its clock and ours may differ."),
    ]

    static let clientCertificate: [FieldDescription] = [
        FieldDescription("id", .string, required: true, "What the caller is called by: `\"certificate:ID\"`."),
        FieldDescription(
            "san", .strings, required: true,
            "Alternative names, of which the certificate has one: `\"dns:backend.example.com\"`, "
                + "`\"uri:spiffe://example.com/backend\"`, `\"email:ops@example.com\"`; byte for byte."),
    ]

    static let rateLimit: [FieldDescription] = [
        FieldDescription(
            "perAddress", .rate,
            "Requests of one address, of a whole /64 with IPv6; beyond it 429. None by default, since mobile carriers share them."
        ),
        FieldDescription(
            "perCaller", .rate, "Requests of one caller, over all grants; of one address for `anonymous`."),
        FieldDescription(
            "identities", .integer(64...16_777_216), standard: "65536", fixed: true,
            "Addresses that are counted apart at a time, and as many callers that have authenticated; 16 bytes each. Beyond it the one that has used least gives way."
        ),
    ]

    /// What `POST /explain` is asked, and a policy test asks.
    package static let inquiry: [FieldDescription] = [
        FieldDescription(
            "caller", .string, required: true,
            "Who asks: `\"anonymous\"`, `\"apiKey:ID\"`, `\"certificate:ID\"` or `\"jwt:ID/SUBJECT\"`."),
        FieldDescription(
            "claims", .json(maximumLength: 8192),
            "What the caller's token says beside `sub` and `iss`; its `exp` is when it ends."),
        FieldDescription("route", .string, required: true, "What is asked for, such as `qiniu.uptoken`."),
        FieldDescription("grant", .string, "The grant that is named, as the parameter `grant` does."),
        FieldDescription(
            "parameters", .json(maximumLength: 65_536), "What is asked, as a POST to the route has it."),
        FieldDescription("at", .time, "When it is asked; without it, now."),
    ]

    static let policyTest: [FieldDescription] =
        [
            FieldDescription("name", .string, "What the test is called where it fails.")
        ] + inquiry + [
            FieldDescription(
                "expect", .string, required: true,
                "`\"allow\"`, `\"deny\"`, or the `code` of the refusal, such as `\"not_in_grant\"`."),
            FieldDescription(
                "gives", .object(expectedGift), "What is allowed must be this; what is not said may be any."),
        ]

    private static let expectedGift: [FieldDescription] = [
        FieldDescription("grant", .string, "The grant by which it is allowed."),
        FieldDescription("bucket", .string, "The bucket."),
        FieldDescription("key", .string, "The whole key, or the prefix where what is given is for one."),
        FieldDescription(
            "limitedBy", .choice(["requested", "grant", "caller"]), "What says when that ends (R5)."),
        FieldDescription("lifetime", .duration(1000...2_592_000_000), "For how long it holds."),
    ]

    static let callbackKeys: [FieldDescription] = [
        FieldDescription(
            "remembered", .integer(1...10_000), standard: "64", "Keys that are remembered, or being fetched, at a time."
        ),
        FieldDescription(
            "refresh", .duration(1_000...86_400_000), standard: "\"1h\"",
            "How old a key is when it is fetched again, while it is used."),
        FieldDescription(
            "keep", .duration(1_000...2_592_000_000), standard: "\"1d\"",
            "How old a key may be that is used while it cannot be fetched again."),
        FieldDescription(
            "callsPerSecond", .integer(1...1000), standard: "10", "Calls for the vendor's usual key, at most."),
        FieldDescription(
            "strangeCallsPerSecond", .integer(1...1000), standard: "1",
            "Calls for keys of other versions than the vendor's usual one, which anybody may make up; five times as many at once."
        ),
        FieldDescription(
            "waiting", .integer(1...100_000), standard: "512",
            "Callbacks that may wait for keys in an event loop; beyond it 503."),
    ]

    static let grantRate: [FieldDescription] = [
        FieldDescription(
            "perCaller", .rate, "What one caller gets by the grant; one address of `anonymous`. Beyond it 429."),
        FieldDescription("perGrant", .rate, "What all callers get by the grant together."),
    ]

    static let audit: [FieldDescription] = [
        FieldDescription(
            "file", .string, required: true, fixed: true,
            "Where the lines are written; files that are full are set aside beside it."),
        FieldDescription(
            "key", .secret, required: true, fixed: true,
            "What the lines are chained by, at least 32 bytes (R10); `countersign audit verify` needs it."),
        FieldDescription(
            "durability", .choice(["none", "batch", "each"]), standard: "\"batch\"", fixed: true,
            "What an answer waits for: nothing; until the disk has its line, with all that came meanwhile; or with no other."
        ),
        FieldDescription(
            "failClosed", .boolean, standard: "true", fixed: true,
            "Whether nothing is issued (503) while no line can be written; else lost lines are counted."),
        FieldDescription(
            "maxSize", .size(4096...1_099_511_627_776), standard: "\"100MiB\"", fixed: true,
            "The size from which on a new file is begun, which goes on from the old one."),
        FieldDescription(
            "queue", .integer(16...1_000_000), standard: "10000", fixed: true,
            "Lines of one event loop that may wait for the disk; beyond it 503. Refusals fill at most half of it."),
        FieldDescription(
            "deniedPerMinute", .integer(1...1_000_000), standard: "600", fixed: true,
            "Refusals of one caller that have a line of their own in a minute, in each event loop; beyond it they are counted."
        ),
    ]

    static let log: [FieldDescription] = [
        FieldDescription(
            "level", .choice(["debug", "info", "warning", "error"]), standard: "\"info\"", "The least that is told."),
        FieldDescription(
            "format", .choice(["text", "json"]), standard: "\"json\"", "Lines for people or for programs."),
        FieldDescription(
            "requests", .boolean, standard: "false",
            "Whether each request is told, at level info: its id, path, status and client, and never a query."),
        FieldDescription(
            "buffer", .size(4096...67_108_864), standard: "\"1MiB\"",
            "What may wait to be written when nobody reads the log; beyond it lines are lost, and counted."),
    ]

    /// The keys of a credential of a provider.
    package static func credential(of provider: ProviderDescription) -> [FieldDescription] {
        [
            FieldDescription(
                "provider", .choice(Registry.providers.map(\.name)), required: true, "Whose keys these are."),
            FieldDescription(
                "accessKey", .string,
                "The public half of the pair; needed, unless it is made up (`sandbox`) or comes from elsewhere (`identity`)."
            ),
            FieldDescription("secretKey", .secret, "The secret half, needed likewise."),
        ] + provider.credentialFields + (provider.givesSessions ? [sessionLimits] : [previous, sandbox])
    }

    private static let sandbox = FieldDescription(
        "sandbox", .boolean, standard: "false",
        "Whether this is a made-up pair to try with, of which is generated what is not given; "
            + "for `sts` it is said by `endpoints: \"sandbox\"`.")

    private static let sessionLimits = FieldDescription(
        "limits",
        .object([
            FieldDescription(
                "callTimeout", .duration(100...60_000), standard: "\"6s\"",
                "One call for a session, with all its attempts and the pauses between them."),
            FieldDescription(
                "attemptTimeout", .duration(100...30_000), standard: "\"2s\"",
                "One attempt, from the connection to the answer's last byte; at most `callTimeout`."),
            FieldDescription("attempts", .integer(1...10), standard: "4", "Attempts of one call, over all endpoints."),
            FieldDescription(
                "callsPerSecond", .integer(1...1000), standard: "50",
                "Calls that may be begun in a second; the vendor takes 100 of an account, all its users together."),
            FieldDescription(
                "callBurst", .integer(1...1000), standard: "50",
                "Calls that may be begun at once after a silence."),
            FieldDescription(
                "callsPerCaller", .rate, standard: "\"30/min\"",
                "Calls that may be begun for one caller, whatever sessions it asks for; of one address for `anonymous`. "
                    + "Beyond it 429 for sessions that are not remembered."),
            FieldDescription(
                "sessions", .integer(2...1_000_000), standard: "10000",
                "Sessions that are remembered at a time, the service's own key among them."),
            FieldDescription(
                "waiters", .integer(1...1_000_000), standard: "16384", "Requests that may wait in all; beyond it 503."),
            FieldDescription(
                "waitersPerSession", .integer(1...1_000_000), standard: "4096",
                "Requests that may wait for one session, and those of one caller in all. Where more than half of them wait, "
                    + "a caller has as many as it leaves free. Beyond it 503."),
            FieldDescription(
                "patience", .duration(100...60_000), standard: "\"1500ms\"",
                "How long a request may wait; then it is told to come back."),
        ]), "How often, how long and for how many the vendor is asked.")

    private static let callers: [FieldDescription] = [
        FieldDescription(
            "callers", .strings, required: true,
            "`\"anonymous\"`, `\"authenticated\"`, `\"apiKey:ID\"`, `\"jwt:ID\"` or `\"certificate:ID\"`; "
                + "several as a list."),
        FieldDescription(
            "where", .members,
            "What callers' claims must be: `{ \"claims.scope\": [\"upload\"] }`; one value of each list."),
        FieldDescription(
            "public", .boolean, standard: "false", "Must be true for a grant that `anonymous` may use (R10)."),
        FieldDescription(
            "unscoped", .boolean, standard: "false",
            "Must be true for a grant that leaves bucket or key open, or whose route gives something of the whole account."
        ),
    ]

    private static func scope(of route: GrantScope) -> [FieldDescription] {
        var fields: [FieldDescription] = []
        if route.contains(.bucket) { fields.append(FieldDescription("bucket", .string, "The bucket.")) }
        if route.contains(.keyPrefix) {
            fields.append(FieldDescription("keyPrefix", .template, "What keys must begin with; ends in / (R13)."))
        }
        if route.contains(.key) {
            fields.append(FieldDescription("key", .template, "The one key that the server chooses (R13)."))
            fields.append(
                FieldDescription(
                    "extensions", .strings, "What `${ext}` in `key` may become; without it, any 1 to 8 of a-z 0-9."))
        }
        return fields
    }

    /// The keys of a grant of a route.
    package static func grant(of route: RouteDescription) -> [FieldDescription] {
        var fields = [
            FieldDescription(
                "route", .choice(Registry.routes.map(\.description.name)), required: true, "What is issued."),
            FieldDescription("credential", .string, required: true, "The credential that signs."),
        ]
        if route.hasCallers {
            fields += callers
            fields.append(FieldDescription("rate", .object(grantRate), "How often it may be used."))
        }
        fields += scope(of: route.scope)
        if let longest = route.longestLifetime {
            fields.append(
                FieldDescription(
                    "lifetime", .duration(route.shortestLifetime * 1000...longest * 1000),
                    "How long what is issued holds when nothing is asked: one hour, or `maxLifetime` if that is less."))
            fields.append(
                FieldDescription(
                    "maxLifetime", .duration(route.shortestLifetime * 1000...longest * 1000),
                    "The most a caller may ask for: `lifetime`, if this is not given."))
        }
        return fields + route.grantFields
    }
}
