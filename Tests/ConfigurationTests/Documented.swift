import Access
import Providers
import Testing

@testable import Configuration

/// Every key that the descriptions name, with its path in a configuration that has what the key needs.
struct Documented: Sendable, CustomTestStringConvertible {
    /// Names; `[]` for the element of a list.
    let path: [String]
    let field: FieldDescription
    /// The route or the provider, where the key belongs to one.
    let owner: String

    /// The path as an operator writes it.
    var name: String { path.joined(separator: ".").replacing(".[]", with: "[]") }
    var testDescription: String { owner.isEmpty ? name : "\(owner): \(name)" }

    static let all: [Documented] =
        flatten(Schema.root.descriptions, below: [], of: "")
        + Registry.providers.flatMap {
            flatten(Schema.credential(of: $0), below: ["credentials", $0.name], of: $0.name)
        }
        + Registry.routes.flatMap {
            flatten(Schema.grant(of: $0.description), below: ["grants", "g"], of: $0.description.name)
        }

    private static func flatten(_ fields: [FieldDescription], below path: [String], of owner: String) -> [Documented] {
        fields.flatMap { field -> [Documented] in
            let fieldPath = path + [field.name]
            let inner: [Documented] =
                switch field.kind {
                case .object(let fields): flatten(fields, below: fieldPath, of: owner)
                case .objects(let fields): flatten(fields, below: fieldPath + ["[]"], of: owner)
                default: []
                }
            return [Documented(path: fieldPath, field: field, owner: owner)] + inner
        }
    }

    // MARK: A configuration around it

    /// A configuration with what the key needs, and with the given text for the key itself, or without it.
    func configuration(with value: String?) -> String {
        var tree = Tree.object([])
        var settings = [("version", "1"), ("credentials", "{}"), ("grants", "{}")]
        if path.first == "authentication" || path.first == "grants" {
            settings += [
                ("authentication.apiKeys.[].id", "\"a\""),
                ("authentication.apiKeys.[].sha256", "\"\(Sample.digest)\""),
            ]
        }
        if path.first == "admin", path.contains("auth") {
            settings += [("admin.auth.[].id", "\"a\""), ("admin.auth.[].sha256", "\"\(Sample.digest)\"")]
        }
        if needsTokens { settings += Documented.tokens }
        if path.first == "policyTests", path.count > 1 {
            settings += [
                ("policyTests.[].caller", "\"anonymous\""), ("policyTests.[].route", "\"nos.token\""),
                ("policyTests.[].expect", "\"allow\""),
            ]
        }
        if name.contains(".previous[].") {
            settings += [("accessKey", "b"), ("secretKey", "s"), ("until", "2099-01-02T00:00:00Z")].map {
                ("credentials.\(owner).previous.[].\($0)", "\"\($1)\"")
            }
        }
        let route = Registry.routes.first { $0.description.name == owner }
        // One vendor's credential is enough: its own, its route's, or for all other keys that of the grants and tests around them.
        let used = path.first == "credentials" ? owner : route?.provider.name ?? "nos"
        for provider in Registry.providers where provider.name == used {
            let credential = "credentials.\(provider.name)"
            settings += [
                ("\(credential).provider", "\"\(provider.name)\""), ("\(credential).accessKey", "\"a\""),
                ("\(credential).secretKey", "\"s\""),
            ]
            for field in provider.credentialFields
            where field.isRequired || Documented.usual.contains("\(credential).\(field.name)") {
                settings.append(
                    ("\(credential).\(field.name)", Documented.values["\(credential).\(field.name)"] ?? "\"x\""))
            }
        }
        if let route {
            settings += [
                ("grants.g.route", "\"\(owner)\""), ("grants.g.credential", "\"\(route.provider.name)\""),
            ]
            if route.description.grant.hasCallers { settings.append(("grants.g.callers", "\"apiKey:a\"")) }
            let scope = route.description.grant.scope
            if scope.contains(.bucket) { settings.append(("grants.g.bucket", "\"bbb\"")) }
            if scope.contains(.keyPrefix) { settings.append(("grants.g.keyPrefix", "\"p/\"")) }
            if scope.isEmpty, route.description.grant.hasCallers { settings.append(("grants.g.unscoped", "true")) }
            for field in route.description.grant.fields where field.isRequired {
                let name = "grants.g.\(field.name)"
                settings.append(
                    (name, Documented.values["\(owner): \(name)"] ?? Documented.values[name] ?? "\"x\""))
            }
            for name in route.description.grant.credential.needs.map(\.name) {
                settings.append(("credentials.\(route.provider.name).\(name)", "\"x\""))
            }
        }
        for (path, text) in settings + (Documented.needs[testDescription] ?? Documented.needs[name] ?? []) + writing {
            tree.set(path.split(separator: ".").map(String.init)[...], to: text.isEmpty ? nil : text)
        }
        tree.set(path[...], to: value)
        return tree.written
    }

