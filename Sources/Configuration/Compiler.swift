import Access
import Bytes
import Machine
import Providers
import Telemetry

/// Makes a configuration of its text: reads every object by its description, then puts together what belongs together,
/// and notes everything that is wrong on the way. What depends on something that is wrong already is not judged.
final class Compiler {
    private let name: String
    private let file: ReadFile
    var reader: FieldReader
    /// Takes the grants that have been compiled, if they are to be shown.
    let listing: GrantListing?

    /// - Parameter name: the path of the file; relative paths in it begin at its folder.
    init(_ file: ReadFile, named name: String, _ environment: Environment, listing: GrantListing? = nil) {
        self.name = name
        self.listing = listing
        self.file = file
        let folder = name.lastIndex(of: "/").map { String(name[..<$0]) } ?? "."
        reader = FieldReader(file.bytes, folder: folder, environment)
    }

    convenience init(
        reading path: String, _ environment: Environment, listing: GrantListing? = nil
    ) throws(ConfigurationError) {
        guard let file = environment.file(path) else {
            let reason =
                "\(ReadFile.fault(of: path)); name another with --config, or make one with `countersign init`"
            throw ConfigurationError(file: path, problems: [Problem(path: "", position: nil, reason: reason)])
        }
        self.init(file, named: ReadFile.name(of: path), environment, listing: listing)
    }

    /// Reads no secret and no other file: what names them is not judged.
    func compileHealthCheckTarget() throws(ConfigurationError) -> Configuration.HealthCheckTarget {
        reader.readsSecrets = false
        let target = parse().map { document in
            compileHealthCheckTarget(reader.read(document, "", Schema.root).server)
        }
        guard let target, reader.problems.count == 0 else {
            throw ConfigurationError(file: name, problems: reader.problems.problems)
        }
        return target
    }

    /// Reads no secret and no other file: what names them is not judged.
    func compileBrakeTarget() throws(ConfigurationError) -> Configuration.BrakeTarget {
        reader.readsSecrets = false
        let target = parse().map { document in compileBrakeTarget(reader.read(document, "", Schema.root)) }
        guard let target, reader.problems.count == 0 else {
            throw ConfigurationError(file: name, problems: reader.problems.problems)
        }
        return target
    }

    func compile() throws(ConfigurationError) -> Configuration {
        let root = parse().map { ($0, reader.read($0, "", Schema.root)) }
        let log = root.map { Compiler.log($0.1.log) }
        let configuration = root.map { compile($0, $1) }
        guard let configuration, reader.problems.count == 0 else {
            throw ConfigurationError(file: name, problems: reader.problems.problems, log: log)
        }
        return configuration
    }

    /// Room for some ten thousand grants and callers.
    private static let maximumValues = 1_000_000

    private func parse() -> JSONValue? {
        do throws(JSONError) {
            let document = try JSONReader.read(file.bytes, as: .json5, maximumValues: Compiler.maximumValues)
            reader.problems.note("", at: document.offset)
            return document
        } catch {
            reader.report(syntax: error, in: file.bytes)
            return nil
        }
    }

    private func compile(_ document: JSONValue, _ root: Settings<Schema.Root>) -> Configuration {
        let credentials = compileCredentials(root.credentials)
        let hasSandbox = credentials.list.contains(where: \.isSandbox)
        let exposure = exposure(root.server, isSandbox: hasSandbox)
        let server = compileServer(root.server, exposure)
        let admin = compileAdmin(root.admin, exposure, beside: server.listen)
        let identities = compileAuthentication(
            root.authentication, takingCertificates: root.server.tls?.clientCAFile != nil)
        let defaults = compileDefaults(root.defaults)
        reader.problems.defaults = document.range(ofMember: Schema.root.defaults.name)
        var grants: [Grant] = []
        var issuers: [IssuerKind] = []
        for member in root.grants ?? [] {
            guard let (grant, issuer) = compileGrant(member, at: grants.count, defaults, credentials, identities) else {
                continue
            }
            grants.append(grant)
            issuers.append(issuer)
        }
        warn(ofUnused: defaults, by: grants)
        let authenticator = identities.authenticator(for: grants, accepting: server.tls?.clientAuthorities)
        checkCallbacks(grants, issuers, beside: server.aliases)
        refuseSamples(credentials.list, grants, listening: server.listen + admin.listen)
        let overlaps = compileOverlaps(grants)
        if let weakness = file.weakness { reader.report("", weakness) }
        if file.isWorldReadable, let secret = reader.inlineSecret {
            _ = reader.admits(worldReadable: name, secret)
        }
        return Configuration(
            server: server, admin: admin, credentials: credentials.list, authenticator: authenticator,
            keySources: identities.keySources, grants: grants, issuers: issuers,
            policy: Policy(grants, for: authenticator, routes: Registry.routes.count),
            rates: Compiler.rates(root.rateLimit),
            policyTests: compilePolicyTests(root.policyTests, identities),
            callbackKeys: compileCallbackKeys(root.callbackKeys),
            reload: Compiler.reload(root.reload),
            audit: root.audit.flatMap { compileAudit($0) },
            brake: root.brake.flatMap { compileBrake($0) },
            cluster: root.cluster.flatMap { compileCluster($0) },
            log: Compiler.log(root.log),
            fixed: RestartOnlySetting.all(
                in: root.values, by: Schema.root.descriptions, of: document, in: file.bytes),
            deprecated: reader.deprecated,
            warnings: reader.warnings + reader.deprecated.map(Compiler.warning(ofDeprecated:))
                + warnings(server, credentials.list, authenticator, grants)
                + overlaps + Compiler.warning(ofPublicURL: server) + Compiler.warning(ofTickets: authenticator, server)
                + (root.audit == nil ? Compiler.warning(withoutAudit: server) : []))
    }

