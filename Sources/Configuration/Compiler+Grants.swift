import Access
import Bytes
import Crypto
import Providers

extension Compiler {
    /// The fields of one grant while it is compiled.
    struct Draft {
        let path: String
        let route: RouteDescription
        /// All fields of the grant, which are read by the keys below.
        let fields: FieldValues
        /// The keys of its lifetimes.
        let lifetimes: Schema.Lifetimes
        let descriptions: [FieldDescription]
        /// Whether nothing is wrong with any field by itself: only then it is judged what they say together.
        let isRead: Bool

        private static let lifetimes = Registry.routes.map { Schema.Lifetimes($0.description) }

        /// The names of the fields that are not of a grant's terms (`Grant.Entry`).
        static let identifying =
            (Schema.scopeFields.descriptions
            + [Schema.callerFields.callers.description, Schema.availabilityFields.description.description])
            .map { Array(text: $0.name) }

        /// - Parameter index: the route's in the registry.
        init(path: String, route index: Int, fields: FieldValues, isRead: Bool) {
            self.path = path
            self.fields = fields
            self.isRead = isRead
            route = Registry.routes[index].description
            descriptions = Schema.grants[index]
            lifetimes = Draft.lifetimes[index]
        }
    }

    /// Compiles one entry of `grants`; nil when too much is wrong with it, which is then noted.
    /// - Parameter grantIndex: its index among the grants.
    func compileGrant(
        _ member: JSONMember, at grantIndex: Int, _ defaults: GrantDefaults, _ credentials: Credentials,
        _ identities: Identities
    ) -> (Grant, IssuerKind)? {
        let path = noteNamed(member, in: "grants")
        guard let index = reader.kind(Schema.routeName, of: member.value, path, among: Schema.routeNames) else {
            judgeGrant(ofUnknownRoute: member, at: path, defaults, credentials, identities)
            return nil
        }
        let (route, provider) = (Registry.routes[index].description, Registry.routes[index].provider)
        let problems = reader.problems.count
        let value = defaults.complete(member.value, of: index)
        let fields = reader.read(value, path, by: Schema.grants[index])
        let draft = Draft(path: path, route: index, fields: fields, isRead: reader.problems.count == problems)
        let callers = compileCallers(draft, identities)
        let conditions = compileConditions(draft, callers)
        let target = compileTarget(draft)
        let credential = compileCredential(draft, provider, credentials)
        let issuer = target.flatMap { makeIssuer(draft, for: $0, credential, credentials) }
        let lifetimes = compileLifetimes(draft)
        let availability = compileAvailability(draft, issuer)
        guard draft.isRead, let callers, let target, let credential, let issuer else { return nil }
        listing?.add(member.name, Compiler.resolved(draft, conditions), by: draft.descriptions)
        let fingerprint = Grant.Fingerprint { hasher in
            value.hash(into: &hasher)
            hasher.combine(credentials.hashes[credential])
        }
        let terms = Grant.Fingerprint { hasher in
            value.hash(into: &hasher, without: Draft.identifying)
            hasher.combine(credentials.hashes[credential])
        }
        let resources = Grant.Resources(
            target, in: Compiler.bucket(of: draft), withoutKey: route.request.withoutKey,
            maximumKeyLength: route.request.maximumKeyLength)
        let issuance = Grant.Issuance(
            by: issuer.issuer, on: index, with: credential, facts: Compiler.facts(of: draft, credentials, credential))
        let grant = Grant(
            Grant.Entry(
                member.name, at: grantIndex, fingerprint, terms: terms,
                saying: draft.fields[Schema.availabilityFields.description]),
            for: Grant.Principals(callers, where: conditions, when: availability), of: resources, lasting: lifetimes,
            at: Compiler.rates(of: draft), issuance)
        return (grant, issuer)
    }

    /// - Parameter credential: its index; nil where something is wrong with it, which a route does not notice that needs nothing
    ///   of it.
    private func makeIssuer(
        _ draft: Draft, for target: Grant.Target, _ credential: Int?, _ credentials: Credentials
    ) -> IssuerKind? {
        guard credential != nil || draft.route.grant.credential.needs.isEmpty else { return nil }
        let key = credential.flatMap { credentials.list[$0].key }
        var context = GrantContext(
            target: target, bucket: draft.fields[Schema.scopeFields.bucket], accessKey: key?.accessKey ?? [],
            securityToken: key?.securityToken,
            credential: credential.map { credentials.fields[$0] } ?? FieldValues(),
            hasSessions: credential.map { credentials.list[$0].sessions != nil } ?? false)
        context.secret = key?.secret
        return judgeAll(draft.fields, at: draft.path, isRead: draft.isRead) { fields throws(FieldProblem) in
            try draft.route.grant.makeIssuer(fields, context)
        }
    }