    /// Callbacks of signed requests are of those that write.
    private var writing: [(String, String)] {
        let signs = owner == "oss.authorization" || owner == "oss.presigned-url"
        return signs && path.contains("callback") ? [("grants.g.methods", "\"PUT\"")] : []
    }

    /// Whether the key is shown with an issuer of tokens.
    private var needsTokens: Bool {
        name.hasPrefix("authentication.jwt[]") || name == "authentication.rememberedTokens" || name == "grants.g.where"
    }

    private static let tokens = [
        ("id", "j"), ("issuer", "https://id.example.com"), ("audience", "a"), ("algorithms", "HS256"),
        ("secret", "a-secret-of-32-bytes-and-no-more"),
    ].map { ("authentication.jwt.[].\($0)", "\"\($1)\"") }

    private static let publicKeys = [
        ("authentication.jwt.[].secret", ""), ("authentication.jwt.[].algorithms", "\"RS256\""),
    ]

    private static let fetchedKeys =
        publicKeys + [
            ("authentication.jwt.[].jwksUrl", "\"https://id.example.com/keys\""),
            ("authentication.jwt.[].jwksRefresh", "\"5s\""),
        ]

    /// What else must be said where a key is used; an empty text takes a key out.
    private static let needs: [String: [(String, String)]] = [
        "server.tls.certificates[].names": certificate, "server.tls.certificates[].certificateFile": certificate,
        "server.tls.certificates[].keyFile": certificate,
        "server.tls.clientCAFile": certificate,
        "server.tls.crlFile": certificate + [("server.tls.clientCAFile", "\"authority.pem\"")],
        "audit.file": audit, "audit.key": audit, "audit.durability": audit, "audit.failClosed": audit,
        "audit.maxSize": audit, "audit.queue": audit, "audit.deniedPerMinute": audit,
        "brake.file": brake, "brake.entries": brake,
        "cluster.servers": cluster, "cluster.plaintext": cluster, "cluster.trustFile": cluster,
        "cluster.user": cluster + [("cluster.password", "\"p\"")], "cluster.password": cluster,
        "cluster.key": cluster, "cluster.previousKey": cluster, "cluster.prefix": cluster,
        "cluster.instance": cluster, "cluster.timeout": cluster, "cluster.lease": cluster,
        "cluster.replicas": cluster, "cluster.staleAfter": cluster, "cluster.whenStale": cluster,
        "server.plaintext": [("server.listen", "\"192.0.2.1:80\"")],
        "server.proxyProtocol": [("server.trustedProxies", "\"192.0.2.1\"")],
        "credentials.qiniu.cdnKey": Documented.granting("qiniu.cdn-url", by: "qiniu") + [("grants.g.domain", "\"x\"")],
        "credentials.nos.endpoint": Documented.granting("nos.presigned-url", by: "nos")
            + [("grants.g.bucket", "\"bbb\""), ("grants.g.methods", "\"GET\"")],
        "authentication.certificates": authorities, "authentication.certificates[].id": clientCertificate,
        "authentication.certificates[].san": clientCertificate,
        "authentication.jwt[].jwksUrl": publicKeys, "authentication.jwt[].jwksRefresh": fetchedKeys,
        "authentication.jwt[].jwksKeep": fetchedKeys, "authentication.jwt[].jwksFile": publicKeys,
        "authentication.jwt[].publicKeyFile": publicKeys,
        "defaults.grants": Documented.defaulted, "defaults.routes": Documented.defaulted,
        "grants.g.where": [("grants.g.callers", "\"jwt:j\"")],
        "credentials.oss.region": request, "credentials.oss.endpoint": request + [("credentials.oss.region", "\"x\"")],
        "oss.authorization: grants.g.query": [("grants.g.methods", "\"GET\"")],
        "oss.presigned-url: grants.g.query": [("grants.g.methods", "\"GET\"")],
        "oss.authorization: grants.g.maxSize": [("grants.g.versions", "\"v4\"")],
        "oss.presigned-url: grants.g.maxSize": [("grants.g.versions", "\"v4\"")],
        "oss.sign: grants.g.versions": [("credentials.oss.region", "\"x\"")],
        "oss.sign: grants.g.trustSignInfo": [
            ("credentials.oss.region", "\"x\""), ("grants.g.keyPrefix", ""), ("grants.g.unscoped", "true"),
        ],
        "credentials.s3.style": storage, "credentials.s3.sessionToken": storage,
        "s3.authorization: grants.g.query": [("grants.g.methods", "\"GET\"")],
        "s3.iceberg: grants.g.query": [("grants.g.methods", "\"GET\"")], "s3.iceberg: grants.g.unenforced": pieces,
        "s3.sign: grants.g.query": [("grants.g.methods", "\"GET\"")], "s3.sign: grants.g.unenforced": pieces,
        "s3.presigned-url: grants.g.query": [("grants.g.methods", "\"GET\"")],
        "s3.authorization: grants.g.unenforced": pieces, "s3.presigned-url: grants.g.unenforced": pieces,
        "grants.g.unenforced": [("grants.g.maxSize", "7")],
        "oss.rtmp-url: grants.g.unscoped": [("grants.g.bucket", "")],
        "grants.g.callback.callbackUrl": notice, "grants.g.callback.callbackHost": notice,
        "grants.g.callback.callbackBody": notice, "grants.g.callback.callbackBodyType": notice,
        "grants.g.callback.callbackSNI": notice,
        "grants.g.callback.endUser": notice + [("grants.g.callback.callbackBody", "\"${x:enduser}\"")],
        "authentication.tickets.maxLifetime": [("authentication.tickets.secret", "\"\(ticketSecret)\"")],
        "grants.g.public": [("grants.g.callers", "\"anonymous\"")],
        "grants.g.unscoped": [("grants.g.keyPrefix", "")],
        "grants.g.key": [("grants.g.keyPrefix", "")],
        "grants.g.extensions": [("grants.g.keyPrefix", ""), ("grants.g.key", "\"a.${ext}\"")],
        "grants.g.policy.forceSaveKey": [("grants.g.policy.saveKey", "\"p/x\"")],
        "grants.g.policy.callbackUrl": [("grants.g.policy.callbackBody", "\"x\"")],
        "grants.g.policy.callbackBody": [("grants.g.policy.callbackUrl", "\"http://x\"")],
        "grants.g.policy.callbackHost": callback, "grants.g.policy.callbackBodyType": callback,
        "credentials.sts.ossEndpoint": Documented.granting("oss.presigned-url", by: "sts")
            + [
                ("grants.g.bucket", "\"bbb\""), ("grants.g.methods", "\"GET\""),
                ("credentials.sts.region", "\"cn-hangzhou\""),
            ],
        "credentials.sts.sandbox": [("credentials.sts.endpoints", "\"http://127.0.0.1:8090\"")],
        "credentials.sts.identity": noKeys, "credentials.sts.oidcRoleArn": oidc,
        "credentials.sts.oidcProviderArn": oidc, "credentials.sts.oidcTokenFile": oidc,
        "credentials.sts.ecsRole": noKeys + [("credentials.sts.identity", "\"ecs\"")],
        "credentials.aws-sts.roleArn": server,
        "credentials.aws-sts.s3Endpoint": session,
        "credentials.aws-sts.partition": session + server + [("credentials.aws-sts.roleArn", "")],
        "credentials.aws-sts.call": server + [("credentials.aws-sts.roleArn", "")],
        "credentials.aws-sts.webIdentityTokenFile": [
            ("credentials.aws-sts.call", "\"webIdentity\""), ("credentials.aws-sts.accessKey", ""),
            ("credentials.aws-sts.secretKey", ""),
        ],
        "credentials.aws-sts.sandbox": [("credentials.aws-sts.endpoints", "\"http://127.0.0.1:9000\"")],
        "grants.g.policy.transformFallbackMode": [("grants.g.policy.transform", "\"x\"")],
        "grants.g.policy.transformFallbackKey": [("grants.g.policy.transform", "\"x\"")],
        "grants.g.policy.callbackFetchKey": callback, "grants.g.policy.persistentNotifyUrl": operations,
        "grants.g.policy.persistentPipeline": operations, "grants.g.policy.persistentType": operations,
        "grants.g.policy.CallbackBody": [("grants.g.policy.CallbackUrl", "\"x\"")],
        "grants.g.policy.CallbackUrl": [("grants.g.policy.CallbackBody", "\"x\"")],
    ]

