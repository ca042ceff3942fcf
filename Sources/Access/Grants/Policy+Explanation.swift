import Bytes

extension Policy {
    /// Decides as `decide` does, and tells what every grant of the route says to the ask.
    /// - Parameter use: is lent the permit, if there is one.
    package func explain(
        _ ask: borrowing Ask, on route: Int, by caller: Caller, at instant: Instant,
        in workspace: inout PolicyWorkspace, _ use: (borrowing Permit) -> Void = { _ in }
    ) -> Explanation {
        var grants: [Explanation.Judged] = []
        for (number, grant) in all.enumerated() where grant.route == route {
            let isListed = routes[route].contains(Int32(number), for: caller)
            let faults =
                isListed
                ? faults(of: ask, by: grant, for: caller, at: instant, &workspace.candidate)
                : [Verdict.foreign(.callers).fault].compactMap(\.self)
            let findings = Policy.findings(faults, ask, grant, caller, instant)
            grants.append(Explanation.Judged(grant: grant, findings: findings))
        }
        switch decide(ask, on: route, by: caller, at: instant, in: &workspace) {
        case .denied(let denial): return Explanation(outcome: .denied(denial), grants: grants)
        case .permitted(let permit):
            use(permit)
            let permitted = Explanation.Permitted(
                grant: permit.grant, bucket: permit.bucket.array, key: permit.key.array, extent: permit.extent,
                expiresAt: permit.grant.neverEnds ? nil : permit.expiresAt, lifetime: permit.lifetime,
                limitedBy: permit.limitedBy,
                bounds: Policy.bounds(of: ask, by: permit.grant, for: caller, now: instant.unixSeconds))
            return Explanation(outcome: .permitted(permitted), grants: grants)
        }
    }

    /// The clauses that do not hold, in their order: the one at which the decision stopped, and those behind it that can be judged
    /// all the same.
    private func faults(
        of ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant, _ scope: inout Scope
    ) -> [Verdict.Fault] {
        var faults: [Verdict.Fault] = []
        var fault = judge(ask, by: grant, for: caller, at: instant, &scope).fault
        while let found = fault {
            faults.append(found)
            fault =
                found.isLast
                ? nil : judgeRest(behind: found.clause, ask, by: grant, for: caller, at: instant, &scope).fault
        }
        return faults
    }

    /// What each clause came to.
    private static func findings(
        _ faults: [Verdict.Fault], _ ask: borrowing Ask, _ grant: Grant, _ caller: Caller, _ instant: Instant
    ) -> [Explanation.Finding] {
        var findings: [Explanation.Finding] = []
        for clause in Clause.allCases {
            let fault = faults.first { $0.clause == clause }
            guard fault != nil || concerns(clause, ask, grant, caller) else { continue }
            if clause == .conditions {
                findings += grant.principals.conditions.map { finding($0, faults.first?.clause, caller) }
                continue
            }
            let (asked, granted) =
                if clause == .fields, let field = fault?.subject {
                    values(ofField: field, ask, grant)
                } else {
                    values(of: clause, ask, grant, caller, instant)
                }
            let claimFault = clause == .key ? grant.templateFault(of: caller) : nil
            findings.append(
                Explanation.Finding(
                    clause: clause, subject: fault?.subject ?? clause.rawValue,
                    outcome: fault != nil ? .fails : isOpen(clause, faults) ? .open : .holds, asked: asked,
                    granted: granted, reason: fault.map { claimFault ?? $0.reason } ?? ""))
        }
        return findings
    }

    /// Whether a clause without a fault was not judged, or not to its end.
    private static func isOpen(_ clause: Clause, _ faults: [Verdict.Fault]) -> Bool {
        guard let first = faults.first, let last = faults.last, first.clause < clause else { return false }
        return clause <= .addresses || clause == .fields || last.isLast && last.clause < clause
    }

