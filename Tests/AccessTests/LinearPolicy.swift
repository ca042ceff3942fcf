@testable import Access
@testable import Bytes

/// Decides by judging every grant, one after the other: what `Policy` must decide, too.
struct LinearPolicy {
    let policy: Policy

    /// - Parameter selector: the one that names the caller alone.
    func decide(_ ask: borrowing Ask, by caller: Caller, named selector: CallerSelector) -> String {
        let grants = policy.all.filter {
            $0.route == 0
                && ($0.callers.contains(selector) || selector != .anonymous && $0.callers.contains(.authenticated))
        }
        if grants.isEmpty, selector == .anonymous { return "\(Denial.unauthenticated)" }
        var scope = Scope()
        var fitting: [Grant] = []
        var objections: [(objection: Objection, clause: Clause, grant: Grant)] = []
        var missing: String?
        var longest: Int64?
        for grant in grants {
            switch policy.judge(ask, by: grant, for: caller, at: Fixture.instant, &scope) {
            case .fits: fitting.append(grant)
            case .missing(let parameter, _): missing = parameter
            case .foreign, .obscure: break
            case .lifetimeTooLong: longest = max(longest ?? 0, grant.lifetimes.longest)
            case .objects(let found, let clause): objections.append((found, clause, grant))
            }
        }
        if fitting.count > 1 { return LinearPolicy.ambiguity(fitting) }
        guard let winner = fitting.first else {
            let farthest = objections.map(\.clause).max()
            let nearest = objections.filter { $0.clause == farthest }
            // A fixed key is no answer to whoever asks for a key, while there is a prefix.
            let last = nearest.last { $0.grant.takesTarget(of: ask) } ?? nearest.last
            let takesTarget = last?.grant.takesTarget(of: ask)
            let told = nearest.map(\.grant).filter { $0.takesTarget(of: ask) == takesTarget }
            let all = ask.grant != nil || grants.count <= 8 ? told : []
            let objection = last.map { ($0.objection, $0.clause, all) }
            return "\(denial(of: ask, by: caller, objection, missing: missing, longest: longest))"
        }
        _ = policy.judge(ask, by: winner, for: caller, at: Fixture.instant, &scope)
        return LinearPolicy.words(winner, bucket: scope.bucket, key: scope.key, scope.extent)
    }

    /// Of many grants that fit, the answer names eight, whichever they are.
    private static func ambiguity(_ fitting: [Grant]) -> String {
        fitting.count < 8 ? "\(Denial.ambiguous(fitting.map(\.name), areAll: true))" : manyFit
    }

    static let manyFit = "eight or more are ambiguous"

    private func denial(
        of ask: borrowing Ask, by caller: Caller, _ objection: (Objection, Clause, [Grant])?, missing: String?,
        longest: Int64?
    ) -> Denial {
        if let longest { return .lifetimeTooLong(maximum: longest) }
        if let missing {
            return .missing(parameter: missing, or: ask.prefixParameter(insteadOf: missing))
        }
        if objection == nil, let obscurity = ask.obscurity { return .obscure(obscurity) }
        guard let (objection, clause, grants) = objection else { return .notInGrant(nil) }
        var told = objection
        if clause == .key {
            var keys: [[UInt8]] = []
            for grant in grants {
                let key = policy.listedKey(of: grant, for: caller, by: ask.nonce, at: Fixture.instant)
                if let key, !keys.contains(key) { keys.append(key) }
            }
            told.granted = keys.isEmpty ? nil : Array(keys.joined(separator: Array(text: ", ")))
        }
        return .notInGrant(told)
    }

    /// What is permitted.
    static func words(_ grant: Grant, bucket: Span<UInt8>, key: Span<UInt8>, _ extent: Permit.Extent) -> String {
        "\(grant.name.text): \(bucket.text) \(key.text) \(extent)"
    }
}
