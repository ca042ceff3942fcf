import Testing

@Suite(.timeLimit(.minutes(20)))
struct ServerMistakeTests {
    @Test(arguments: [
        Mistake("version: 1,", "version: 1 ‸!", "", "comma"),
        Mistake("version: 1,", "version: ‸,", "", "value"),
        Mistake("version: 1,", "version: ‸01,", "", "needless zero"),
        Mistake("version: 1,", "version: 1, ‸version: 1,", "", "only once: \"version\""),
        Mistake(
            "{ level: \"debug\", format: \"text\" }", "{ level: \"debug\", ‸\"level\": \"info\" }", "", "only once"),
        Mistake("format: \"text\" },\n}", "format: ‸'text\" },}", "", "quote"),
        Mistake("format: \"text\" },\n}", "format: \"text\" },\n‸", "", "the { of line 1, column 1 is not closed"),
        Mistake("workers: 2,", "workers: 2", "", "expected a comma or }; the { of line 3, column 11 is not closed")
            .at("limits: {\n      requestLine"),
        Mistake("workers: 2", "workers: ‸“2”", "", "straight quotes"),
        Mistake("workers: 2", "workers: ‸‘2’", "", "straight quotes"),
        Mistake("format: \"text\" },\n}", "format: \"text\" },\n} ‸{}", "", "end"),
        Mistake("format: \"text\" },\n}", "format: \"text\" },\n} ‸/* 中文", "", "*/"),
        Mistake("workers: 2", "/* 中文 */ workers: ‸both", "", "value"),
    ])
    func `refuses what is no JSON5 where it ends to be`(mistake: Mistake) throws { try mistake.check() }

    @Test(arguments: [
        Mistake("version: 1,", "version: 1, rateLimit: { ‸perAddress: \"60\" },", "rateLimit.perAddress", "\"60/min\""),
        Mistake("version: 1,", "version: 1, rateLimit: { ‸perCaller: \"0/s\" },", "rateLimit.perCaller", "from 1 to"),
        Mistake("version: 1,", "version: 1, rateLimit: { ‸identities: 63 },", "rateLimit.identities", "from 64 to"),
        Mistake(
            "deny: [", "tickets: { ‸secret: \"short\" }, deny: [", "authentication.tickets.secret", "at least 32"),
        Mistake(
            "deny: [", "tickets: { ‸maxLifetime: \"0s\" }, deny: [", "authentication.tickets.maxLifetime", "from 1s"),
    ])
    func `refuses rates that are none, and tickets that anybody could make`(mistake: Mistake) throws {
        try mistake.check()
    }

    @Test(arguments: [
        Mistake("version: 1,", "‸versoin: 1,", "versoin", "did you mean version?"),
        Mistake(
            "version: 1,", "version: 1, ‸tls: {},", "tls",
            "there are admin, audit, authentication, brake, callbackKeys, cluster, credentials"),
        Mistake("version: 1,", "version: 1, ‸rateLimits: {},", "rateLimits", "did you mean rateLimit?"),
        Mistake("version: 1,", "version: 1, ‸policyTest: {},", "policyTest", "is not known"),
        Mistake("version: 1,", "version: 1, ‸\"\": {},", "[\"\"]", "is not known"),
        Mistake("version: 1,", "version: 1, ‸\"a.b\\n\": {},", "[\"a.b\\n\"]", "is not known"),
        Mistake("version: 1,", "version: 1, ‸\"\(long)\": {},", "[\"\(long.prefix(64))…\"]", "is not known"),
        Mistake("workers: 2", "‸worker: 2", "server.worker", "did you mean workers?"),
        Mistake("workers: 2", "workers: 2, tls: { ‸certificate: [] }", "server.tls.certificate", "mean certificates?"),
        Mistake("statusInBody: true", "‸statusInBodies: true", "server.statusInBodies", "did you mean statusInBody?"),
        Mistake("workers: 2", "workers: 2, ‸trustedProxy: []", "server.trustedProxy", "mean trustedProxies?"),
        Mistake("workers: 2", "workers: 2, ‸proxyprotocol: false", "server.proxyprotocol", "mean proxyProtocol?"),
        Mistake("deny: [", "‸sessions: {}, deny: [", "authentication.sessions", "is not known"),
        Mistake("body: 1000", "‸boddy: 1000", "server.limits.boddy", "did you mean body?"),
        Mistake(
            "deny: [\"apiKey:backend\"]", "‸tokens: []", "authentication.tokens",
            "there are apiKeys, certificates, deny, jwt, rememberedTokens"),
        Mistake("log: { level", "log: { ‸Level", "log.Level", "did you mean level?"),
        Mistake("{\n  version: 1,", "‸{", "", "needs version"),
        Mistake("version: 1", "‸version: 2", "version", "must be 1"),
        Mistake("version: 1", "‸version: \"1\"", "version", "must be 1"),
        Mistake("version: 1", "‸version: 1.0", "version", "must be 1"),
    ])
    func `names an unknown key and the nearest known one`(mistake: Mistake) throws { try mistake.check() }

