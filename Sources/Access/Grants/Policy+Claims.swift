import Bytes

/// Which claims of a caller's token keep it from grants, for the log and for `explain`. The caller itself does not learn of grants
/// that `/grants` does not list for it (R4).
extension Policy {
    /// The most faults that one line names.
    private static let mostFaults = 4
    /// The most grants that are looked at, so that a refusal costs no more with thousands of grants.
    private static let mostLooked = 1_000

    /// For the first grants of the route that list the caller: which of the caller's claims does not admit it, and why.
    package func claimFaults(of caller: Caller, on route: Int) -> [String] {
        var faults: [String] = []
        for number in routes[route].numbers(for: caller).prefix(Policy.mostLooked) {
            let grant = all[Int(number)]
            guard let fault = grant.claimFault(of: caller) else { continue }
            faults.append("grants.\(grant.name.text): \(fault)")
            if faults.count == Policy.mostFaults { break }
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

    /// Which value of the caller keeps its key from being filled in, and why; nil where none does.
    func templateFault(of caller: Caller) -> String? {
        switch resources.target {
        case .key(let template), .prefix(let template): template.fault(of: caller)
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
