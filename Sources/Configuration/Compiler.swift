import Access
import Bytes
import Crypto
import Providers
import Telemetry

/// Makes a configuration of its text: reads every object by its description, then puts together what belongs together, and
/// notes everything that is wrong on the way.
final class Compiler {
    private let text: [UInt8]
    var reader: FieldReader

    init(_ text: [UInt8], folder: String, _ surroundings: Surroundings) {
        self.text = text
        reader = FieldReader(text, folder: folder, surroundings)
    }

    func compile(named file: String, isWorldReadable: Bool) throws(ConfigurationError) -> Configuration {
        let configuration = parse().map { compile($0) }
        if reader.hasInlineSecret, isWorldReadable {
            reader.report("", "anybody on this machine can read this file, and it holds a secret; chmod 600 it")
        }
        guard let configuration, reader.problems.isEmpty else {
            throw ConfigurationError(file: file, problems: reader.problems)
        }
        return configuration
    }

    private func parse() -> JSONValue? {
        do throws(JSONError) {
            return try JSONReader.read(text, as: .json5)
        } catch {
            reader.report(syntax: error)
            return nil
        }
    }

    private func compile(_ document: JSONValue) -> Configuration {
        let root = reader.read(document, "", by: Schema.root)
        let credentials = compileCredentials(root.members("credentials") ?? [])
        let (keys, denied) = compileAuthentication(root.object("authentication") ?? FieldValues())
        let authenticator = Authenticator(apiKeys: keys, denied: denied)
        let identities = Set(keys.map(\.id))
        var grants: [Grant] = []
        for member in root.members("grants") ?? [] {
            if let grant = compileGrant(member, credentials, identities) { grants.append(grant) }
        }
        return Configuration(
            server: compileServer(root.object("server") ?? FieldValues()), credentials: credentials,
            authenticator: authenticator, grants: grants,
            policy: Policy(grants, for: authenticator, routes: Registry.routes.count),
            log: compileLog(root.object("log") ?? FieldValues()), warnings: reader.warnings)
    }

    // MARK: Server and log

    private func compileServer(_ fields: FieldValues) -> Configuration.Server {
        var listen: [HostPort] = []
        for (index, name) in (fields.strings("listen") ?? []).enumerated() {
            let path = "server.listen[\(index)]"
            guard let address = HostPort(name.text) else {
                reader.report(path, "must be a numeric address and a port such as \"127.0.0.1:8080\" or \"[::1]:8080\"")
                continue
            }
            if !address.address.isLoopback, fields.boolean("plaintext") != true {
                reader.report(
                    path, "is not a loopback address; listening there without TLS needs server.plaintext: true")
            }
            listen.append(address)
        }
        for (index, origin) in (fields.object("cors")?.strings("origins") ?? []).enumerated() where !isOrigin(origin) {
            reader.report("server.cors.origins[\(index)]", "must be an origin such as \"https://app.example.com\"")
        }
        return Configuration.Server(
            listen: listen, hosts: fields.strings("hosts") ?? [], transport: fields.string("transport")?.text,
            workers: Int(fields.integer("workers") ?? 0), limits: limits(fields.object("limits") ?? FieldValues()),
            origins: fields.object("cors")?.strings("origins") ?? [], aliases: aliases(fields.members("aliases") ?? []))
    }

    private func limits(_ fields: FieldValues) -> Configuration.Limits {
        func number(_ name: String) -> Int { Int(fields.integer(name) ?? 0) }
        func time(_ name: String) -> Int64 { fields.integer(name) ?? 0 }
        return Configuration.Limits(
            requestLine: number("requestLine"), headers: number("headers"), headerCount: number("headerCount"),
            body: number("body"), jsonDepth: number("jsonDepth"), connections: number("connections"),
            headerTimeout: time("headerTimeout"), requestTimeout: time("requestTimeout"),
            idleTimeout: time("idleTimeout"), drainTimeout: time("drainTimeout"))
    }