    private static let ticketSecret = "e2d41b9c07f83a6549b0c8517ed26fa3"

    /// Some fields of a credential say something only to grants of some routes.
    private static func granting(_ route: String, by provider: String) -> [(String, String)] {
        [
            ("grants.g.route", "\"\(route)\""), ("grants.g.credential", "\"\(provider)\""),
            ("grants.g.callers", "\"anonymous\""), ("grants.g.public", "true"), ("grants.g.keyPrefix", "\"p/\""),
        ]
    }

    private static let defaulted = granting("nos.token", by: "nos") + [("grants.g.bucket", "\"bbb\"")]
    private static let request =
        granting("oss.presigned-url", by: "oss") + [("grants.g.bucket", "\"bbb\""), ("grants.g.methods", "\"GET\"")]
    private static let storage =
        granting("s3.presigned-url", by: "s3") + [("grants.g.bucket", "\"bbb\""), ("grants.g.methods", "\"GET\"")]
    private static let pieces = [
        ("grants.g.maxSize", "7"), ("grants.g.methods", "\"PUT\""),
        ("grants.g.subresources", "[\"uploadId\",\"partNumber\"]"),
    ]
    private static let notice = [
        ("grants.g.callback.callbackUrl", "\"http://x\""), ("grants.g.callback.callbackBody", "\"x\""),
    ]
    private static let certificate = [
        ("server.tls.certificates.[].names", "\"localhost\""),
        ("server.tls.certificates.[].certificateFile", "\"tls.pem\""),
        ("server.tls.certificates.[].keyFile", "\"tls.key\""),
    ]
    private static let authorities = certificate + [("server.tls.clientCAFile", "\"authority.pem\"")]
    private static let clientCertificate =
        authorities + [
            ("authentication.certificates.[].id", "\"c\""), ("authentication.certificates.[].san", "\"dns:c\""),
        ]
    private static let brake = [("brake.file", "\"b.json\"")]
    private static let cluster = [
        ("cluster.servers", "\"redis://127.0.0.1:6379\""), ("cluster.key", "\"\(ticketSecret)\""),
    ]
    private static let audit = [("audit.file", "\"a.jsonl\""), ("audit.key", "\"\(ticketSecret)\"")]
    private static let callback = [
        ("grants.g.policy.callbackUrl", "\"http://x\""), ("grants.g.policy.callbackBody", "\"x\""),
    ]
    private static let operations = [("grants.g.policy.persistentOps", "\"x\"")]

