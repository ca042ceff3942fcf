/// The same call, each attempt of it past the breaker of its endpoints and within the budget of its account. A call that
/// uses these functions uses none of the plain ones.
extension Retry {
    /// What to do now. An attempt takes its turn within the budget first, and may have to wait for it; the breaker is asked
    /// last, so that a probe is never held by a call that waits.
    package mutating func next(at now: Int64, past breaker: inout Breaker, within budget: inout CallBudget) -> Step {
        let step = next(at: now)
        guard case .attempt = step else { return step }
        // Before the budget: what is refused here must use none of it.
        if let until = breaker.refusal(at: now, for: source) { return declined(because: .breakerOpen(until: until)) }
        if !hasTurn {
            switch budget.take(at: now, patience: longestTurn) {
            case .now: break
            case .refuse(let until): return declined(because: .overBudget(until: until))
            case .at(let turn):
                hasTurn = true
                return postponed(until: turn, because: .overBudget(until: turn), at: now)
            }
        }
        hasTurn = false
        switch breaker.ask(at: now, for: source) {
        case .refuse(let until): return declined(because: .breakerOpen(until: until))
        case .pass(let pass): self.pass = pass
        }
        return step
    }

    /// The attempt under way failed.
    /// - Parameter counts: whether the failure says anything about the vendor.
    package mutating func failed(
        with fault: UpstreamFault, at now: Int64, random: UInt64, past breaker: inout Breaker, counts: Bool = true
    ) -> Step {
        if counts {
            // Two random numbers are made of one, so that the breaker's pause and the call's are independent.
            report(fault, at: now, random: random.byteSwapped, to: &breaker)
        } else {
            abandoned(at: now, past: &breaker)
        }
        return failed(with: fault, at: now, random: random)
    }

    /// The attempt under way brought a credential.
    package mutating func succeeded(at now: Int64, past breaker: inout Breaker) {
        report(nil, at: now, random: 0, to: &breaker)
    }

    /// The call is dropped, with or without an attempt under way, and showed nothing.
    package mutating func abandoned(at now: Int64, past breaker: inout Breaker) {
        if let pass { breaker.abandoned(pass, at: now) }
        pass = nil
    }

    private mutating func report(_ fault: UpstreamFault?, at now: Int64, random: UInt64, to breaker: inout Breaker) {
        if let pass { breaker.finished(pass, with: fault, at: now, random: random) }
        pass = nil
    }
}
