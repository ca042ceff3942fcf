import Access
import Bytes
import Crypto
import Machine
import Providers

extension Compiler {
    /// The credentials by their names.
    struct Credentials {
        var list: [Configuration.Credential] = []
        /// What the file says of each.
        var fields: [FieldValues] = []
        /// What tells each from one of its name in another configuration, its secret included; good within one process.
        var hashes: [Int] = []
        /// Also those with something wrong: for them there is no index in the list, and perhaps no known provider.
        var byName: [[UInt8]: (provider: String?, index: Int?)] = [:]
        /// Whether the names are all there are.
        let isComplete: Bool
    }

    func compileCredentials(_ members: [JSONMember]?) -> Credentials {
        var credentials = Credentials(isComplete: members != nil)
        for member in members ?? [] {
            let path = noteNamed(member, in: "credentials")
            let provider = reader.kind("provider", of: member.value, path, among: Registry.providers.map(\.name))
                .map { Registry.providers[$0] }
            if provider == nil { judgeCredential(ofUnknownProvider: member.value, at: path) }
            let credential = provider.flatMap { compileCredential(member, path, $0) }
            credentials.byName[member.name] = (provider?.name, credential == nil ? nil : credentials.list.count)
            if let (compiled, fields) = credential {
                var credential = compiled
                credential.environmentSecret = environmentSecret(of: member.value)
                credentials.list.append(credential)
                credentials.fields.append(fields)
                credentials.hashes.append(hash(of: credential, saying: member.value))
            }
        }
        refuseMixture(credentials.list)
        return credentials
    }

    /// Of a pair that is given: an access key that a sandbox makes up is another one after each reload.
    private func environmentSecret(of credential: JSONValue) -> TextPosition? {
        let (pair, name) = (Schema.credential.pair, Schema.credential.pair.secretKey.name)
        guard credential[pair.accessKey.name] != nil, credential[name]?["env"] != nil else { return nil }
        return credential.range(ofMember: name).map { reader.problems.position(at: $0.lowerBound) }
    }

    /// Of all that a credential is made of: what the configuration says, the secret, and whom the vendor is trusted by.
    private func hash(of credential: Configuration.Credential, saying text: JSONValue) -> Int {
        var hasher = Hasher()
        text.hash(into: &hasher)
        hasher.combine(credential.sessions?.trustFile.flatMap { reader.environment.file($0)?.bytes })
        if let key = credential.key {
            let token = key.securityToken ?? []
            do throws(CryptoError) {
                hasher.combine(try Digest(.sha256, of: key.secret, followedBy: token.span).bytes.array)
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
                "credentials".member(Array(text: credential.name)),
                "is real, and \(sandbox.name) is for the sandbox; one configuration cannot have both, "
                    + "so that nobody takes the one for the other")
        }
    }

    private func compileCredential(
        _ member: JSONMember, _ path: String, _ provider: ProviderDescription
    ) -> (Configuration.Credential, FieldValues)? {
        let problems = reader.problems.count
        var fields = reader.read(member.value, path, by: Schema.credential(of: provider))
        if let accessKey = fields[Schema.credential.pair.accessKey], let fault = Compiler.fault(of: accessKey, provider)
        {
            reader.report(path + ".accessKey", fault)
        }
        // What seems to be missing may be what was not understood.
        let isRead = reader.problems.count == problems
        let good = judgeAll(fields, at: path, isRead: isRead) { fields throws(FieldProblem) -> FieldValues in
            try provider.check(fields)
            return fields
        }
        guard good != nil else { return nil }
        let name = member.name.text
        if let sessions = provider.sessions {
            return compileSessions(name, path, provider, sessions, fields).map { ($0, fields) }
        }
        var own = Settings(fields, of: SigningCredentialFields())
        let isSandbox = Settings(fields, of: CredentialFields()).sandbox
        guard let pair = isSandbox ? sandboxKey(fields, path) : key(fields, path),
            let key = add(provider.sessionToken, of: fields, to: pair, path)
        else { return nil }
        own.previous = dropEnded(own.previous, path)
        fields = own.values
        check(own.previous.map { $0.accessKey ?? [] }, beside: key, path, provider)
        var credential = Configuration.Credential(
            name: name, provider: provider.name, isSandbox: isSandbox, key: key, sessions: nil, fields: fields)
        credential.previous = own.previous.compactMap(Configuration.PreviousKey.init)
        credential.fetches = FetchLimits(fields[FetchLimits.field])
        return (credential, fields)
    }

    // MARK: Previous pairs

    private func dropEnded(
        _ entries: [Settings<PreviousKeyFields>], _ path: String
    ) -> [Settings<PreviousKeyFields>] {
        let now = reader.environment.now()
        for (index, entry) in entries.enumerated() where entry.until.map({ $0 <= now }) == true {
            reader.warnings.append("\(path).previous[\(index)]: has ended, and is of no use any more")
        }
        return entries.filter { ($0.until ?? 0) > now }
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
        let pair = Settings(fields, of: CredentialFields())
        if pair.accessKey == nil { reader.report(path, "needs accessKey") }
        if pair.secretKey == nil { reader.report(path, "needs secretKey") }
        guard let accessKey = pair.accessKey, let secret = pair.secretKey else { return nil }
        return KeyPair(accessKey: accessKey, secret: secret)
    }

    /// A pair that no vendor gave; what the fields do not hold of it is made up.
    func sandboxKey(_ fields: FieldValues, _ path: String) -> KeyPair? {
        do throws(CryptoError) {
            let accessKey = Array(text: "SANDBOX") + (try SecureRandom.alphanumerics(13))
            let secret = Secret(try SecureRandom.alphanumerics(40))
            let pair = Settings(fields, of: CredentialFields())
            return KeyPair(accessKey: pair.accessKey ?? accessKey, secret: pair.secretKey ?? secret)
        } catch {
            reader.report(path, "no key can be made up: \(error)")
            return nil
        }
    }

    /// The pair with what belongs to it where it is a temporary one; nil, having said why, if that is not of a form to be sent.
    func add(_ field: Field<Secret?>?, of fields: FieldValues, to pair: KeyPair, _ path: String) -> KeyPair? {
        guard let field, let token = fields[field] else { return pair }
        guard let whole = pair.with(token: token) else {
            reader.report("\(path).\(field.name)", "must be at most 16,384 visible ASCII characters")
            return nil
        }
        return whole
    }

    /// An access key stands in tokens, field values and JSON as it is.
    static func fault(of accessKey: [UInt8], _ provider: ProviderDescription) -> String? {
        let isPlain =
            accessKey.count <= 128 && accessKey.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
        if isPlain { return provider.accessKeyFault(accessKey) }
        return "must be at most 128 printable ASCII characters without spaces, quotes and backslashes"
    }
}

extension Configuration.PreviousKey {
    fileprivate init?(_ fields: Settings<PreviousKeyFields>) {
        guard let accessKey = fields.accessKey, let secret = fields.secretKey, let until = fields.until else {
            return nil
        }
        self.init(pair: KeyPair(accessKey: accessKey, secret: secret), until: until)
    }
}