    /// Not required, but most configurations of the provider need it.
    private static let usual = ["credentials.aws-sts.roleArn"]
    private static let session =
        granting("s3.credentials", by: "aws-sts")
        + [("grants.g.bucket", "\"bbb\""), ("grants.g.actions", "\"s3:PutObject\"")]
    private static let server = [("credentials.aws-sts.endpoints", "\"https://s3.example.com\"")]

    private static let noKeys = [("credentials.sts.accessKey", ""), ("credentials.sts.secretKey", "")]
    private static let oidc = noKeys + [("credentials.sts.identity", "\"oidc\"")]

    // MARK: Values

    /// A value that may stand there, other than the standard.
    var goodValue: String {
        switch path.last {
        case "route" where !owner.isEmpty, "provider": "\"\(owner)\""
        case "previous": "[{accessKey:\"b\",secretKey:\"s\",until:\"2099-01-01T00:00:00Z\"}]"
        case "credential": "\"\(Registry.routes.first { $0.description.name == owner }?.provider.name ?? "")\""
        default: Documented.values[testDescription] ?? Documented.values[name] ?? Documented.value(of: field)
        }
    }

    /// Where the kind alone does not tell what may stand there.
    private static let values: [String: String] = [
        "server.publicURL": "\"https://t.example.com\"",
        "server.errorReference": "\"https://docs.example.com/errors#\"",
        "policyTests": "[{caller:\"anonymous\",route:\"nos.token\",expect:\"deny\"}]",
        "policyTests[].caller": "\"anonymous\"", "policyTests[].route": "\"oss.sign\"",
        "defaults.grants": "{\"lifetime\":\"1m\"}", "defaults.routes": "{\"nos.token\":{\"lifetime\":\"1m\"}}",
        "policyTests[].address": "\"192.0.2.1\"", "grants.g.addresses": "[\"10.0.0.0/8\",\"2001:db8::/32\"]",
        "grants.g.publicURL": "\"https://app.example.com/done\"", "grants.g.schemes": "\"qiniu\"",
        "grants.g.reply": "{}", "authentication.tickets.secret": "\"\(ticketSecret)\"",
        "admin.listen": "\"127.0.0.1:1\"", "admin.auth": "[{\"id\":\"b\",\"sha256\":\"\(Sample.otherDigest)\"}]",
        "admin.auth[].sha256": "\"\(Sample.otherDigest)\"",
        "server.trustedProxies": "\"10.0.0.0/8\"",
        "brake": "{file:\"b.json\"}",
        "cluster": "{servers:\"redis://127.0.0.1:6379\",key:\"\(ticketSecret)\"}",
        "cluster.servers": "\"redis://127.0.0.1:6379\"", "cluster.key": "\"\(ticketSecret)\"",
        "cluster.previousKey": "\"\(ticketSecret)\"", "cluster.trustFile": "\"authority.pem\"",
        "audit": "{file:\"a.jsonl\",key:\"\(ticketSecret)\"}", "audit.key": "\"\(ticketSecret)\"",
        "server.listen": "\"127.0.0.1:1\"", "server.hosts": "\"*\"", "server.cors.origins": "[\"https://a.example\"]",
        "server.tls": "{\"certificates\":\(certificates)}", "server.tls.certificates": certificates,
        "server.tls.certificates[].names": "\"sts.test\"", "server.tls.certificates[].certificateFile": "\"tls.pem\"",
        "server.tls.certificates[].keyFile": "\"tls.key\"",
        "server.tls.clientCAFile": "\"authority.pem\"", "server.tls.crlFile": "\"authority.crl\"",
        "server.aliases": "{\"/a\":\"oss.sign\"}", "credentials": "{}", "grants": "{}",
        "authentication.apiKeys": "[{\"id\":\"b\",\"sha256\":\"\(Sample.otherDigest)\"}]",
        "authentication.apiKeys[].sha256": "\"\(Sample.otherDigest)\"", "authentication.deny": "\"apiKey:a\"",
        "authentication.jwt":
            "[{id:\"j\",issuer:\"i\",audience:\"a\",algorithms:\"HS256\",secret:\"a-secret-of-32-bytes-and-no-more\"}]",
        "authentication.certificates": "[{\"id\":\"c\",\"san\":\"dns:c\"}]",
        "authentication.certificates[].san": "\"uri:spiffe://example.com/c\"", "callbackKeys.keep": "\"2d\"",
        "authentication.jwt[].algorithms": "[\"HS256\"]", "authentication.jwt[].jwksFile": "\"jwks.json\"",
        "authentication.jwt[].jwksUrl": "\"https://id.example.com/keys\"", "authentication.jwt[].jwksKeep": "\"2d\"",
        "authentication.jwt[].publicKeyFile": "\"issuer.pem\"", "grants.g.where": "{\"claims.a\":\"b\"}",
        "authentication.jwt[].secret": "\"another-secret-of-more-than-32-bytes\"",
        "grants.g.callers": "\"authenticated\"", "grants.g.choose": "\"fsizeMin\"", "grants.g.methods": "\"HEAD\"",
        "grants.g.headers": "\"content-type\"", "oss.sign: grants.g.headers": "\"x-oss-meta-a\"",
        "grants.g.policy.saveKey": "\"p/x\"",
        "grants.g.actions": "\"oss:PutObject\"", "credentials.sts.roleArn": "\"acs:ram::1:role/a\"",
        "credentials.sts.endpoints": "\"https://sts.example.com\"", "credentials.sts.region": "\"cn-hangzhou\"",
        "credentials.aws-sts.roleArn": "\"arn:aws:iam::111122223333:role/a\"",
        "credentials.aws-sts.region": "\"eu-west-1\"", "credentials.aws-sts.caFile": "\"ca.pem\"",
        "credentials.aws-sts.endpoints": "\"https://s3.example.com\"",
        "credentials.aws-sts.s3Endpoint": "\"s3.example.com\"", "credentials.aws-sts.partition": "\"aws-cn\"",
        "credentials.aws-sts.webIdentityTokenFile": "\"oidc-token\"",
        "credentials.aws-sts.limits.callTimeout": "\"9s\"",
        "s3.credentials: grants.g.actions": "\"s3:PutObject\"", "s3.sts: grants.g.actions": "\"s3:PutObject\"",
        "credentials.sts.caFile": "\"ca.pem\"", "credentials.sts.oidcRoleArn": "\"acs:ram::1:role/b\"",
        "credentials.sts.oidcProviderArn": "\"acs:ram::1:oidc-provider/b\"",
        "credentials.sts.oidcTokenFile": "\"oidc-token\"", "credentials.sts.limits.callTimeout": "\"9s\"",
        "grants.g.domain": "\"cdn.example.com\"", "grants.g.operations": "\"stat\"",
        "s3.authorization: grants.g.query": "\"response-expires\"", "s3.sign: grants.g.query": "\"response-expires\"",
        "s3.presigned-url: grants.g.query": "\"response-expires\"",
        "s3.iceberg: grants.g.query": "\"response-expires\"",
        "credentials.s3.region": "\"eu-west-2\"", "credentials.s3.endpoint": "\"s3.example.com\"",
        "nos.authorization: grants.g.query": "\"versionId\"", "nos.presigned-url: grants.g.query": "\"versionId\"",
        "oss.authorization: grants.g.query": "\"response-expires\"",
        "oss.presigned-url: grants.g.query": "\"response-expires\"",
        "grants.g.subresources": "\"versionId\"", "grants.g.contentTypes": "\"image/*\"",
        "grants.g.versions": "\"v1\"", "grants.g.unenforced": "\"maxSize\"",
        "grants.g.maxSize": "1024", "grants.g.minSize": "1",
        "s3.post-policy: grants.g.contentTypes": "\"image/png\"",
        "oss.post-policy: grants.g.contentTypes": "\"image/png\"",
        "grants.g.callback": "{\"callbackUrl\":\"http://x\",\"callbackBody\":\"x\"}",
        "grants.g.callback.callbackUrl": "\"http://y\"", "grants.g.channel": "\"live\"",
        "grants.g.policy.keylimit": "\"p/x\"", "grants.g.policy.transformFallbackKey": "\"p/x\"",
        "grants.g.policy.mimeLimit": "\"image/*\"",
        "grants.g.policy.callbackUrl": "\"http://x\"", "grants.g.policy.persistentNotifyUrl": "\"http://x\"",
    ]

