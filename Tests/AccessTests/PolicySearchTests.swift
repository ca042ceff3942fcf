import TestTraits
import Testing

@testable import Access
@testable import Bytes

/// That a policy decides by a few grants what it would decide by all.
@Suite struct PolicySearchTests {
    /// 100,000 asks in `scripts/check-all`.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `whatever is asked, the decision is that of judging every grant`(seed: UInt64) throws {
        var world = try RandomPolicies(seed: seed)
        var outcomes: Set<String> = []
        for round in 0..<Rounds.share(of: 100) {
            let policy = try world.policy(grants: round % 4 == 0 ? 120 : 24)
            let linear = LinearPolicy(policy: policy)
            var workspace = PolicyWorkspace()
            for _ in 0..<100 {
                let (caller, selector) = world.caller()
                let query = world.query()
                let ask = try world.ask(query)
                let expected = linear.decide(ask, by: caller, named: selector)
                let decided = Self.decide(ask, by: caller, policy, &workspace)
                let outcome = String(expected.prefix { $0 != "(" && $0 != ":" })
                outcomes.insert(outcome.hasPrefix("grant") ? "permitted" : outcome)
                guard decided != expected else { continue }
                Issue.record("\(query) by \(selector): \(decided), and not \(expected)")
                return
            }
        }
        // All kinds of decision have been compared.
        for kind in [
            "ambiguous", LinearPolicy.manyFit, "missing", "notInGrant", "lifetimeTooLong", "obscure", "unauthenticated",
            "permitted",
        ] {
            #expect(outcomes.contains(kind))
        }
    }

    private static func decide(
        _ ask: borrowing Ask, by caller: Caller, _ policy: Policy, _ workspace: inout PolicyWorkspace
    ) -> String {
        switch policy.decide(ask, on: 0, by: caller, at: Fixture.instant, in: &workspace) {
        case .denied(.ambiguous(let names, areAll: false)):
            #expect(Set(names).count == 8)
            return LinearPolicy.manyFit
        case .denied(let denial): return "\(denial)"
        case .permitted(let permit):
            return LinearPolicy.words(permit.grant, bucket: permit.bucket, key: permit.key, permit.extent)
        }
    }
}