    /// Whether the clause had anything to say to this ask.
    private static func concerns(
        _ clause: Clause, _ ask: borrowing Ask, _ grant: Grant, _ caller: Caller
    ) -> Bool {
        switch clause {
        case .callers, .fields: true
        case .conditions: !grant.principals.conditions.isEmpty
        case .name: ask.grant != nil
        case .enabled: !grant.availability.isEnabled
        case .notBefore: grant.availability.notBefore != nil
        case .notAfter: grant.availability.notAfter != nil
        case .addresses: !grant.availability.addresses.isEmpty
        case .ticket: caller.ticket != nil
        case .request: ask.obscurity != nil
        case .bucket: if case .absent = grant.resources.bucket { ask.isAboutService } else { true }
        case .key: !ask.isAboutService
        case .lifetime: ask.end == nil && !grant.neverEnds
        }
    }

    private static func finding(
        _ condition: ClaimCondition, _ fault: Clause?, _ caller: Caller
    ) -> Explanation.Finding {
        let separator = Array(text: ", ")
        var asked: [UInt8]?
        switch caller.claims[condition.name] {
        case .single(let value): asked = value.shown
        case .list(let list): asked = Array(list.map(\.shown).joined(separator: separator))
        case nil: break
        }
        let holds = condition.holds(for: caller.claims)
        let isOpen = fault.map { $0 < .conditions } ?? false
        let granted = condition.values.map(\.shown)
        let isOfOtherType = asked.map(granted.contains) ?? false
        let otherType = "the caller's claim is of another type than this text, number, true or false"
        return Explanation.Finding(
            clause: .conditions, subject: "where.claims.\(condition.name.text)",
            outcome: isOpen ? .open : holds ? .holds : .fails, asked: asked,
            granted: Array(granted.joined(separator: separator)),
            reason: isOpen || holds
                ? ""
                : isOfOtherType
                    ? otherType : caller.claims.absence(of: condition.name) ?? "the caller's claim is none of these")
    }

    /// What was compared: what the request or its caller says, and what the grant does.
    private static func values(
        of clause: Clause, _ ask: borrowing Ask, _ grant: Grant, _ caller: Caller, _ instant: Instant
    ) -> (asked: [UInt8]?, granted: [UInt8]?) {
        switch clause {
        case .callers:
            let selectors = grant.callers.map(\.written).joined(separator: Array(text: ", "))
            return (caller.principal.written, Array(selectors))
        case .name:
            guard let name = ask.grant else { return (nil, grant.name) }
            return (ask.parameters.bytes(name).array, grant.name)
        case .ticket: return (caller.ticket?.terms.grant, grant.name)
        case .enabled: return (nil, nil)
        case .notBefore:
            return (ISO8601.write(instant.unixSeconds), grant.availability.notBefore.map { ISO8601.write($0) })
        case .notAfter:
            return (ISO8601.write(instant.unixSeconds), grant.availability.notAfter.map { ISO8601.write($0) })
        case .addresses:
            let blocks = grant.availability.addresses.map(\.description).joined(separator: ", ")
            return (ask.address.map { Array(text: $0.description) }, Array(text: blocks))
        case .bucket:
            if case .named(let bucket) = grant.resources.bucket { return (ask.bucket?.array, bucket) }
            return (ask.bucket?.array, nil)
        case .key:
            var asked = ask.key?.array
            if ask.hasExtension, let name = ask.fileExtension { asked = asked ?? Array(text: "*.") + name.array }
            if ask.keyIsPrefix { asked?.append(UInt8(ascii: "*")) }
            switch grant.resources.target {
            case .anything: return (asked, nil)
            case .key(let template): return (asked, rendering(of: template, ask, caller, instant))
            case .prefix(let template):
                return (asked, rendering(of: template, ask, caller, instant) + [UInt8(ascii: "*")])
            }
        case .lifetime:
            let most = Array(text: "at most \(grant.lifetimes.longest) s")
            return (ask.lifetime.map { Array(text: "\($0) s") }, most)
        case .conditions, .request, .fields: return (nil, nil)
        }
    }