    private static let long = String(repeating: "x", count: 100)

    @Test(arguments: [
        Mistake("workers: 2", "‸workers: -1", "server.workers", "from 0 to 256"),
        Mistake("workers: 2", "‸workers: 257", "server.workers", "from 0 to 256"),
        Mistake("workers: 2", "‸workers: 9223372036854775808", "server.workers", "from 0 to 256"),
        Mistake("workers: 2", "‸workers: 2.0", "server.workers", "whole number"),
        Mistake("workers: 2", "‸workers: NaN", "server.workers", "whole number"),
        Mistake("workers: 2", "‸workers: null", "server.workers", "whole number"),
        Mistake("headerCount: 50", "‸headerCount: 0", "server.limits.headerCount", "from 1 to 10000"),
        Mistake("connections: 500", "‸connections: 0", "server.limits.connections", "from 1"),
        Mistake("jsonDepth: 8", "‸jsonDepth: 129", "server.limits.jsonDepth", "to 128"),
        Mistake("body: 1000", "‸body: -1", "server.limits.body", "from 0B to 16MiB"),
        Mistake("body: 1000", "‸body: \"1000\"", "server.limits.body", "such as \"8KiB\""),
        Mistake("body: 1000", "‸body: \"1GiB\"", "server.limits.body", "such as \"8KiB\""),
        Mistake("body: 1000", "‸body: \"17MiB\"", "server.limits.body", "to 16MiB"),
        Mistake("body: 1000", "‸body: \"9223372036854775807KiB\"", "server.limits.body", "to 16MiB"),
        Mistake("requestLine: \"4KiB\"", "‸requestLine: 63", "server.limits.requestLine", "from 64B to 64KiB"),
        Mistake("\"5s\"", "\"10 s\"", "server.limits.headerTimeout", "such as \"10s\"").at("headerTimeout"),
        Mistake("\"5s\"", "\"1.5h\"", "server.limits.headerTimeout", "from 100ms to 10m").at("headerTimeout"),
        Mistake("\"5s\"", "\"-1s\"", "server.limits.headerTimeout", "such as").at("headerTimeout"),
        Mistake("\"5s\"", "\"0s\"", "server.limits.headerTimeout", "from 100ms").at("headerTimeout"),
        Mistake("\"5s\"", "\"05s\"", "server.limits.headerTimeout", "such as").at("headerTimeout"),
        Mistake("\"5s\"", "\"s\"", "server.limits.headerTimeout", "such as").at("headerTimeout"),
        Mistake("\"5s\"", "\"9223372036854775808s\"", "server.limits.headerTimeout", "such as").at("headerTimeout"),
        Mistake("\"5s\"", "\"9223372036854775807d\"", "server.limits.headerTimeout", "such as").at("headerTimeout"),
        Mistake("\"5s\"", "5000", "server.limits.headerTimeout", "such as").at("headerTimeout"),
    ])
    func `holds numbers, sizes and durations to their bounds`(mistake: Mistake) throws { try mistake.check() }