    /// `scheme://host[:port]`, as a browser writes it (RFC 6454 section 6.2).
    private func isOrigin(_ text: [UInt8]) -> Bool {
        let name = text.text
        guard let scheme = ["https://", "http://"].first(where: name.hasPrefix) else { return false }
        let host = name.dropFirst(scheme.count)
        return !host.isEmpty
            && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@*ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8.contains($0) }
    }

    private func aliases(_ members: [JSONMember]) -> [(path: [UInt8], route: Int)] {
        var aliases: [(path: [UInt8], route: Int)] = []
        for member in members {
            let path = "server.aliases." + member.name.text
            reader.note(path, at: member.nameOffset)
            guard member.name.first == UInt8(ascii: "/"),
                member.name.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") })
            else {
                reader.report(path, "must be a path that begins with /")
                continue
            }
            guard !Registry.routes.contains(where: { $0.description.path == member.name }) else {
                reader.report(path, "is a route's own path")
                continue
            }
            guard case .string(let name) = member.value.content, let route = Registry.route(named: name.text) else {
                reader.report(
                    path, "must be a route: \(Registry.routes.map(\.description.name).joined(separator: ", "))")
                continue
            }
            aliases.append((member.name, route))
        }
        return aliases
    }

    private func compileLog(_ fields: FieldValues) -> Log.Settings {
        Log.Settings(
            level: Log.Level(name: fields.string("level")?.text ?? "") ?? .info,
            isJSON: fields.string("format")?.text != "text")
    }

    // MARK: Credentials and callers

    private func compileCredentials(_ members: [JSONMember]) -> [Configuration.Credential] {
        var credentials: [Configuration.Credential] = []
        for member in members {
            let path = "credentials." + member.name.text
            reader.note(path, at: member.nameOffset)
            guard case .string(let name)? = member.value["provider"]?.content,
                let provider = Registry.provider(named: name.text)
            else {
                reader.report(
                    path, "needs a provider, one of \(Registry.providers.map(\.name).joined(separator: ", "))")
                continue
            }
            let fields = reader.read(member.value, path, by: Schema.credential(of: provider))
            guard let accessKey = fields.string("accessKey"), let secret = fields.secret("secretKey") else { continue }
            if let fault = Compiler.fault(of: accessKey) ?? provider.accessKeyFault(accessKey) {
                reader.report(path + ".accessKey", fault)
            }
            credentials.append(
                Configuration.Credential(
                    name: member.name.text, provider: provider.name, accessKey: accessKey, secret: secret))
        }
        return credentials
    }

    /// An access key stands in tokens, field values and JSON as it is.
    private static func fault(of accessKey: [UInt8]) -> String? {
        let isPlain =
            accessKey.count <= 128 && accessKey.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
        return isPlain ? nil : "must be at most 128 printable ASCII characters without quotes and backslashes"
    }

    private func compileAuthentication(_ fields: FieldValues) -> ([Authenticator.APIKey], Set<Principal>) {
        var keys: [Authenticator.APIKey] = []
        for (index, key) in (fields.objects("apiKeys") ?? []).enumerated() {
            let path = "authentication.apiKeys[\(index)]"
            guard let id = key.string("id"), let hex = key.string("sha256") else { continue }
            if !Principal.isPlain(id.span) {
                reader.report(path + ".id", "must be 1 to 128 of A-Z a-z 0-9 . _ @ + = ~ - and not begin with a dot")
            }
            guard let bytes = Hex.decode(hex.span), bytes.count == 32, let digest = Digest(bytes) else {
                reader.report(path + ".sha256", "must be the 64 hex digits of the key's SHA-256")
                continue
            }
            if keys.contains(where: { $0.digest.constantTimeEquals(digest) }) {
                reader.report(path + ".sha256", "is another entry's key already")
            }
            keys.append(Authenticator.APIKey(id: id, digest: digest, notAfter: key.integer("notAfter")))
        }
        var denied: Set<Principal> = []
        for (index, name) in (fields.strings("deny") ?? []).enumerated() {
            if case .identity(let kind, let id)? = selector(name.text), keys.contains(where: { $0.id == id }) {
                denied.insert(Principal(kind, id: id, subject: id))
            } else {
                reader.report("authentication.deny[\(index)]", "must be \"apiKey:ID\" with the id of an API key")
            }
        }
        return (keys, denied)
    }

    /// A caller as it is written in the configuration.
    func selector(_ text: String) -> CallerSelector? {
        if text == "anonymous" { return .anonymous }
        if text == "authenticated" { return .authenticated }
        guard text.hasPrefix("apiKey:"), text.utf8.count > 7 else { return nil }
        return .identity(.apiKey, id: Array(text.utf8.dropFirst(7)))
    }
}
