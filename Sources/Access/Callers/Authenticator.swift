import Bytes
import Crypto

/// Identifies the caller of a request by the credential that it presents (R8).
package struct Authenticator: Sendable {
    /// An API key as the configuration has it.
    package struct APIKey: Sendable {
        package let id: [UInt8]
        /// SHA-256 of the key.
        package let digest: Digest
        /// When it ends, in seconds since 1970.
        package let notAfter: Int64?

        package init(id: [UInt8], digest: Digest, notAfter: Int64?) {
            self.id = id
            self.digest = digest
            self.notAfter = notAfter
        }
    }

    /// A caller by certificate, as the configuration has it.
    package struct Certificate: Sendable {
        package let id: [UInt8]
        /// Any one of them is enough.
        package let names: [AlternativeName]

        package init(id: [UInt8], names: [AlternativeName]) {
            self.id = id
            self.names = names
        }
    }

    /// Everything by which callers are identified, as the configuration has it.
    package struct Settings {
        package var apiKeys: [APIKey]
        /// No two with the same `iss`.
        package var issuers: [JWTIssuer] = []
        /// No two with the same id, or with a name in common.
        package var certificates: [Certificate] = []
        /// Whose certificates clients may show; nil for nobody's.
        package var authorities: ClientAuthorities?
        /// The claims that grants look at.
        package var claimNames: Set<[UInt8]> = []
        /// How many tokens and tickets an event loop need not check again.
        package var rememberedTokens = 0
        /// Nil where there are no tickets.
        package var ticketKey: TicketKey?
        /// The principals of the deny list.
        package var denied: Set<Principal> = []
    }

    package enum Finding {
        case caller(Caller)
        /// Not to be served; the reason does not tell whether a key exists. The log may know more.
        case refused(StaticString, because: CredentialFault? = nil)
    }

    /// The caller of every request without a credential.
    package let anonymous: Caller
    /// Every caller there can be: `anonymous`, then one for each identity.
    let callers: [Caller]
    let keys: [(prefix: UInt64, digest: Digest, caller: Caller)]
    /// With where the grants of its callers are listed.
    let issuers: [(issuer: JWTIssuer, index: Int)]
    /// In the order of the names.
    let certificates: [(name: AlternativeName, caller: Caller)]
    /// Whose certificates are accepted; nil for nobody's.
    let authorities: ClientAuthorities?
    /// Indices in `keys`, in the order of their callers' indices.
    let keysByCaller: [Int]
    let claimNames: Set<[UInt8]>
    let denied: Set<Principal>
    private let rememberedTokens: Int
    /// What makes tickets; nil where there are none.
    package let ticketKey: TicketKey?
    /// `callers` in the order of their ids.
    private let callersByID: [Caller]

    /// The longest API key that is looked at, in bytes.
    static let maximumKeyLength = 512

    package init(_ settings: Settings) {
        let (denied, issuers) = (settings.denied, settings.issuers)
        anonymous = Caller(.anonymous, index: 0)
        var callers = [anonymous]
        var keys: [(prefix: UInt64, digest: Digest, caller: Caller)] = []
        // Several keys of one identity share its grants, hence its index.
        var indices: [[UInt8]: Int] = [:]
        for key in settings.apiKeys {
            let principal = Principal(.apiKey, id: key.id, subject: key.id)
            let index = indices[key.id] ?? callers.count
            let caller = Caller(
                principal, index: index, isDenied: denied.contains(principal),
                by: .init(endsAt: key.notAfter, proof: .apiKey(key.digest)))
            if indices.updateValue(index, forKey: key.id) == nil { callers.append(caller) }
            keys.append((key.digest.prefix, key.digest, caller))
        }
        self.issuers = issuers.map { issuer in
            let caller = Caller(Principal(.jwt, id: issuer.id), index: callers.count)
            callers.append(caller)
            return (issuer, caller.index)
        }
        var named: [(name: AlternativeName, caller: Caller)] = []
        for certificate in settings.certificates {
            let principal = Principal(.certificate, id: certificate.id, subject: certificate.id)
            let caller = Caller(principal, index: callers.count, isDenied: denied.contains(principal))
            callers.append(caller)
            named += certificate.names.map { ($0, caller) }
        }
        self.certificates = named.sorted { $0.name.precedes($1.name) }
        self.callers = callers
        callersByID = callers.sorted { $0.principal.id.precedes($1.principal.id) }
        ticketKey = settings.ticketKey
        let sorted = keys.sorted { $0.prefix < $1.prefix }
        self.keys = sorted
        keysByCaller = sorted.indices.sorted { sorted[$0].caller.index < sorted[$1].caller.index }
        authorities = settings.authorities
        claimNames = settings.claimNames
        self.denied = denied
        kinds = Authenticator.kinds(settings)
        self.rememberedTokens = issuers.isEmpty && settings.ticketKey == nil ? 0 : settings.rememberedTokens
    }

    /// The kinds of credential that are taken, and how each is sent; nothing of who has one.
    package let kinds: String

    /// When those API keys end that do, in seconds since 1970.
    package var keyEnds: [Int64] { keys.compactMap(\.caller.endsAt) }

    /// Whether anybody is known by a certificate.
    package var hasCertificates: Bool { !certificates.isEmpty }

    /// Whose tokens are believed, by their indices.
    package var tokenIssuers: [JWTIssuer] { issuers.map(\.issuer) }

    /// What an event loop remembers of the tokens and tickets that it has seen.
    package func makeMemory() -> CredentialCache { CredentialCache(capacity: rememberedTokens) }

    /// - Parameters:
    ///   - authorization: the value of the Authorization field, nil when there is none.
    ///   - apiKey: the value of the X-API-Key field, nil when there is none.
    ///   - now: seconds since 1970.
    ///   - memory: of this authenticator alone.
    package func identify(
        authorization: Span<UInt8>?, apiKey: Span<UInt8>?, at now: Int64, remembering memory: inout CredentialCache
    ) -> Finding {
        if let authorization {
            guard apiKey == nil else { return .refused("present one credential, not two") }
            if authorization.equals(ignoringCase: "bearer") {
                return .refused("the credential is empty: nothing stands behind Bearer")
            }
            guard authorization.count > 7, authorization.extracting(0..<7).equals(ignoringCase: "bearer ") else {
                return .refused("the Authorization scheme must be Bearer")
            }
            return find(authorization.extracting(7..<authorization.count), at: now, &memory)
        }
        guard let apiKey else { return .caller(anonymous) }
        return identify(apiKey: apiKey, at: now)
    }

    /// Finds the caller of an API key.
    package func identify(apiKey: Span<UInt8>, at now: Int64) -> Finding {
        guard !apiKey.isEmpty else { return .refused("the credential is empty: nothing stands behind X-API-Key") }
        guard apiKey.count <= Authenticator.maximumKeyLength else {
            return .refused(Authenticator.refusal)
        }
        do throws(CryptoError) {
            return find(try Digest(.sha256, of: apiKey), at: now, otherwise: Authenticator.refusal)
                ?? .refused(Authenticator.refusal)
        } catch {
            return .refused(Authenticator.failure)
        }
    }

    /// Finds the caller of a certificate, by all of its names. A certificate of no caller is refused, like an unknown key (R8). So is
    /// one that belongs to two callers, since it does not say which of them asks.
    /// - Parameters:
    ///   - end: the certificate's last moment.
    ///   - listEnd: up to when it was not revoked.
    ///   - proof: what the authorities have accepted it by, those of an earlier configuration perhaps.
    package func identify(
        certificate names: [AlternativeName], until end: Int64, checkedUntil listEnd: Int64, proof: [UInt8],
        at now: Int64
    ) -> Finding {
        let holders = holders(of: names)
        guard let holder = holders.first else {
            return .refused("the certificate is not one of a known caller")
        }
        guard holders.count == 1 else { return .refused("the certificate has names of two callers") }
        guard now < end else { return .refused("the certificate has ended") }
        guard now < listEnd else {
            return .refused("the list of revoked certificates that the certificate was checked against has ended")
        }
        guard let authorities, authorities.accept(proof, at: now) else {
            return .refused("the certificate is not accepted any more")
        }
        return .caller(
            Caller(
                holder.principal, index: holder.index, isDenied: holder.isDenied,
                by: .init(endsAt: end, proof: .certificate(names, proof))))
    }

    /// The callers that a certificate with these names belongs to. Only a certificate of one caller is accepted.
    func holders(of names: [AlternativeName]) -> [Caller] {
        var holders: [Caller] = []
        for case let caller? in names.map(caller(named:)) where !holders.contains(where: { $0 === caller }) {
            holders.append(caller)
        }
        return holders
    }

    private func caller(named name: AlternativeName) -> Caller? {
        let index = certificates.lowerBound { $0.name.precedes(name) }
        return index < certificates.count && certificates[index].name == name ? certificates[index].caller : nil
    }

    /// The caller of a request with a ticket (R11): its principal, as long as the credential that had proved it is still configured,
    /// and only for the request that the ticket names.
    package func identify(
        ticket text: Span<UInt8>, by signer: TicketSigner?, at now: Int64, remembering memory: inout CredentialCache
    ) -> Finding {
        let refusal: StaticString = "the ticket is not valid"
        guard let signer, let ticketKey, (1...TicketSigner.maximumLength).contains(text.count) else {
            return .refused(refusal)
        }
        let digest: Digest
        let ticket: Ticket
        do throws(CryptoError) {
            digest = try Digest(.sha256, of: text)
            // One that does not hold any more is read again, which says why.
            if let known = memory.find(digest), known.caller.ticket != nil, serves(known.caller, at: now, memory) {
                return .caller(known.caller)
            }
            guard let read = try signer.read(text) else { return .refused(refusal) }
            ticket = read
        } catch {
            return .refused(Authenticator.failure)
        }
        guard !ticket.hasEnded(at: now) else { return .refused("the ticket has ended") }
        let principal = ticket.principal
        guard let index = index(of: principal.kind, principal.id) else { return .refused(refusal) }
        let proof: CallerProof
        do throws(JWTFault) {
            guard let found = try self.proof(of: ticket, index, by: signer, at: now, memory) else {
                return .refused(Authenticator.ticketRefusal)
            }
            proof = found
        } catch {
            return .refused(Authenticator.ticketRefusal, because: .token(error))
        }
        let isDenied = denied.contains(principal) || ticketKey.denies(ticket.id)
        let caller = Caller(
            principal, index: index, isDenied: isDenied, claims: ticket.claims,
            by: .init(endsAt: ticket.endsAt, ticket: ticket, proof: proof))
        if !isDenied, ticket.uses == nil {
            memory.remember(CredentialCache.Entry(digest: digest, caller: caller, token: nil))
        }
        return .caller(caller)
    }

    /// Whether there is anybody whom one of `selectors` admits.
    package func knows(anyOf selectors: [CallerSelector]) -> Bool {
        selectors.contains { selector in
            switch selector {
            case .anonymous: true
            case .authenticated: callers.count > 1
            case .identity(let kind, let id): index(of: kind, id) != nil
            }
        }
    }

    /// Where the grants of those are listed whom `selector` admits.
    func indices(admittedBy selector: CallerSelector) -> [Int] {
        switch selector {
        case .anonymous: [anonymous.index]
        case .authenticated: callers.map(\.index).filter { $0 != anonymous.index }
        case .identity(let kind, let id): index(of: kind, id).map { [$0] } ?? []
        }
    }

    /// Where the grants of an identity's callers are listed; nil for one that is not known any more.
    func index(of kind: Principal.Kind, _ id: [UInt8]) -> Int? {
        callersByID[callersByID.lowerBound { $0.principal.id.precedes(id) }...].prefix { $0.principal.id == id }
            .first { $0.principal.kind == kind }?.index
    }

    private static let refusal: StaticString = "the API key is not valid"
    /// One text for keys and tokens: two would show whether issuers are configured.
    private static let bearerRefusal: StaticString = "the API key or token is not valid"
    private static let ticketRefusal: StaticString = "the credential that the ticket was made with is no longer valid"
    private static let failure: StaticString = "no key can be checked now"

    /// Finds the caller of a key or a token.
    private func find(_ credential: Span<UInt8>, at now: Int64, _ memory: inout CredentialCache) -> Finding {
        guard !credential.isEmpty, credential.count <= JSONWebToken.maximumLength else {
            return .refused(Authenticator.bearerRefusal)
        }
        let digest: Digest
        do throws(CryptoError) { digest = try Digest(.sha256, of: credential) } catch {
            return .refused(Authenticator.failure)
        }
        if let finding = find(digest, at: now, otherwise: Authenticator.bearerRefusal) { return finding }
        if let known = memory.find(digest), let token = known.token, hasKeys(of: token.issuer, at: now, memory) {
            return Authenticator.finding(known.caller, of: token, at: now)
        }
        guard !issuers.isEmpty, JSONWebToken.isOne(credential) else { return .refused(Authenticator.bearerRefusal) }
        do throws(JWTFault) {
            let (caller, token) = try check(credential, at: now, memory)
            memory.remember(CredentialCache.Entry(digest: digest, caller: caller, token: token))
            return Authenticator.finding(caller, of: token, at: now)
        } catch {
            return Authenticator.refused(error)
        }
    }

    private static func finding(_ caller: Caller, of token: CredentialCache.Token, at now: Int64) -> Finding {
        token.validity.fault(at: now).map(refused) ?? .caller(caller)
    }

    private static func refused(_ fault: JWTFault) -> Finding {
        .refused(fault.isGenuine ? fault.reason : bearerRefusal, because: .token(fault))
    }

    private func hasKeys(of issuerIndex: Int, at now: Int64, _ memory: borrowing CredentialCache) -> Bool {
        issuers[issuerIndex].issuer.keys != nil || memory.keys(of: issuerIndex)?.isCurrent(at: now) == true
    }

    /// Finds the caller of a token that is its issuer's and that is valid now.
    private func check(
        _ text: Span<UInt8>, at now: Int64, _ memory: borrowing CredentialCache
    ) throws(JWTFault) -> (Caller, CredentialCache.Token) {
        let token = try JSONWebToken(text)
        guard let issuerIndex = issuers.firstIndex(where: { $0.issuer.issuer == token.claims.issuer }) else {
            throw JWTFault("its iss is none of authentication.jwt", in: .issuer)
        }
        let (issuer, index) = issuers[issuerIndex]
        let proof = try issuer.check(token, sentAs: text, with: memory.keys(of: issuerIndex), of: issuerIndex, at: now)
        let principal = Principal(.jwt, id: issuer.id, subject: token.claims.subject)
        let caller = Caller(
            principal, index: index, isDenied: denied.contains(principal), claims: token.claims.kept(claimNames),
            by: .init(endsAt: token.claims.expiry, leeway: issuer.leeway, proof: proof))
        let validity = JWTValidity(token.claims, leeway: issuer.leeway)
        return (caller, CredentialCache.Token(issuer: issuerIndex, validity: validity))
    }

    /// Where in `keys` those begin that are not before what a digest begins with, or the last key. The search has no branch for the
    /// processor to predict, whose mistakes would tell where the digest sorts.
    private func firstKey(notBefore prefix: UInt64) -> Int {
        var (base, length) = (0, keys.count)
        while length > 1 {
            let half = length / 2
            let isBefore = keys[base + half - 1].prefix.subtractingReportingOverflow(prefix).overflow
            base &+= half &* (isBefore ? 1 : 0)
            length -= half
        }
        return base
    }

    /// Who has the API key of this digest; nil where nobody has.
    /// - Parameter refusal: what is answered to a key that nobody has, and so to one that has ended.
    private func find(_ digest: Digest, at now: Int64, otherwise refusal: StaticString) -> Finding? {
        // The key has 256 random bits, so where its digest sorts tells nothing that helps to guess it; the digests
        // themselves are compared in constant time.
        guard !keys.isEmpty else { return nil }
        let prefix = digest.prefix
        var index = firstKey(notBefore: prefix)
        // How many are compared depends on the keys alone: one, but for those that begin alike.
        repeat {
            if keys[index].digest.constantTimeEquals(digest) {
                let caller = keys[index].caller
                if let end = caller.endsAt, now >= end {
                    return .refused(refusal, because: .endedKey(caller.principal))
                }
                return .caller(caller)
            }
            index += 1
        } while index < keys.count && keys[index].prefix == keys[index - 1].prefix
        return nil
    }
}

extension Array {
    /// Where in a sorted list those begin that are not before what is looked for.
    func lowerBound(_ isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension AlternativeName {
    fileprivate func precedes(_ other: AlternativeName) -> Bool {
        kind == other.kind ? value.precedes(other.value) : kind.rawValue < other.kind.rawValue
    }
}

extension Digest {
    /// Its first eight bytes, to sort and to spread by.
    var prefix: UInt64 {
        var prefix: UInt64 = 0
        for index in 0..<8 { prefix = prefix << 8 | UInt64(bytes[index]) }
        return prefix
    }
}

extension Authenticator.Settings {
    package init() { self.init(apiKeys: []) }
}
