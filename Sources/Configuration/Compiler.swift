import Access
import Bytes
import Crypto
import Providers
import Telemetry

/// Makes a configuration of its text: reads every object by its description, then puts together what belongs together,
/// and notes everything that is wrong on the way. What depends on something that is wrong already is not judged.
final class Compiler {
    private let name: String
    private let file: Surroundings.File
    var reader: FieldReader

    /// - Parameter name: the path of the file; relative paths in it begin at its folder.
    init(_ file: Surroundings.File, named name: String, _ surroundings: Surroundings) {
        self.name = name
        self.file = file
        let folder = name.lastIndex(of: "/").map { String(name[..<$0]) } ?? "."
        reader = FieldReader(file.bytes, folder: folder, surroundings)
    }

    func compile() throws(ConfigurationError) -> Configuration {
        let configuration = parse().map { compile($0) }
        guard let configuration, reader.problems.count == 0 else {
            throw ConfigurationError(file: name, problems: reader.problems.problems)
        }
        return configuration
    }

    private func parse() -> JSONValue? {
        do throws(JSONError) {
            return try JSONReader.read(file.bytes, as: .json5)
        } catch {
            reader.report(syntax: error)
            return nil
        }
    }

    private func compile(_ document: JSONValue) -> Configuration {
        let root = reader.read(document, "", by: Schema.root)
        let credentials = compileCredentials(root.members("credentials"))
        let hasSandbox = credentials.list.contains(where: \.isSandbox)
        let server = compileServer(root.object("server") ?? FieldValues(), isSandbox: hasSandbox)
        let identities = compileAuthentication(root.object("authentication") ?? FieldValues())
        var grants: [Grant] = []
        for member in root.members("grants") ?? [] {
            if let grant = compileGrant(member, at: grants.count, credentials, identities) { grants.append(grant) }
        }
        checkCallbacks(grants, beside: server.aliases)
        if file.isWorldWritable {
            reader.report("", "anybody on this machine can change this file; chmod o-w it")
        }
        if file.isWorldReadable, let secret = reader.inlineSecret {
            _ = reader.admits(worldReadable: name, secret)
        }
        return Configuration(
            server: server, credentials: credentials.list, authenticator: identities.authenticator, grants: grants,
            policy: Policy(grants, for: identities.authenticator, routes: Registry.routes.count),
            rates: Compiler.rates(root.object("rateLimit") ?? FieldValues()),
            log: compileLog(root.object("log") ?? FieldValues()),
            warnings: reader.warnings + warnings(server, credentials.list, identities.authenticator, grants))
    }

    /// What is allowed, but hardly meant.
    private func warnings(
        _ server: Configuration.Server, _ credentials: [Configuration.Credential], _ authenticator: Authenticator,
        _ grants: [Grant]
    ) -> [String] {
        var warnings: [String] = []
        if grants.isEmpty { warnings.append("grants: there are none, so nothing will be issued") }
        for grant in grants where !grant.callers.isEmpty && !authenticator.knows(anyOf: grant.callers) {
            warnings.append("grants.\(grant.name.text): nobody can use it, since there is no API key")
        }
        for (index, credential) in credentials.enumerated() where !grants.contains(where: { $0.credential == index }) {
            warnings.append("credentials.\(credential.name): no grant uses it")
        }
        for credential in credentials where credential.isSandbox {
            warnings.append("credentials.\(credential.name): is for the sandbox; its key opens nothing at the vendor's")
        }
        let isOpen = server.hosts.isEmpty && server.listen.contains { !$0.address.isLoopback }
        if isOpen, grants.contains(where: { $0.callers.contains(.anonymous) }) {
            warnings.append(
                "server.hosts: is empty, so a web page could reach the grants of anonymous by a name of its own")
        }
        return warnings
    }

    private static func rates(_ fields: FieldValues) -> Configuration.Rates {
        Configuration.Rates(
            perAddress: fields.rate("perAddress"), perCaller: fields.rate("perCaller"),
            identities: Int(fields.integer("identities") ?? 0))
    }

