import Bytes

/// All grants, and the one place that decides: what is not granted is denied.
package struct Policy: Sendable {
    /// For each route, for each caller's index, the grants that admit the caller.
    private let grants: [[[Grant]]]

    package enum Decision: ~Copyable {
        case permitted(Permit)
        case denied(Denial)
    }

    private enum Verdict {
        case fits
        case missing(parameter: String)
        /// `depth` tells how many clauses held before this one did not.
        case objects(Objection, depth: Int)
    }

    /// - Parameter routes: how many routes there are.
    package init(_ grants: [Grant], for authenticator: Authenticator, routes: Int) {
        var table = [[[Grant]]](
            repeating: [[Grant]](repeating: [], count: authenticator.callers.count), count: routes)
        for grant in grants {
            for caller in authenticator.callers
            where grant.callers.contains(where: { $0.admits(caller.principal) }) {
                table[grant.route][caller.index].append(grant)
            }
        }
        self.grants = table
    }

    /// Finds the one grant that admits the ask (R4) and how long it holds (R5).
    package func decide(
        _ ask: borrowing Ask, on route: Int, by caller: Caller, at moment: borrowing Moment
    ) -> Decision {
        if let denial = refusal(of: caller, on: route) { return .denied(denial) }
        var winner: Grant?
        var winning = Scope()
        var objection: (Objection, depth: Int)?
        var missing: String?
        for grant in grants[route][caller.index] {
            if let name = ask.grant, !ask.parameters.bytes(name).equals(grant.name) { continue }
            var scope = Scope()
            switch judge(ask, by: grant, for: caller, at: moment, &scope) {
            case .fits:
                guard winner == nil else { return .denied(.ambiguous) }
                winner = grant
                winning = scope
            case .missing(let parameter): missing = parameter
            case .objects(let found, let depth):
                if depth >= objection?.depth ?? 0 { objection = (found, depth) }
            }
        }
        guard let winner else {
            if let missing { return .denied(.missing(parameter: missing)) }
            return .denied(.notInGrant(objection?.0))
        }
        return permit(ask, by: winner, for: caller, winning, now: moment.unixSeconds)
    }

    /// Whether the caller can get nothing on this route whatever it asks, so that its parameters need not be read.
    package func refusal(of caller: Caller, on route: Int) -> Denial? {
        if caller.isDenied { return .forbidden }
        return caller.principal.kind == .anonymous && grants[route][caller.index].isEmpty ? .unauthenticated : nil
    }

    private func permit(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, _ scope: Scope, now: Int64
    ) -> Decision {
        switch ask.end {
        case .binding(let end):
            if let callersEnd = caller.endsAt, callersEnd < end { return .denied(.credentialTooShort) }
            return .permitted(Permit(grant, scope, lifetime: end - now, limitedBy: .requested, now: now))
        case .reported(let end):
            return .permitted(Permit(grant, scope, lifetime: end - now, limitedBy: .requested, now: now))
        case nil: break
        }
        guard ask.lifetime ?? 0 <= grant.maxLifetime else {
            return .denied(.lifetimeTooLong(maximum: grant.maxLifetime))
        }
        var lifetime = ask.lifetime ?? grant.lifetime
        var limitedBy: Permit.Limit = ask.lifetime == nil ? .grant : .requested
        if let end = caller.endsAt, end - now < lifetime {
            lifetime = end - now
            limitedBy = .caller
        }
        return .permitted(Permit(grant, scope, lifetime: lifetime, limitedBy: limitedBy, now: now))
    }

    private func judge(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at moment: borrowing Moment, _ scope: inout Scope
    ) -> Verdict {
        if let bucket = grant.bucket {
            if let asked = ask.bucket, !asked.equals(bucket) {
                return .objects(Objection("bucket", "the bucket is not the grant's"), depth: 1)
            }
            guard scope.bucket.append(bucket.span) else { return Policy.badBucket }
        } else {
            guard let asked = ask.bucket else { return .missing(parameter: "bucket") }
            guard scope.bucket.append(asked) else { return Policy.badBucket }
        }
        let verdict = judgeKey(ask, by: grant, for: caller, at: moment, &scope)
        guard case .fits = verdict else { return verdict }
        guard scope.key.count <= grant.maximumKeyLength else { return Policy.verdict(on: .tooLong, grant) }
        if let template = grant.issuer.vendorName,
            let fault = template.render(for: caller, asking: ask.key, at: moment, into: &scope.vendorName)
        {
            return Policy.verdict(on: fault, grant)
        }
        if let objection = grant.issuer.objection(to: ask) { return .objects(objection, depth: 3) }
        return .fits
    }

    private static let badBucket = Verdict.objects(Objection("bucket", BucketRule.fault), depth: 1)

    private func judgeKey(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at moment: borrowing Moment, _ scope: inout Scope
    ) -> Verdict {
        switch grant.target {
        case .key(let template):
            if let fault = template.render(for: caller, asking: ask.key, at: moment, into: &scope.key) {
                return Policy.verdict(on: fault, grant)
            }
            if !template.usesExtension, let asked = ask.key, !asked.equals(scope.key.bytes) {
                return .objects(
                    Objection("key", "the grant's key is another; leave it out, the server chooses"), depth: 2)
            }
            scope.extent = .object
        case .prefix(let template):
            if let fault = template.render(for: caller, asking: ask.key, at: moment, into: &scope.key) {
                return Policy.verdict(on: fault, grant)
            }
            if let asked = ask.key {
                guard asked.begins(with: scope.key.bytes) else {
                    return .objects(Objection("keyPrefix", "the key does not begin with the grant's prefix"), depth: 2)
                }
                scope.extent = .object
                scope.key.reset()
                guard scope.key.append(asked) else { return Policy.verdict(on: .tooLong, grant) }
            } else if case .refuse(let parameter) = grant.withoutKey {
                return .missing(parameter: parameter)
            } else {
                scope.extent = .prefix
            }
        case .anything:
            if let asked = ask.key {
                scope.extent = .object
                guard scope.key.append(asked) else { return Policy.verdict(on: .tooLong, grant) }
            } else if case .refuse(let parameter) = grant.withoutKey {
                return .missing(parameter: parameter)
            } else {
                scope.extent = .bucket
            }
        }
        return .fits
    }

    private static func verdict(on fault: KeyTemplate.RenderFault, _ grant: Grant) -> Verdict {
        switch fault {
        case .noKey: .missing(parameter: "key")
        case .caller: .objects(Objection("key", "the caller has no name that may stand in a key"), depth: 2)
        case .badExtension:
            .objects(Objection("key", "the key's extension is not one that the grant admits"), depth: 2)
        case .tooLong: .objects(Objection("key", "the rendered key is longer than the vendor allows"), depth: 2)
        }
    }
}