    private static let certificates =
        "[{\"names\":\"localhost\",\"certificateFile\":\"tls.pem\",\"keyFile\":\"tls.key\"}]"

    private static func value(of field: FieldDescription) -> String {
        switch field.kind {
        case .string, .vendorText, .secret, .strings: "\"xxx\""
        case .choice(let words): "\"\(words.first { "\"\($0)\"" != field.standardText } ?? "")\""
        case .boolean: field.standardText == "true" ? "false" : "true"
        case .integer(let bounds):
            "\("\(bounds.lowerBound)" == field.standardText ? bounds.upperBound : bounds.lowerBound)"
        case .duration(let bounds): "\"\(Units.ends(durations: bounds).least)\""
        case .size(let bounds), .days(let bounds): "\(bounds.lowerBound)"
        case .rate: "\"60/min\""
        case .time: "\"2099-01-01T00:00:00Z\""
        case .template: "\"x/\""
        case .object, .members: "{}"
        case .objects: "[]"
        case .json: "{\"a\":1}"
        }
    }

    /// Values of other types than the key's.
    var badValues: [String] {
        switch field.kind {
        case .rate:
            ["true", "60", "\"60\"", "\"0/s\"", "\"1000001/s\"", "\"1/week\"", "\"/s\"", "\"1.5/s\"", "[]", "{}"]
        case .string, .vendorText, .choice, .duration, .time, .template:
            ["null", "true", "7", "[]", "{}", "[\"1s\"]", "\"\""]
        case .size, .days: ["null", "true", "1.5", "[]", "{}", "\"\""]
        case .boolean: ["null", "\"true\"", "0", "[]", "{}"]
        case .integer: ["null", "true", "\"1\"", "1.0", "1e0", "[]", "{}", "9223372036854775808"]
        case .secret: ["null", "true", "7", "[]", "{}", "\"\"", "{\"env\":\"\"}", "{\"file\":7}", "{\"env\":null}"]
        case .strings: ["null", "true", "7", "{}", "[7]", "[[\"x\"]]", "\"\"", "[\"\"]"]
        case .object, .members, .json: ["null", "true", "7", "\"x\"", "[]"]
        case .objects: ["null", "true", "7", "\"x\"", "{}", "[7]", "[[]]"]
        }
    }
}