    private func compileLog(_ fields: FieldValues) -> Log.Settings {
        Log.Settings(
            level: Log.Level(name: fields.string("level")?.text ?? "") ?? .info,
            isJSON: fields.string("format")?.text != "text")
    }

    /// Notes a member of `credentials` or `grants`, whose names the user gives, and returns its path.
    func noteNamed(_ member: JSONMember, in path: String) -> String {
        let place = reader.note(member, in: path)
        if member.name.count > 128 || !CharacterRule.isText(member.name) {
            reader.report(place, "must have a name of 1 to 128 bytes without control characters")
        }
        return place
    }

    // MARK: Callers

    /// Who can prove who they are.
    struct Identities {
        let authenticator: Authenticator
        /// Nil where it cannot be told which there are.
        let ids: Set<[UInt8]>?
    }

    private func compileAuthentication(_ fields: FieldValues) -> Identities {
        let entries = fields.objects("apiKeys")
        var keys: [Authenticator.APIKey] = []
        var ids: Set<[UInt8]> = []
        var digests: Set<[UInt8]> = []
        for (index, entry) in (entries ?? []).enumerated() {
            let path = "authentication.apiKeys[\(index)]"
            let id = entry.string("id")
            if let id {
                ids.insert(id)
                if !Principal.isPlain(id.span) {
                    reader.report(
                        path + ".id", "must be 1 to 128 of A-Z a-z 0-9 . _ @ + = ~ - and not begin with a dot")
                }
            }
            guard let hex = entry.string("sha256") else { continue }
            guard let bytes = Hex.decode(hex.span), bytes.count == 32, let digest = Digest(bytes) else {
                reader.report(
                    path + ".sha256", "must be the 64 hex digits that `countersign hash-key` shows, not the key itself")
                continue
            }
            if !digests.insert(bytes).inserted { reader.report(path + ".sha256", "is another entry's key already") }
            if let id { keys.append(Authenticator.APIKey(id: id, digest: digest, notAfter: entry.integer("notAfter"))) }
        }
        let isComplete = entries?.allSatisfy { $0.string("id") != nil } == true
        let denied = compileDenied(fields.strings("deny") ?? [], among: isComplete ? ids : nil)
        return Identities(
            authenticator: Authenticator(apiKeys: keys, denied: denied), ids: isComplete ? ids : nil)
    }

    private func compileDenied(_ names: [[UInt8]], among ids: Set<[UInt8]>?) -> Set<Principal> {
        var denied: Set<Principal> = []
        for (index, name) in names.enumerated() {
            let path = reader.join("authentication.deny", index)
            guard case .identity(let kind, let id)? = selector(name) else {
                reader.report(path, "must be \"apiKey:ID\"")
                continue
            }
            check(id, path, among: ids)
            denied.insert(Principal(kind, id: id, subject: id))
        }
        return denied
    }

    /// Whether an id that is named is one of an API key; nil where that cannot be told.
    func check(_ id: [UInt8], _ path: String, among ids: Set<[UInt8]>?) {
        if let ids, !ids.contains(id) { reader.report(path, Compiler.unknown(id, among: ids)) }
    }

    private static func unknown(_ id: [UInt8], among ids: Set<[UInt8]>) -> String {
        let hint = NearestName.of(id.text, among: ids.map(\.text)).map { "; did you mean apiKey:\($0)?" } ?? ""
        return "names no API key of authentication.apiKeys\(hint)"
    }

    /// A caller as it is written in the configuration.
    func selector(_ text: [UInt8]) -> CallerSelector? {
        if text.elementsEqual("anonymous".utf8) { return .anonymous }
        if text.elementsEqual("authenticated".utf8) { return .authenticated }
        let kind = Array("apiKey:".utf8)
        guard text.starts(with: kind), text.count > kind.count else { return nil }
        return .identity(.apiKey, id: Array(text.dropFirst(kind.count)))
    }
}
