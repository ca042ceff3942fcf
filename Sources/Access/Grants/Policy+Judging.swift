import Bytes

/// Judges one grant, clause by clause.
extension Policy {
    /// - Parameter grant: one of those that are listed for the caller.
    func judge(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant, _ scope: inout Scope
    ) -> Verdict {
        // A grant whose conditions the caller's claims do not meet is treated like another caller's grant.
        guard grant.admits(caller.claims) else { return .foreign(.conditions) }
        if let name = ask.grant, !ask.parameters.bytes(name).equals(grant.name) { return .foreign(.name) }
        if let ticket = caller.ticket, ticket.terms.grant != grant.name || !grant.namesCaller(caller) {
            return .foreign(.ticket)
        }
        if let fault = grant.availability.fault(at: instant.unixSeconds, from: ask.address) {
            return .objects(fault.objection, fault.clause)
        }
        guard ask.obscurity == nil || grant.takesObscure else { return .obscure }
        let verdict = judgeObject(ask, by: grant, for: caller, at: instant, &scope)
        guard case .fits = verdict else { return verdict }
        if let objection = grant.issuer.objection(to: ask) { return .objects(objection, .fields) }
        return Policy.judgeLifetime(ask, by: grant)
    }

    /// The clauses that can be judged though one before them does not hold; for operators, who are told of all faults at once.
    /// - Parameter clause: the one that does not hold.
    func judgeRest(
        behind clause: Clause, _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant,
        _ scope: inout Scope
    ) -> Verdict {
        if clause < .request, ask.obscurity != nil, !grant.takesObscure { return .obscure }
        if clause < .bucket {
            let verdict = judgeObject(ask, by: grant, for: caller, at: instant, &scope)
            guard case .fits = verdict else { return verdict }
        } else if clause == .bucket, !ask.isAboutService {
            scope.begin()
            let verdict = judgeKey(ask, by: grant, for: caller, at: instant, &scope)
            guard case .fits = verdict else { return verdict }
        }
        if clause < .fields, let objection = grant.issuer.objection(to: ask) { return .objects(objection, .fields) }
        return clause < .lifetime ? Policy.judgeLifetime(ask, by: grant) : .fits
    }

    private static func judgeLifetime(_ ask: borrowing Ask, by grant: Grant) -> Verdict {
        ask.lifetime ?? 0 <= grant.lifetimes.longest ? .fits : .lifetimeTooLong
    }

    /// Bucket and key, and the rules of what would be signed.
    private func judgeObject(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant, _ scope: inout Scope
    ) -> Verdict {
        let verdict = judgeScope(ask, by: grant, for: caller, at: instant, &scope)
        guard case .fits = verdict else { return verdict }
        if let objection = Policy.objection(toKey: scope.key, of: ask, by: grant) {
            return .objects(objection, .fields)
        }
        if let template = grant.issuer.vendorName {
            if let fault = scope.set(
                vendorName: template, for: caller, asking: ask.fileExtension, by: ask.nonce, at: instant)
            {
                return Policy.verdict(on: fault, for: caller, of: ask)
            }
            if let objection = grant.issuer.objection(toVendorName: scope.vendorName, of: ask) {
                return .objects(objection, .fields)
            }
        }
        return .fits
    }

    /// What is wrong with the bytes that would be signed as key or prefix. Every rule of a key is asked here, wherever the bytes
    /// come from: the caller, the grant, or a template that was filled in.
    /// - Parameter key: empty where all of the bucket or of the account is meant.
    static func objection(toKey key: Span<UInt8>, of ask: borrowing Ask, by grant: Grant) -> Objection? {
        guard !key.isEmpty else { return nil }
        if let fault = ObjectKeyRule.fault(of: key, maximumLength: grant.resources.maximumKeyLength) {
            return Objection("key", fault)
        }
        return grant.issuer.objection(toKey: key, of: ask)
    }

    private func judgeScope(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant, _ scope: inout Scope
    ) -> Verdict {
        if ask.isAboutService { return judgeService(grant, &scope) }
        switch grant.resources.bucket {
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
        switch (grant.resources.bucket, grant.resources.target) {
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
        switch grant.resources.target {
        case .key(let template):
            if let fault = scope.set(key: template, for: caller, asking: ask.fileExtension, by: ask.nonce, at: instant)
            {
                return Policy.verdict(on: fault, for: caller, of: ask)
            }
            if ask.keyIsPrefix {
                return .objects(Objection("key", "the grant is for one key, and no prefix"), .key)
            }
            if ask.hasExtension, !template.usesExtension { return Policy.unwantedExtension }
            if let asked = ask.key, !ask.keyIsRelative, !asked.equals(scope.key) {
                return .objects(
                    template.usesExtension && ask.extensionParameter != "key"
                        ? Objection("key", "the grant's key is another; leave it out, and ask for its extension by ext")
                        : Objection("key", "the grant's key is another; leave it out, the server chooses"), .key)
            }
        case .prefix(let template):
            if ask.hasExtension { return Policy.unwantedExtension }
            if let fault = scope.set(key: template, for: caller, asking: ask.fileExtension, by: ask.nonce, at: instant)
            {
                return Policy.verdict(on: fault, for: caller, of: ask)
            }
            guard let asked = ask.key else { return judgeWithoutKey(grant, .prefix, &scope) }
            if ask.keyIsRelative {
                scope.append(toKey: asked)
                return .fits
            }
            guard asked.begins(with: scope.key) else {
                return .objects(
                    Objection("keyPrefix", "the key does not begin with the grant's prefix"), .key)
            }
            scope.set(key: asked, isPrefix: ask.keyIsPrefix)
        case .anything:
            if ask.hasExtension { return Policy.unwantedExtension }
            guard let asked = ask.key else { return judgeWithoutKey(grant, .bucket, &scope) }
            scope.set(key: asked, isPrefix: ask.keyIsPrefix)
        }
        return .fits
    }

    private func judgeWithoutKey(_ grant: Grant, _ extent: Permit.Extent, _ scope: inout Scope) -> Verdict {
        if case .refuse(let parameter) = grant.resources.withoutKey { return .missing(parameter: parameter, .key) }
        scope.extent = extent
        return .fits
    }

    private static var unwantedExtension: Verdict {
        .objects(Objection("key", "the grant's key has no ${ext} that ext could stand for; ask by key"), .key)
    }

    private static func verdict(
        on fault: KeyTemplate.RenderFault, for caller: Caller, of ask: borrowing Ask
    ) -> Verdict {
        switch fault {
        case .noExtension: .missing(parameter: ask.extensionParameter, .key)
        case .caller: .objects(Objection("key", "the caller has no name that may stand in a key"), .key)
        case .callerID:
            .objects(KeyTemplate.objection(to: caller.principal.subject, called: Array(text: "caller.id")), .key)
        case .claim:
            .objects(Objection("key", "the caller has no claim that may stand where the grant has it"), .key)
        case .badExtension:
            .objects(Objection("key", "the extension is not one that the grant admits"), .key)
        case .separator(let name):
            .objects(
                Objection("key", "must not hold a character that separates values in the grant", value: name), .key)
        }
    }
}
