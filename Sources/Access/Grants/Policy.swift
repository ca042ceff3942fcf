import Bytes

/// All grants. It alone decides: what is not granted is denied.
package struct Policy: Sendable {
    /// For each route, for each caller's index, the grants that admit the caller.
    let grants: [[[Grant]]]
    /// Every grant, whoever it is for.
    let all: [Grant]

    package enum Decision: ~Copyable {
        case permitted(Permit)
        case denied(Denial)
    }

    /// What one grant says to an ask: the clauses are judged in the order of `Clause`, up to the first that does not hold.
    enum Verdict {
        case fits
        /// The grant is none of the caller's, or not the one that is named: nobody is told of it.
        case foreign(Clause)
        case missing(parameter: String, Clause)
        /// Nobody can tell what is asked for, and the grant takes no such asks.
        case obscure
        /// All clauses hold but for the lifetime asked for.
        case lifetimeTooLong
        case objects(Objection, Clause)
    }

    /// - Parameter routes: how many routes there are.
    package init(_ grants: [Grant], for authenticator: Authenticator, routes: Int) {
        var table = [[[Grant]]](
            repeating: [[Grant]](repeating: [], count: authenticator.callers.count), count: routes)
        for grant in grants {
            for index in Set(grant.callers.flatMap { authenticator.indices(admittedBy: $0) }) {
                table[grant.route][index].append(grant)
            }
        }
        self.grants = table
        all = grants
    }

    /// Finds the one grant that admits the ask (R4) and how long it holds (R5).
    package func decide(
        _ ask: borrowing Ask, on route: Int, by caller: Caller, at instant: Instant,
        in workspace: inout PolicyWorkspace
    ) -> Decision {
        if caller.isDenied { return .denied(.forbidden) }
        if needsCredential(caller, on: route) { return .denied(.unauthenticated) }
        var winner: Grant?
        var objection: (Objection, Clause)?
        var missing: String?
        var longest: Int64?
        for grant in grants[route][caller.index] {
            switch judge(ask, by: grant, for: caller, at: instant, &workspace.candidate) {
            case .fits:
                guard winner == nil else { return .denied(.ambiguous) }
                winner = grant
                swap(&workspace.winning, &workspace.candidate)
            case .missing(let parameter, _): missing = parameter
            case .foreign, .obscure: break
            case .lifetimeTooLong: longest = max(longest ?? 0, grant.maxLifetime)
            case .objects(let found, let clause):
                if let nearest = objection?.1, clause < nearest { continue }
                objection = (found, clause)
            }
        }
        guard let winner else {
            if let longest { return .denied(.lifetimeTooLong(maximum: longest)) }
            if let missing { return .denied(.missing(parameter: missing)) }
            if objection == nil, let obscurity = ask.obscurity { return .denied(.obscure(obscurity)) }
            return .denied(.notInGrant(objection?.0))
        }
        let (lifetime, limitedBy): (Int64, Permit.Limit)
        switch Policy.lifetime(of: ask, by: winner, for: caller, now: instant.unixSeconds) {
        case .lasts(let seconds, let limit): (lifetime, limitedBy) = (seconds, limit)
        case .denied(let denial): return .denied(denial)
        }
        var scope = Scope()
        swap(&scope, &workspace.winning)
        return .permitted(
            Permit(winner, scope, lifetime: lifetime, limitedBy: limitedBy, now: instant.unixSeconds))
    }

    /// Whether nobody in particular asks, who gets nothing on this route whatever is asked.
    package func needsCredential(_ caller: Caller, on route: Int) -> Bool {
        caller.principal.kind == .anonymous && grants[route][caller.index].isEmpty
    }

    enum Lifetime {
        case lasts(Int64, Permit.Limit)
        case denied(Denial)

        static func tooShort(_ left: Int64, needed: Int64?, _ remedy: Shortfall.Remedy) -> Lifetime {
            .denied(.credentialTooShort(Shortfall(left: max(0, left), needed: needed, remedy: remedy)))
        }
    }

    static func lifetime(
        of ask: borrowing Ask, by grant: Grant, for caller: Caller, now: Int64
    ) -> Lifetime {
        let left = caller.end(at: now).map { $0 - now }
        if grant.neverEnds, let left { return .tooShort(left, needed: nil, .endlessCredential) }
        switch ask.end {
        case .binding(let end):
            if let left, left < end - now { return .tooShort(left, needed: end - now, .earlierEnd) }
            return .lasts(end - now, .requested)
        case .fixed(let end):
            if case .ignored = grant.callersEnd { return .lasts(end - now, .requested) }
            if let left, left < end - now { return .tooShort(left, needed: end - now, .outliveCaller) }
            return .lasts(end - now, .requested)
        case nil: break
        }
        let lifetime = ask.lifetime ?? grant.lifetime
        let last = grant.lastMoment ?? .max
        guard now < last else {
            return .denied(.notInGrant(Objection("lifetime", "the vendor's tokens cannot name a time so late")))
        }
        if let left, left < lifetime {
            switch grant.callersEnd {
            case .shortens: if now + left <= last { return .lasts(left, .caller) }
            case .denies: return .tooShort(left, needed: lifetime, .outliveCaller)
            case .ignored: break
            }
        }
        if last - now < lifetime { return .lasts(last - now, .grant) }
        return .lasts(lifetime, ask.lifetime == nil ? .grant : .requested)
    }

    /// - Parameter grant: one of those that are listed for the caller.
    func judge(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant, _ scope: inout Scope
    ) -> Verdict {
        // A grant whose conditions the caller's claims do not meet is as foreign as another's.
        guard grant.admits(caller.claims) else { return .foreign(.conditions) }
        if let name = ask.grant, !ask.parameters.bytes(name).equals(grant.name) { return .foreign(.name) }
        if let ticket = caller.ticket, ticket.terms.grant != grant.name || !grant.namesCaller(caller) {
            return .foreign(.ticket)
        }
        guard ask.obscurity == nil || grant.takesObscure else { return .obscure }
        let verdict = judgeScope(ask, by: grant, for: caller, at: instant, &scope)
        guard case .fits = verdict else { return verdict }
        if let objection = Policy.objection(toKey: scope.key, of: ask, by: grant) {
            return .objects(objection, .fields)
        }
        if let template = grant.issuer.vendorName {
            if let fault = scope.set(
                vendorName: template, for: caller, asking: ask.key, by: ask.nonce, at: instant)
            {
                return Policy.verdict(on: fault)
            }
            if let objection = grant.issuer.objection(toVendorName: scope.vendorName, of: ask) {
                return .objects(objection, .fields)
            }
        }
        if let objection = grant.issuer.objection(to: ask) { return .objects(objection, .fields) }
        return ask.lifetime ?? 0 <= grant.maxLifetime ? .fits : .lifetimeTooLong
    }

    /// What is wrong with the bytes that would be signed as key or prefix. Every rule of a key is asked here, wherever the bytes
    /// come from: the caller, the grant, or a template that was filled in.
    /// - Parameter key: empty where all of the bucket or of the account is meant.
    private static func objection(toKey key: Span<UInt8>, of ask: borrowing Ask, by grant: Grant) -> Objection? {
        guard !key.isEmpty else { return nil }
        if let fault = ObjectKeyRule.fault(of: key, maximumLength: grant.maximumKeyLength) {
            return Objection("key", fault)
        }
        return grant.issuer.objection(toKey: key, of: ask)
    }

    private func judgeScope(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant, _ scope: inout Scope
    ) -> Verdict {
        if ask.isAboutService { return judgeService(grant, &scope) }
        switch grant.bucket {
        case .named(let bucket):
            if let asked = ask.bucket, !asked.equals(bucket) {
                return .objects(Objection("bucket", "the bucket is not the grant's"), .bucket)
            }
            scope.begin(bucket: bucket.span)
        case .asked:
            guard let asked = ask.bucket else { return .missing(parameter: "bucket", .bucket) }
            scope.begin(bucket: asked)
        case .absent: scope.begin()
        }
        return judgeKey(ask, by: grant, for: caller, at: instant, &scope)
    }

    private func judgeService(_ grant: Grant, _ scope: inout Scope) -> Verdict {
        switch (grant.bucket, grant.target) {
        case (.asked, .anything), (.absent, .anything):
            scope.begin()
            scope.extent = .service
            return .fits
        case (.named, _), (_, .key), (_, .prefix):
            let reason: StaticString = "what is asked for is of the whole account, and the grant is for a part of it"
            return .objects(Objection("unscoped", reason), .bucket)
        }
    }

    private func judgeKey(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant, _ scope: inout Scope
    ) -> Verdict {
        switch grant.target {
        case .key(let template):
            if let fault = scope.set(key: template, for: caller, asking: ask.key, by: ask.nonce, at: instant) {
                return Policy.verdict(on: fault)
            }
            if ask.keyIsPrefix {
                return .objects(Objection("key", "the grant is for one key, and no prefix"), .key)
            }
            if !template.usesExtension, let asked = ask.key, !asked.equals(scope.key) {
                return .objects(
                    Objection("key", "the grant's key is another; leave it out, the server chooses"), .key)
            }
        case .prefix(let template):
            if let fault = scope.set(key: template, for: caller, asking: ask.key, by: ask.nonce, at: instant) {
                return Policy.verdict(on: fault)
            }
            guard let asked = ask.key else { return judgeWithoutKey(grant, .prefix, &scope) }
            guard asked.begins(with: scope.key) else {
                return .objects(
                    Objection("keyPrefix", "the key does not begin with the grant's prefix"), .key)
            }
            scope.set(key: asked, isPrefix: ask.keyIsPrefix)
        case .anything:
            guard let asked = ask.key else { return judgeWithoutKey(grant, .bucket, &scope) }
            scope.set(key: asked, isPrefix: ask.keyIsPrefix)
        }
        return .fits
    }

    private func judgeWithoutKey(_ grant: Grant, _ extent: Permit.Extent, _ scope: inout Scope) -> Verdict {
        if case .refuse(let parameter) = grant.withoutKey { return .missing(parameter: parameter, .key) }
        scope.extent = extent
        return .fits
    }

    private static func verdict(on fault: KeyTemplate.RenderFault) -> Verdict {
        switch fault {
        case .noKey: .missing(parameter: "key", .key)
        case .caller: .objects(Objection("key", "the caller has no name that may stand in a key"), .key)
        case .claim:
            .objects(Objection("key", "the caller has no claim that may stand where the grant has it"), .key)
        case .badExtension:
            .objects(Objection("key", "the key's extension is not one that the grant admits"), .key)
        case .separator(let name):
            .objects(
                Objection("key", "must not hold a character that separates values in the grant", value: name), .key)
        }
    }
}