    @Test(arguments: [
        Mistake("\"[::1]:8080\"]", "‸\"localhost\"]", "server.listen[1]", "numeric address and a port"),
        Mistake("\"[::1]:8080\"]", "‸\"::1:8080\"]", "server.listen[1]", "numeric address"),
        Mistake("\"[::1]:8080\"]", "‸\"[::1]:65536\"]", "server.listen[1]", "from 0 to 65535"),
        Mistake("\"[::1]:8080\"]", "‸\"127.0.0.1:080\"]", "server.listen[1]", "numeric address"),
        Mistake("\"[::1]:8080\"]", "‸\"example.com:80\"]", "server.listen[1]", "numeric address"),
        Mistake("\"[::1]:8080\"]", "‸\"unix:c.sock\"]", "server.listen[1]", "absolute path"),
        Mistake("\"[::1]:8080\"]", "‸\"unix:\"]", "server.listen[1]", "absolute path"),
        Mistake("\"[::1]:8080\"]", "‸\"unix:/\(long)\(long)\"]", "server.listen[1]", "at most 107 bytes"),
        Mistake("\"[::1]:8080\"]", "‸\"/run/c.sock\"]", "server.listen[1]", "numeric address"),
        Mistake("\"[::1]:8080\"]", "‸\"0.0.0.0:8080\"]", "server.listen[1]", "server.tls, or server.plaintext: true"),
        Mistake("\"[::1]:8080\"]", "‸\"[::]:8080\"]", "server.listen[1]", "server.plaintext: true"),
        Mistake("\"[::1]:8080\"]", "‸\"192.0.2.1:1\"]", "server.listen[1]", "loopback"),
        Mistake("\"[::1]:8080\"]", "‸\"127.0.0.1:8080\"]", "server.listen[1]", "in the list already"),
        Mistake("\"[::1]:8080\"]", "‸8080]", "server.listen[1]", "string"),
        Mistake("\"[::1]:8080\"]", "‸\"\"]", "server.listen[1]", "empty"),
        Mistake("listen: [\"127.0.0.1:8080\", \"[::1]:8080\"]", "‸listen: \"0:1\"", "server.listen", "numeric"),
        Mistake("listen: [\"127.0.0.1:8080\", \"[::1]:8080\"]", "‸listen: []", "server.listen", "at least one"),
        Mistake("listen: [\"127.0.0.1:8080\", \"[::1]:8080\"]", "‸listen: {}", "server.listen", "list of strings"),
        Mistake("statusInBody: true", "‸statusInBody: 200", "server.statusInBody", "true or false"),
        Mistake("plaintext: false", "‸plaintext: 0", "server.plaintext", "true or false"),
        Mistake("plaintext: false", "‸plaintext: \"true\"", "server.plaintext", "true or false"),
        Mistake("\"tokens.example.com\"", "‸\"https://tokens.example.com\"", "server.hosts[0]", "without scheme"),
        Mistake("\"tokens.example.com\"", "‸\"tokens.example.com:443\"", "server.hosts[0]", "without scheme and port"),
        Mistake("\"tokens.example.com\"", "‸\"*.example.com\"", "server.hosts[0]", "host name"),
        Mistake("\"tokens.example.com\"", "‸\"[::g]\"", "server.hosts[0]", "host name"),
        Mistake("transport: \"epoll\"", "‸transport: \"kqueue\"", "server.transport", "\"epoll\" or \"dispatch\""),
        Mistake("level: \"debug\"", "‸level: \"verbose\"", "log.level", "\"debug\" or \"info\""),
    ])
    func `refuses addresses and names that nobody can listen on or be called by`(mistake: Mistake) throws {
        try mistake.check()
    }

    @Test(arguments: [
        Mistake(
            "workers: 2", "workers: 2, trustedProxies: [‸\"10.0.0.1/8\"]", "server.trustedProxies[0]",
            "beyond its prefix"),
        Mistake(
            "workers: 2", "workers: 2, trustedProxies: [‸\"proxy.example.com\"]", "server.trustedProxies[0]",
            "an address"),
        Mistake("workers: 2", "workers: 2, trustedProxies: [‸\"10.0.0.0/33\"]", "server.trustedProxies[0]", "a block"),
        Mistake(
            "workers: 2", "workers: 2, trustedProxies: [‸\"unix:/run/c.sock\"]", "server.trustedProxies[0]", "\"unix:\""
        ),
        Mistake(
            "workers: 2", "workers: 2, trustedProxies: [‸\"0.0.0.0/0\"]", "server.trustedProxies[0]", "is everybody"),
        Mistake(
            "workers: 2", "workers: 2, trustedProxies: [\"unix:\", ‸\"::/0\"]", "server.trustedProxies[1]",
            "is everybody"),
        Mistake(
            "workers: 2", "workers: 2, ‸proxyProtocol: true", "server.proxyProtocol", "needs server.trustedProxies"),
        Mistake(
            "body: 1000", "‸body: \"16MiB\", buffers: \"16MiB\"", "server.limits.body",
            "less than server.limits.buffers"),
        Mistake("body: 1000", "body: 1000, ‸buffers: 1000", "server.limits.buffers", "from 1MiB to 1GiB"),
        Mistake(
            "connectionBuffer: \"8KiB\"", "‸connectionBuffer: \"65KiB\"", "server.limits.connectionBuffer",
            "from 0B to 64KiB"),
    ])
    func `refuses proxies that everybody could be, and limits that contradict each other`(mistake: Mistake) throws {
        try mistake.check()
    }