    /// Checks the callers, the scope and the lifetimes of a grant, and nothing else.
    func judge(_ draft: Draft, _ identities: Identities) {
        let callers = compileCallers(draft, identities)
        _ = compileConditions(draft, callers)
        _ = compileTarget(draft)
        _ = compileLifetimes(draft)
    }

    private func compileCredential(
        _ draft: Draft, _ provider: ProviderDescription, _ credentials: Credentials
    ) -> Int? {
        guard let name = draft.fields[Schema.grantFields.credential], credentials.isComplete else {
            return nil
        }
        let rule = draft.route.grant.credential
        guard let entry = entry(of: name, draft.path + ".credential", credentials) else { return nil }
        if let its = entry.provider, its != provider.name, !rule.otherProviders.contains(its) {
            let names = ([provider.name] + rule.otherProviders).joined(separator: " or ")
            reader.report(draft.path + ".credential", "is one of provider \(its); this route needs one of \(names)")
            return nil
        }
        guard let index = entry.index else { return nil }
        for need in rule.needs where credentials.fields[index][need] == nil {
            reader.report(draft.path + ".credential", "is one without \(need.name), which this route needs")
            return nil
        }
        return index
    }

    /// The credential of this name, which is reported where there is none.
    func entry(
        of name: [UInt8], _ path: @autoclosure () -> String, _ credentials: Credentials
    ) -> (provider: String?, index: Int?)? {
        if let entry = credentials.byName[name] { return entry }
        reader.report(path(), FieldReader.unknown(name.text, among: credentials.byName.keys.map(\.text)))
        return nil
    }

    // MARK: Callers

    /// - Returns: nil where it cannot be told whom they admit.
    private func compileCallers(_ draft: Draft, _ identities: Identities) -> [CallerSelector]? {
        guard draft.route.grant.hasCallers else { return [] }
        guard let names = draft.fields[Schema.callerFields.callers] else { return nil }
        let callers = compileSelectors(names, draft.path + ".callers", identities)
        guard !callers.isEmpty, callers.count == names.count else { return nil }
        let isPublic = draft.fields.checked(Schema.callerFields.public)
        if callers.contains(.anonymous), isPublic == false {
            reader.report(
                draft.path + ".callers",
                "anonymous needs public: true in the grant, since anybody may use it then (R10)")
        }
        if isPublic == true, !callers.contains(.anonymous) {
            reader.report(draft.path + ".public", "is true, but anonymous is not among the callers")
        }
        for (templatePath, template) in draft.fields.callerTemplates(below: draft.path) {
            check(template, templatePath, callers)
        }
        return callers
    }

    /// The callers that are named, as far as their names can be read.
    func compileSelectors(
        _ names: [[UInt8]], _ path: @autoclosure () -> String, _ identities: Identities
    ) -> [CallerSelector] {
        if names.isEmpty { reader.report(path(), "must name somebody") }
        var callers: [CallerSelector] = []
        for (index, name) in names.enumerated() {
            guard let selector = selector(name) else {
                let meant = Compiler.respelled(name, identities).map { "; did you mean \($0)?" } ?? ""
                reader.report(
                    reader.join(path(), index),
                    "must be \"anonymous\", \"authenticated\", \"apiKey:ID\", \"jwt:ID\" or \"certificate:ID\"\(meant)")
                continue
            }
            if case .identity(let kind, let id) = selector {
                check(kind, id, reader.join(path(), index), identities)
            }
            callers.append(selector)
        }
        return callers
    }

    /// R9: what a caller's name stands in must not be shared by callers of different identities.
    private func check(_ template: KeyTemplate, _ path: String, _ callers: [CallerSelector]) {
        let isOne = callers.count == 1 && callers.allSatisfy { if case .identity = $0 { true } else { false } }
        if callers.contains(.anonymous) {
            reader.report(path, "names the caller, and anonymous callers have no name (R9)")
        } else if !template.claimNames.isEmpty, !Compiler.haveClaims(callers) {
            reader.report(path, "has claims of the caller's, and only callers jwt:ID have any")
        } else if !template.namesSource, !isOne {
            reader.report(
                path,
                "must have ${caller.source}, as in users/${caller.source}/ (for tokens, ${caller.id} as well: "
                    + "users/${caller.source}/${caller.id}/), or callers must be one kind:id; else two callers could share it (R9)"
            )
        }
    }

