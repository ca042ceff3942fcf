import Access
import Bytes
import Crypto

/// Who can prove who they are, and how they are named where something is granted or denied.
extension Compiler {
    struct Identities {
        var keys: [Authenticator.APIKey] = []
        var issuers: [JWTIssuer] = []
        var certificates: [Authenticator.Certificate] = []
        /// By the ids of the issuers whose keys are fetched.
        var keySources: [[UInt8]: Configuration.KeySource] = [:]
        var denied: Set<Principal> = []
        var ticketKey: TicketKey?
        var rememberedTokens = 0
        /// The ids of each kind; nil where it cannot be told which there are.
        var ids: [Principal.Kind: Set<[UInt8]>?] = [:]

        func authenticator(for grants: [Grant], accepting authorities: ClientAuthorities?) -> Authenticator {
            var settings = Authenticator.Settings()
            settings.apiKeys = keys
            settings.issuers = issuers
            settings.certificates = certificates
            settings.authorities = authorities
            settings.claimNames = Set(grants.flatMap(\.claimNames))
            settings.rememberedTokens = rememberedTokens
            settings.ticketKey = ticketKey
            settings.denied = denied
            return Authenticator(settings)
        }
    }

    /// - Parameter takesCertificates: whether there are authorities whose certificates clients may show.
    func compileAuthentication(
        _ fields: Settings<Schema.Authentication>, takingCertificates takesCertificates: Bool
    ) -> Identities {
        var identities = Identities()
        let certificates = fields.certificates
        identities.ids[.apiKey] = ids(fields.checked(\.apiKeys)?.map { $0.id }, "authentication.apiKeys")
        identities.ids[.jwt] = ids(fields.checked(\.jwt)?.map(\.id), "authentication.jwt", areUnique: true)
        identities.ids[.certificate] = ids(
            certificates?.map(\.id), "authentication.certificates", areUnique: true)
        if certificates?.isEmpty == false, !takesCertificates {
            reader.report(
                "authentication.certificates",
                "needs server.tls.clientCAFile, the authorities whose certificates clients may show")
        }
        identities.certificates = compileCertificates(certificates ?? [])
        identities.keys = compileKeys(fields.apiKeys, "authentication.apiKeys")
        for (issuer, source) in compileIssuers(fields.jwt) {
            identities.issuers.append(issuer)
            identities.keySources[issuer.id] = source
        }
        identities.rememberedTokens = fields.rememberedTokens
        let denied = compileDenied(fields.deny, identities)
        identities.denied = denied.principals
        identities.ticketKey = compileTickets(fields.tickets, denied: denied.tickets)
        return identities
    }

    /// - Parameter entries: the id of each entry, nil for one that is wrong; nil where the whole list is.
    func ids(_ entries: [[UInt8]?]?, _ path: String, areUnique: Bool = false) -> Set<[UInt8]>? {
        var ids: Set<[UInt8]> = []
        var isComplete = entries != nil
        for (index, entry) in (entries ?? []).enumerated() {
            guard let id = entry else {
                isComplete = false
                continue
            }
            if !Principal.isPlain(id.span) {
                reader.report(
                    path.element(index) + ".id",
                    "must be 1 to 128 of A-Z a-z 0-9 . _ @ + = ~ - and not begin with a dot")
            }
            if !ids.insert(id).inserted, areUnique {
                reader.report(path.element(index) + ".id", "is another entry's id already")
            }
        }
        return isComplete ? ids : nil
    }

    func compileKeys(_ entries: [Settings<Schema.APIKey>], _ path: String) -> [Authenticator.APIKey] {
        var keys: [Authenticator.APIKey] = []
        var digests: Set<[UInt8]> = []
        var keyDigests: [(index: Int, digest: [UInt8])] = []
        for (index, entry) in entries.enumerated() {
            var keyPath: String { path.element(index) + ".sha256" }
            guard let hex = entry.sha256 else { continue }
            guard let bytes = Hex.decode(hex.span), bytes.count == 32, let digest = Digest(bytes) else {
                reader.report(
                    keyPath, "must be the 64 hex digits that `countersign hash-key` shows, not the key itself")
                continue
            }
            if !digests.insert(bytes).inserted { reader.report(keyPath, "is another entry's key already") }
            keyDigests.append((index, bytes))
            if let end = entry.notAfter, end <= reader.environment.now() {
                reader.warnings.append(
                    "\(keyPath): the key ended at \(Compiler.time(end)), so that nobody gets in by it; remove the entry"
                )
            }
            if let id = entry.id {
                keys.append(Authenticator.APIKey(id: id, digest: digest, notAfter: entry.notAfter))
            }
        }
        refuseGuessable(keyDigests, digests, path)
        return keys
    }