    @Test(arguments: [
        "errors", "ftp://a.example/", "https://a.example/ errors", "https://a.example/<errors>", "/\u{E9}",
        "https://a.example/" + String(repeating: "a", count: 183),
    ])
    func `an errorReference that is no URL or path, or is too long, is rejected`(text: String) throws {
        try Mistake(
            "workers: 2,", "workers: 2, ‸errorReference: \"\(text)\",", "server.errorReference", "a URL or a path"
        )
        .check()
    }

    @Test(
        "refuses origins that no browser sends (R2)",
        arguments: [
            "*", "null", "app.example.com", "https://", "https://*", "https://App.example.com", "HTTPS://a.example",
            "https://a.example/", "https://a.example:443", "http://a.example:80", "https://a.example:", "https://a:0",
            "https://a:65536", "https://a.example?", "https://u@a.example", "https://[::1", "://a", "https//a",
        ])
    func origins(origin: String) throws {
        try Mistake(
            "\"https://app.example.com\", \"http", "‸\"\(origin)\", \"http", "server.cors.origins[0]", "an origin"
        )
        .check()
    }

    @Test(arguments: [
        Mistake(
            "version: 1,", "version: 1, ‸audit: { key: 'a-key-of-32-bytes-and-not-one-less' },", "audit", "needs file"),
        Mistake("version: 1,", "version: 1, ‸audit: { file: 'a' },", "audit", "needs key"),
        Mistake("version: 1,", "version: 1, audit: { file: 'a', ‸key: 'short' },", "audit.key", "at least 32 bytes"),
        Mistake(
            "version: 1,", "version: 1, audit: { file: 'a', key: 'a-key-of-32-bytes-and-not-one-less', ‸queue: 15 },",
            "audit.queue", "from 16 to"),
        Mistake(
            "version: 1,",
            "version: 1, audit: { file: 'a', key: 'a-key-of-32-bytes-and-not-one-less', ‸maxSize: '4095B' },",
            "audit.maxSize", "from 4KiB"),
    ])
    func `refuses an audit that could not be written, or that anybody could write`(mistake: Mistake) throws {
        try mistake.check()
    }

    @Test(arguments: [
        Mistake("\"/sign\": \"oss", "‸\"sign\": \"oss", "server.aliases.sign", "begins with /"),
        Mistake("\"/sign\": \"oss", "‸\"/a?b\": \"oss", "server.aliases[\"/a?b\"]", "without query"),
        Mistake("\"/sign\": \"oss", "‸\"/a#b\": \"oss", "server.aliases[\"/a#b\"]", "path"),
        Mistake("\"/sign\": \"oss", "‸\"/名\": \"oss", "server.aliases[\"/名\"]", "characters"),
        Mistake("\"/sign\": \"oss", "‸\"/oss/sign\": \"oss", "server.aliases[\"/oss/sign\"]", "service's own"),
        Mistake("\"/sign\": \"oss", "‸\"/livez\": \"oss", "server.aliases[\"/livez\"]", "service's own"),
        Mistake("\"/sign\": \"oss.sign\"", "‸\"/sign\": \"oss.sing\"", "server.aliases[\"/sign\"]", "mean oss.sign?"),
        Mistake(
            "\"/sign\": \"oss.sign\"", "‸\"/sign\": \"x\"", "server.aliases[\"/sign\"]",
            "is not known; there are "),
        Mistake("\"/sign\": \"oss.sign\"", "‸\"/sign\": 1", "server.aliases[\"/sign\"]", "one of qiniu.uptoken"),
        Mistake(
            "aliases: { \"/api/uptoken\": \"qiniu.uptoken\", \"/sign\": \"oss.sign\" }", "‸aliases: []",
            "server.aliases", "object { name"),
    ])
    func `refuses aliases that lead nowhere or hide a path`(mistake: Mistake) throws { try mistake.check() }
}