    private static func haveClaims(_ callers: [CallerSelector]) -> Bool {
        callers.allSatisfy { if case .identity(.jwt, _) = $0 { true } else { false } }
    }

    /// What the grant asks of its callers' claims.
    private func compileConditions(_ draft: Draft, _ callers: [CallerSelector]?) -> [ClaimCondition] {
        guard let members = draft.fields[Schema.callerFields.where] else { return [] }
        let path = draft.path + ".where"
        if members.isEmpty { reader.report(path, "must have at least one condition") }
        if let callers, !Compiler.haveClaims(callers) {
            reader.report(path, "asks for claims, and only callers jwt:ID have any")
        }
        let start = Array("claims.".utf8)
        var conditions: [ClaimCondition] = []
        for member in members {
            let memberPath = reader.note(member, in: path)
            guard member.name.starts(with: start), member.name.count > start.count else {
                reader.report(memberPath, "must be claims.NAME")
                continue
            }
            guard let values = reader.claimValues(member.value, memberPath) else { continue }
            conditions.append(ClaimCondition(name: Array(member.name.dropFirst(start.count)), values: values))
        }
        return conditions
    }

    /// What a grant says, its conditions with the texts of environment variables.
    private static func resolved(_ draft: Draft, _ conditions: [ClaimCondition]) -> FieldValues {
        guard !conditions.isEmpty else { return draft.fields }
        var fields = draft.fields
        fields[Schema.callerFields.where] = conditions.map(\.member)
        return fields
    }

    // MARK: Bucket and key

    /// - Returns: nil where anything is wrong with it, which has been reported.
    private func compileTarget(_ draft: Draft) -> Grant.Target? {
        let problems = reader.problems.count
        checkNames(draft.fields, at: draft.path, maximumKeyLength: draft.route.request.maximumKeyLength)
        checkExtensions(draft)
        guard reader.problems.count == problems else { return nil }
        let (key, prefix) = (draft.fields[Schema.scopeFields.key], draft.fields[Schema.scopeFields.keyPrefix])
        if key != nil, prefix != nil {
            reader.report(draft.path + ".keyPrefix", "cannot stand beside key")
            return nil
        }
        // What is not there may be what was not understood.
        let isSaid = key != nil || prefix != nil || draft.fields[Schema.callerFields.unscoped]
        guard draft.isRead ? !draft.route.grant.hasCallers || checkScope(draft) : isSaid else {
            return nil
        }
        if let key { return .key(key.limited(to: draft.fields[Schema.scopeFields.extensions])) }
        return prefix.map { .prefix($0) } ?? .anything
    }

    /// Judges the bucket, the key and the prefix of a grant, each by itself.
    func checkNames(_ fields: FieldValues, at path: String, maximumKeyLength: Int) {
        if let bucket = fields[Schema.scopeFields.bucket], !BucketRule.admits(bucket.span) {
            reader.report(path + ".bucket", BucketRule.fault.description)
        }
        if let fault = fields[Schema.scopeFields.key].flatMap({ Compiler.fault(ofKey: $0, maximumKeyLength) }) {
            reader.report(path + ".key", fault)
        }
        if let fault = fields[Schema.scopeFields.keyPrefix].flatMap({ Compiler.fault(ofPrefix: $0, maximumKeyLength) })
        {
            reader.report(path + ".keyPrefix", fault)
        }
    }

    /// Whether the grant says what it gives: the fields that its route has for that, or that it is `unscoped`.
    private func checkScope(_ draft: Draft) -> Bool {
        let scope = draft.route.grant.scope
        let isComplete = scope.isComplete(in: draft.fields)
        let isUnscoped = draft.fields[Schema.callerFields.unscoped]
        if isComplete, isUnscoped {
            reader.report(draft.path + ".unscoped", "is true, but the grant has a scope: its \(scope.words)")
        }
        if isComplete || isUnscoped { return true }
        reader.report(
            draft.path,
            scope.isEmpty
                ? "needs unscoped: true, since what it gives is of the whole account"
                : "needs \(scope.words); a grant for more needs unscoped: true")
        return false
    }

