import Access
import Bytes
import Crypto
import Providers

extension Compiler {
    /// The credentials by their names.
    struct Credentials {
        var list: [Configuration.Credential] = []
        /// What the file says of each.
        var fields: [FieldValues] = []
        /// What tells each from one of its name in another configuration, its secret included; good within one process.
        var hashes: [Int] = []
        /// Also those with something wrong: for them there is no place in the list, and perhaps no known provider.
        var places: [[UInt8]: (provider: String?, index: Int?)] = [:]
        /// Whether the names are all there are.
        let isComplete: Bool
    }

    func compileCredentials(_ members: [JSONMember]?) -> Credentials {
        var credentials = Credentials(isComplete: members != nil)
        for member in members ?? [] {
            let path = noteNamed(member, in: "credentials")
            let provider = reader.kind("provider", of: member.value, path, among: Registry.providers.map(\.name))
                .map { Registry.providers[$0] }
            let credential = provider.flatMap { compileCredential(member, path, $0) }
            credentials.places[member.name] = (provider?.name, credential == nil ? nil : credentials.list.count)
            if let (credential, fields) = credential {
                credentials.list.append(credential)
                credentials.fields.append(fields)
                credentials.hashes.append(Compiler.hash(of: credential, saying: member.value))
            }
        }
        refuseMixture(credentials.list)
        return credentials
    }

    private static func hash(of credential: Configuration.Credential, saying text: JSONValue) -> Int {
        var hasher = Hasher()
        text.hash(into: &hasher)
        if let secret = credential.key?.secret {
            let nothing: [UInt8] = []
            do throws(CryptoError) {
                hasher.combine(try Digest(.sha256, of: secret, followedBy: nothing.span).bytes.array)
            } catch {
                // Nothing is like a secret that cannot be looked at.
                hasher.combine(UInt64.random(in: 0 ... .max))
            }
        }
        return hasher.finalize()
    }

    private func refuseMixture(_ credentials: [Configuration.Credential]) {
        guard let sandbox = credentials.first(where: \.isSandbox) else { return }
        for credential in credentials where !credential.isSandbox {
            reader.report(
                reader.join("credentials", Array(text: credential.name)),
                "is real, and \(sandbox.name) is for the sandbox; one configuration cannot have both, "
                    + "so that nobody takes the one for the other")
        }
    }

    private func compileCredential(
        _ member: JSONMember, _ path: String, _ provider: ProviderDescription
    ) -> (Configuration.Credential, FieldValues)? {
        let problems = reader.problems.count
        var fields = reader.read(member.value, path, by: Schema.credential(of: provider))
        if let accessKey = fields.string("accessKey"), let fault = Compiler.fault(of: accessKey, provider) {
            reader.report(path + ".accessKey", fault)
        }
        // What seems to be missing may be what was not understood.
        guard reader.problems.count == problems else { return nil }
        do throws(FieldProblem) { try provider.check(fields) } catch {
            reader.report(path + "." + error.path, error.reason)
            return nil
        }
        let name = member.name.text
        if provider.givesSessions { return compileSessions(name, path, provider, fields).map { ($0, fields) } }
        let isSandbox = fields.boolean("sandbox") == true
        guard let key = isSandbox ? sandboxKey(fields, path, named: "SANDBOX") : key(fields, path) else { return nil }
        let previous = dropEnded(fields.objects("previous") ?? [], path)
        fields["previous"] = .objects(previous)
        check(previous.map { $0.string("accessKey") ?? [] }, beside: key, path, provider)
        var credential = Configuration.Credential(
            name: name, provider: provider.name, isSandbox: isSandbox, key: key, sessions: nil, fields: fields)
        credential.previous = previous.compactMap(Configuration.PreviousKey.init)
        if let limits = fields.object("limits") { credential.fetches = Configuration.FetchLimits(limits) }
        return (credential, fields)
    }

    // MARK: Previous pairs

    private func dropEnded(_ entries: [FieldValues], _ path: String) -> [FieldValues] {
        let now = reader.surroundings.now()
        for (index, entry) in entries.enumerated() where entry.integer("until").map({ $0 <= now }) == true {
            reader.warnings.append("\(path).previous[\(index)]: has ended, and is of no use any more")
        }
        return entries.filter { ($0.integer("until") ?? 0) > now }
    }

    private func check(_ accessKeys: [[UInt8]], beside key: KeyPair, _ path: String, _ provider: ProviderDescription) {
        var known: Set<[UInt8]> = [key.accessKey]
        for accessKey in accessKeys {
            if let fault = Compiler.fault(of: accessKey, provider) { reader.report(path + ".previous", fault) }
            if !known.insert(accessKey).inserted {
                reader.report(path + ".previous", "must hold other access keys than accessKey has, each once")
            }
        }
    }

    // MARK: Keys

    /// The pair that the fields hold.
    func key(_ fields: FieldValues, _ path: String) -> KeyPair? {
        for name in ["accessKey", "secretKey"] where fields[name] == nil { reader.report(path, "needs \(name)") }
        guard let accessKey = fields.string("accessKey"), let secret = fields.secret("secretKey") else { return nil }
        return KeyPair(accessKey: accessKey, secret: secret)
    }

    /// A pair that no vendor gave; what the fields do not hold of it is made up.
    /// - Parameter start: what a made-up access key begins with.
    func sandboxKey(_ fields: FieldValues, _ path: String, named start: String) -> KeyPair? {
        do throws(CryptoError) {
            let accessKey = Array(text: start) + (try SecureRandom.alphanumerics(13))
            let secret = Secret(try SecureRandom.alphanumerics(40))
            return KeyPair(
                accessKey: fields.string("accessKey") ?? accessKey, secret: fields.secret("secretKey") ?? secret)
        } catch {
            reader.report(path, "no key can be made up: \(error)")
            return nil
        }
    }

    /// An access key stands in tokens, field values and JSON as it is.
    static func fault(of accessKey: [UInt8], _ provider: ProviderDescription) -> String? {
        let isPlain =
            accessKey.count <= 128 && accessKey.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
        if isPlain { return provider.accessKeyFault(accessKey) }
        return "must be at most 128 printable ASCII characters without spaces, quotes and backslashes"
    }
}

extension Configuration.FetchLimits {
    fileprivate init(_ fields: FieldValues) {
        callsPerSecond = fields.integer("callsPerSecond").map { Int($0) } ?? callsPerSecond
        callBurst = fields.integer("callBurst").map { Int($0) } ?? callBurst
        patience = fields.integer("patience") ?? patience
    }
}

extension Configuration.PreviousKey {
    fileprivate init?(_ fields: FieldValues) {
        guard let accessKey = fields.string("accessKey"), let secret = fields.secret("secretKey"),
            let until = fields.integer("until")
        else { return nil }
        self.init(pair: KeyPair(accessKey: accessKey, secret: secret), until: until)
    }
}