    /// Settings that are allowed, but hardly meant.
    private func warnings(
        _ server: Configuration.Server, _ credentials: [Configuration.Credential], _ authenticator: Authenticator,
        _ grants: [Grant]
    ) -> [String] {
        var warnings: [String] = []
        if grants.isEmpty { warnings.append("grants: there are none, so nothing will be issued") }
        var used: Set<Int> = []
        for grant in grants {
            used.insert(grant.credential)
            if !grant.callers.isEmpty, !authenticator.knows(anyOf: grant.callers) {
                let reason = "nobody can use it, since there is no API key, issuer of tokens or certificate"
                warnings.append("grants.\(grant.name.text): \(reason)")
            }
            if let reason = unavailability(of: grant) { warnings.append("grants.\(grant.name.text): \(reason)") }
            for gap in grant.unenforced {
                warnings.append("grants.\(grant.name.text): \(gap.subject): \(gap.means)")
            }
            for doubt in grant.doubts { warnings.append("grants.\(grant.name.text): \(doubt)") }
        }
        for (index, credential) in credentials.enumerated() where !used.contains(index) {
            warnings.append("credentials.\(credential.name): no grant uses it")
        }
        let sandboxed = credentials.filter(\.isSandbox).map(\.name)
        if !sandboxed.isEmpty {
            // All in one: a demo has one for each vendor.
            let names = sandboxed.joined(separator: ", ")
            warnings.append("credentials: sandbox keys work only with countersign-sandbox, not with a vendor: \(names)")
        }
        for (index, credential) in credentials.enumerated() where credential.isSandbox {
            guard let sessions = Registry.provider(named: credential.provider)?.sessions,
                let doubt = sessions.sandboxDoubt(credential.fields),
                grants.contains(where: { $0.credential == index })
            else { continue }
            warnings.append("credentials.\(credential.name): \(doubt)")
        }
        if server.tls?.clientAuthorities != nil, !authenticator.hasCertificates {
            warnings.append(
                "server.tls.clientCAFile: authentication.certificates names nobody, so a client with only a certificate is refused (R8)"
            )
        }
        let isOpen = server.hosts.isEmpty && server.listen.contains { !$0.isLocal }
        if isOpen, grants.contains(where: { $0.callers.contains(.anonymous) }) {
            warnings.append(
                "server.hosts: is empty, so a web page could reach the grants of anonymous by a name of its own")
        }
        return warnings
    }

    static func warning(ofDeprecated key: DeprecatedKey) -> String {
        let deprecation = key.deprecation
        return
            "\(key.path): is deprecated since \(deprecation.since), and goes with \(deprecation.end); \(deprecation.instead)"
    }

    /// Why a grant gives nothing any more, or gives nothing at all.
    private func unavailability(of grant: Grant) -> String? {
        if !grant.availability.isEnabled { return "gives nothing, since enabled is false" }
        let hasEnded = grant.availability.notAfter.map { $0 <= reader.environment.now() } ?? false
        return hasEnded ? "gives nothing any more, since notAfter is in the past" : nil
    }

    private static func rates(_ fields: Settings<Schema.RateLimit>) -> Configuration.Rates {
        Configuration.Rates(
            perAddress: fields.perAddress, perCaller: fields.perCaller, identities: fields.identities)
    }

    private static func reload(_ fields: Settings<Schema.Reload>) -> Configuration.Reload {
        Configuration.Reload(watches: fields.watch, interval: fields.interval)
    }

    private func compileCallbackKeys(_ fields: Settings<Schema.CallbackKeys>) -> Configuration.CallbackKeys {
        if let refresh = fields.checked(\.refresh), let keep = fields.checked(\.keep), keep <= refresh {
            reader.report("callbackKeys.keep", "must be longer than refresh")
        }
        return Configuration.CallbackKeys(
            remembered: fields.remembered, refresh: fields.refresh, keep: fields.keep,
            callsPerSecond: fields.callsPerSecond, strangeCallsPerSecond: fields.strangeCallsPerSecond,
            waiting: fields.waiting)
    }

    private static func log(_ fields: Settings<Schema.LogFields>) -> Log.Settings {
        var settings = Log.Settings(level: fields.level, format: fields.format)
        settings.tellsRequests = fields.requests
        settings.buffer = fields.buffer
        return settings
    }

    /// Notes a member of `credentials` or `grants`, whose names the user gives, and returns its path.
    func noteNamed(_ member: JSONMember, in path: String) -> String {
        let memberPath = reader.note(member, in: path)
        if member.name.count > 128 || !CharacterRule.isText(member.name) {
            reader.report(memberPath, "must have a name of 1 to 128 bytes without control characters")
        }
        return memberPath
    }
}