    /// - Parameter credential: the index of the grant's.
    private static func facts(of draft: Draft, _ credentials: Credentials, _ credential: Int) -> JSONMembers {
        let provider = Registry.provider(named: credentials.list[credential].provider)
        return JSONMembers { json in
            for (fields, descriptions) in [
                (credentials.fields[credential], provider?.credentialFields ?? []),
                (draft.fields, draft.route.grant.fields),
            ] {
                for description in descriptions where description.isTold {
                    var value = fields[description]
                    // Clients count in seconds.
                    if case .duration = description.kind, case .integer(let time)? = value {
                        value = .integer(time / 1000)
                    }
                    json.add(description, value)
                }
            }
        }
    }

    private static func rates(of draft: Draft) -> Grant.Rates {
        let rate = draft.fields[Schema.rateFields.rate]
        return Grant.Rates(perCaller: rate.perCaller, perGrant: rate.perGrant)
    }

    private static func bucket(of draft: Draft) -> Grant.Bucket {
        guard draft.route.grant.scope.contains(.bucket) else { return .absent }
        return draft.fields[Schema.scopeFields.bucket].map { .named($0) } ?? .asked
    }

    /// R13 for the part of a key that the configuration gives, each placeholder taken as one letter.
    private static func fault(ofKey key: KeyTemplate, _ maximumLength: Int) -> String? {
        ObjectKeyRule.fault(of: key.sample.span, maximumLength: maximumLength)?.description
    }

    private static func fault(ofPrefix prefix: KeyTemplate, _ maximumLength: Int) -> String? {
        if let fault = fault(ofKey: prefix, maximumLength) { return fault }
        if prefix.usesExtension { return "cannot have ${ext}, which only a whole key has" }
        return prefix.endsInSlash ? nil : "must end in /, else users/1 would also admit users/10"
    }

    private func checkExtensions(_ draft: Draft) {
        guard let extensions = draft.fields[Schema.scopeFields.extensions] else { return }
        let path = draft.path + ".extensions"
        if extensions.isEmpty { reader.report(path, "must name at least one") }
        for (index, name) in extensions.enumerated() {
            if !FileExtension.admits(name.span) {
                reader.report(reader.join(path, index), FileExtension.fault.description)
            }
        }
        if draft.isRead, draft.fields[Schema.scopeFields.key]?.usesExtension != true {
            reader.report(path, "needs ${ext} in key")
        }
    }

    // MARK: When and from where

    private func compileAvailability(_ draft: Draft, _ issuer: IssuerKind?) -> Availability {
        let (fields, keys) = (draft.fields, Schema.availabilityFields)
        if let start = fields[keys.notBefore], let end = fields[keys.notAfter], end <= start {
            reader.report(draft.path + ".notAfter", "must be later than notBefore")
        }
        if fields[keys.notAfter] != nil, issuer?.issuer.neverEnds == true {
            reader.report(
                draft.path + ".notAfter", "cannot stand beside neverExpires, since what is signed would not end")
        }
        return Availability(
            isEnabled: fields[keys.enabled], notBefore: fields[keys.notBefore], notAfter: fields[keys.notAfter],
            addresses: fields[keys.addresses].map { compileAddresses($0, draft.path + ".addresses") } ?? [])
    }

    private func compileAddresses(_ names: [[UInt8]], _ path: String) -> [AddressBlock] {
        names.enumerated().compactMap { index, name in
            if let block = AddressBlock(name.text) { return block }
            reader.report(
                reader.join(path, index),
                "must be an address, or a block such as \"10.0.0.0/8\" or \"2001:db8::/32\" with no bits set beyond its prefix"
            )
            return nil
        }
    }

    // MARK: Lifetime

    private func compileLifetimes(_ draft: Draft) -> Grant.Lifetimes {
        let (fields, keys) = (draft.fields, draft.lifetimes)
        let most = fields[keys.maxLifetime].map { $0 / 1000 }
        let lifetime = fields[keys.lifetime].map { $0 / 1000 } ?? min(3600, most ?? 3600)
        if let most, most < lifetime {
            reader.report(draft.path + ".maxLifetime", "must not be shorter than lifetime")
        }
        return Grant.Lifetimes(
            usual: lifetime, longest: most ?? lifetime,
            least: draft.route.grant.lifetime == nil ? 1 : draft.route.request.shortestLifetime,
            mayShrink: draft.route.grant.lifetime != nil && fields[keys.lifetime] == nil,
            lastMoment: draft.route.grant.lifetime?.lastMoment)
    }
}
