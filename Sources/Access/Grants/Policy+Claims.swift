import Bytes

/// What in a caller's token keeps it from grants, for the log and for `explain`: the caller itself is not told of grants that
/// `/grants` does not tell it of (R4).
extension Policy {
    /// Faults that are told at once.
    private static let mostFaults = 4

    /// For each grant of the route that lists the caller: which of the caller's claims does not admit it, and why.
    package func claimFaults(of caller: Caller, on route: Int) -> [String] {
        var faults: [String] = []
        for grant in grants[route][caller.index] where faults.count < Policy.mostFaults {
            if let fault = grant.claimFault(of: caller) { faults.append("grants.\(grant.name.text): \(fault)") }
        }
        return faults
    }
}

extension Grant {
    fileprivate func claimFault(of caller: Caller) -> String? {
        for condition in principals.conditions where !condition.holds(for: caller.claims) {
            return condition.fault(of: caller.claims)
        }
        return templateFault(of: caller)
    }

    /// Which claim keeps its key from being filled in, and why; nil where none does.
    func templateFault(of caller: Caller) -> String? {
        switch resources.target {
        case .key(let template), .prefix(let template): template.claimFault(of: caller.claims)
        case .anything: nil
        }
    }
}

extension ClaimCondition {
    /// Why it does not hold, in words.
    func fault(of claims: CallerClaims) -> String {
        claims.absence(of: name) ?? "the claim \(name.text) is none of those that the grant's where names"
    }
}
