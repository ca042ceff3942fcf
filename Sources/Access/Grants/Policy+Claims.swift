import Bytes

/// What in a caller's token keeps it from grants, for the log and for `explain`: the caller itself is not told of grants that
/// `/grants` does not tell it of (R4).
extension Policy {
    /// Faults that are told at once.
    private static let mostFaults = 4
    /// Grants that are looked at, so that a refusal costs no more where there are thousands.
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