    private func compileCertificates(
        _ entries: [Settings<Schema.ClientCertificate>]
    ) -> [Authenticator.Certificate] {
        var certificates: [Authenticator.Certificate] = []
        var taken: Set<AlternativeName> = []
        for (index, entry) in entries.enumerated() {
            let path = "authentication.certificates[\(index)].san"
            guard let texts = entry.san else { continue }
            if texts.isEmpty { reader.report(path, "must name at least one") }
            var names: [AlternativeName] = []
            for (textIndex, text) in texts.enumerated() {
                guard let name = Compiler.alternativeName(text) else {
                    reader.report(
                        reader.join(path, textIndex),
                        "must be \"dns:HOST\", \"uri:URI\" or \"email:ADDRESS\", as the certificate has it; "
                            + "no part of it stands for others")
                    continue
                }
                if !taken.insert(name).inserted {
                    reader.report(
                        reader.join(path, textIndex),
                        "is named already, so that nobody could tell whose the certificate is"
                    )
                }
                names.append(name)
            }
            if let id = entry.id { certificates.append(Authenticator.Certificate(id: id, names: names)) }
        }
        return certificates
    }

    /// A name as it is written in the configuration. A star would have to stand in the certificate as well.
    private static func alternativeName(_ text: [UInt8]) -> AlternativeName? {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
            let kind = AlternativeName.Kind.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text[..<colon]) })
        else { return nil }
        let value = Array(text[(colon + 1)...])
        let isOne =
            switch kind {
            case .dns: CharacterRule.isServerName(value)
            case .uri: CharacterRule.isText(value) && value.contains(UInt8(ascii: ":"))
            case .email: CharacterRule.isText(value) && value.contains(UInt8(ascii: "@"))
            }
        return isOne && !value.contains(UInt8(ascii: "*")) ? AlternativeName(kind, value) : nil
    }

    private func compileTickets(_ fields: Settings<Schema.Tickets>, denied: Set<[UInt8]>) -> TicketKey? {
        guard let secret = fields.secret else { return nil }
        let path = "authentication.tickets.secret"
        checkStrength(of: secret, atLeast: TicketKey.minimumSecretLength, path)
        do throws(CryptoError) {
            return try TicketKey(secret, maximumLifetime: fields.maxLifetime / 1000, denied: denied)
        } catch {
            reader.report(path, "no key can be made of it: \(error)")
            return nil
        }
    }

    private func compileDenied(
        _ names: [[UInt8]], _ identities: Identities
    ) -> (principals: Set<Principal>, tickets: Set<[UInt8]>) {
        var denied: Set<Principal> = []
        var tickets: Set<[UInt8]> = []
        for (index, name) in names.enumerated() {
            var path: String { reader.join("authentication.deny", index) }
            if name.starts(with: Array(text: "ticket:")), name.count > 7 {
                tickets.insert(Array(name.dropFirst(7)))
                continue
            }
            guard let principal = Principal(written: name), !principal.isAnonymous else {
                reader.report(path, "must be \"apiKey:ID\", \"jwt:ID/SUBJECT\", \"certificate:ID\" or \"ticket:ID\"")
                continue
            }
            check(principal.kind, principal.id, path, identities)
            denied.insert(principal)
        }
        return (denied, tickets)
    }

    // MARK: Names

    /// Whether an id that is named is one of its kind, where that can be told.
    func check(
        _ kind: Principal.Kind, _ id: [UInt8], _ path: @autoclosure () -> String, _ identities: Identities
    ) {
        guard let known = identities.ids[kind], let ids = known, !ids.contains(id) else { return }
        let nearest = NearestName.of(id.text, among: ids.map(\.text))
        let hint = nearest.map { "; did you mean \(kind.rawValue):\($0)?" } ?? ""
        let list =
            switch kind {
            case .jwt: "issuer of authentication.jwt"
            case .certificate: "certificate of authentication.certificates"
            case .apiKey, .anonymous: "API key of authentication.apiKeys"
            }
        reader.report(path(), "names no \(list)\(hint)")
    }

    /// A caller as it is written in the configuration.
    func selector(_ text: [UInt8]) -> CallerSelector? {
        if text.elementsEqual("anonymous".utf8) { return .anonymous }
        if text.elementsEqual("authenticated".utf8) { return .authenticated }
        return identity(text).map { .identity($0, id: $1) }
    }

    private static let identityStarts = [Principal.Kind.apiKey, .jwt, .certificate].map {
        (kind: $0, text: Array(text: $0.rawValue + ":"))
    }

    /// An identity that is known, where its kind is written in small or large letters instead of its own; nil for all others.
    static func respelled(_ text: [UInt8], _ identities: Identities) -> String? {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let (kind, id) = (text[..<colon].map { $0 | 0x20 }, Array(text[(colon + 1)...]))
        let start = identityStarts.first { $0.text.dropLast().map { $0 | 0x20 } == kind }
        guard let meant = start?.kind, let known = identities.ids[meant], known?.contains(id) == true else {
            return nil
        }
        return "\(meant.rawValue):\(id.text)"
    }

    /// What stands before the first colon and after it.
    private func identity(_ text: [UInt8]) -> (Principal.Kind, id: [UInt8])? {
        for (kind, start) in Compiler.identityStarts {
            if text.starts(with: start), text.count > start.count { return (kind, Array(text.dropFirst(start.count))) }
        }
        return nil
    }
}