    /// What was compared for a field of the route's own: the parameters that are called as it is, or by its singular, and what
    /// callers are told of it. Of a string to sign there are no parameters.
    private static func values(
        ofField name: String, _ ask: borrowing Ask, _ grant: Grant
    ) -> (asked: [UInt8]?, granted: [UInt8]?) {
        let names = [name] + (name.hasSuffix("s") ? [String(name.dropLast())] : [])
        var asked: [[UInt8]] = []
        for entry in ask.parameters.entries {
            let known = ask.parameters.bytes(entry.name).array
            if names.contains(where: { $0.utf8.elementsEqual(known) }) {
                asked.append(ask.parameters.bytes(entry.value).array)
            }
        }
        return (asked.isEmpty ? nil : Array(asked.joined(separator: Array(text: ", "))), grant.told(name))
    }

    /// The template filled in for the caller; as it is written where it cannot be.
    private static func rendering(
        of template: KeyTemplate, _ ask: borrowing Ask, _ caller: Caller, _ instant: Instant
    ) -> [UInt8] {
        var rendered = ByteWriter()
        return template.render(for: caller, asking: ask.fileExtension, by: ask.nonce, at: instant, into: &rendered)
            == nil
            ? rendered.array : template.written
    }

    /// Everything that says when what is issued ends.
    private static func bounds(
        of ask: borrowing Ask, by grant: Grant, for caller: Caller, now: Int64
    ) -> [Explanation.Bound] {
        var bounds: [Explanation.Bound] = []
        let callersBound = caller.end(at: now).map { Explanation.Bound(limit: .caller, seconds: $0 - now) }
        switch ask.end {
        case .binding(let end):
            return [Explanation.Bound(limit: .requested, seconds: end - now)] + [callersBound].compactMap(\.self)
        case .fixed(let end):
            bounds.append(Explanation.Bound(limit: .requested, seconds: end - now))
            if case .ignored = grant.callersEnd { return bounds }
            return bounds + [callersBound].compactMap(\.self)
        case nil: break
        }
        if let lifetime = ask.lifetime { bounds.append(Explanation.Bound(limit: .requested, seconds: lifetime)) }
        bounds.append(
            Explanation.Bound(
                limit: .grant, seconds: ask.lifetime == nil ? grant.lifetimes.usual : grant.lifetimes.longest))
        if let callersBound {
            if case .ignored = grant.callersEnd {} else { bounds.append(callersBound) }
        }
        if let notAfter = grant.availability.notAfter {
            bounds.append(Explanation.Bound(limit: .grant, seconds: notAfter - now))
        }
        // It is hardly ever the least.
        if let last = grant.lifetimes.lastMoment, bounds.allSatisfy({ last - now < $0.seconds }) {
            bounds.append(Explanation.Bound(limit: .grant, seconds: last - now))
        }
        return bounds
    }
}

extension Policy.Verdict {
    /// A clause that does not hold.
    fileprivate struct Fault {
        let clause: Clause
        /// What exactly it is about.
        let subject: String
        let reason: String
        /// Whether nothing behind it can be judged, or concerns the caller.
        let isLast: Bool

        init(_ clause: Clause, of subject: String? = nil, isLast: Bool = false, _ reason: String) {
            self.clause = clause
            self.subject = subject ?? clause.rawValue
            self.reason = reason
            self.isLast = isLast
        }
    }

    /// The clause that does not hold, and why; nil where all do.
    fileprivate var fault: Fault? {
        switch self {
        case .fits: return nil
        case .foreign(.callers): return Fault(.callers, isLast: true, "the caller is none of these")
        case .foreign(.name): return Fault(.name, isLast: true, "another grant is named")
        case .foreign(let clause):
            return Fault(clause, isLast: true, "the ticket is for another grant, or the caller's is not")
        case .missing(let parameter, let clause): return Fault(clause, "\(parameter) is needed")
        case .obscure: return Fault(.request, isLast: true, "it cannot be told what is asked for")
        case .lifetimeTooLong: return Fault(.lifetime, "more seconds are asked for than may be")
        case .objects(let objection, let clause):
            return Fault(clause, of: objection.clause.description, objection.words)
        }
    }
}

extension CallerSelector {
    /// As it is written in the configuration.
    /// As the configuration has it: `apiKey:app`.
    package var written: [UInt8] {
        switch self {
        case .anonymous: Array(text: "anonymous")
        case .authenticated: Array(text: "authenticated")
        case .identity(let kind, let id): Array(text: "\(kind.rawValue):") + id
        }
    }
}
