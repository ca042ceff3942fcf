import Access
import Bytes
import Configuration
import Gateway
import HTTP
import Net

/// Whether a configuration does what it says of itself (`policyTests`).
enum PolicyTestRunner {
    /// The tests that fail, each with the reason in the words of `explain`.
    /// - Parameter now: when it is asked where a test does not say; seconds since 1970.
    static func failures(
        of configuration: Configuration, at now: Int64 = SystemClock.now().unixSeconds
    ) -> [Problem] {
        let explainer = Explainer(configuration: configuration)
        return configuration.policyTests.compactMap { test in
            var inquiry = Inquiry(
                caller: test.caller, claims: test.claims, route: test.route, grant: test.grant,
                parameters: .json(test.parameters), time: test.time ?? now)
            inquiry.address = test.address
            guard let fault = fault(in: explainer.explain(inquiry), test) else { return nil }
            let name = test.name.map { "\"\($0.text)\" fails: " } ?? "fails: "
            return Problem(path: test.path, position: test.position, reason: (name + fault).visible)
        }
    }

    private static func fault(in answer: Explainer.Answer, _ test: PolicyTest) -> String? {
        switch (test.expectation, answer.refusal) {
        case (.allow, let refusal?):
            return "it must be allowed, and is refused: \(refusal.code.text): \(refusal.detail)\(reasons(in: answer))"
        case (.allow, nil): return answer.permitted.flatMap { fault(in: $0, test.permit) }
        case (.deny, nil), (.refusal, nil):
            let grant = answer.permitted?.grant.name.text ?? ""
            return "it must be refused, and grants.\(grant) allows it"
        case (.deny, _?): return nil
        case (.refusal(let code), let refusal?):
            if code.elementsEqual(refusal.code.text.description.utf8) { return nil }
            return "it must be refused as \(code.text), and is as \(refusal.code.text): \(refusal.detail)"
        }
    }

    private static func fault(in permitted: Explanation.Permitted, _ permit: PolicyTest.ExpectedPermit) -> String? {
        let texts: [(String, must: [UInt8]?, is: [UInt8])] = [
            ("grant", permit.grant, permitted.grant.name), ("bucket", permit.bucket, permitted.bucket),
            ("key", permit.key, permitted.key),
            ("limitedBy", permit.limitedBy, Array(text: permitted.limitedBy.name.description)),
        ]
        for (name, must, found) in texts where must != nil && must != found {
            return "\(name) must be \((must ?? []).text), and is \(found.text)"
        }
        guard let lifetime = permit.lifetime, lifetime != permitted.lifetime else { return nil }
        return "lifetime must be \(lifetime) s, and is \(permitted.lifetime) s"
    }

    /// Why each of the caller's own grants does not admit it.
    private static func reasons(in answer: Explainer.Answer) -> String {
        (answer.explanation?.grants ?? []).compactMap { judged in
            judged.findings.first { $0.outcome == .fails }.map {
                "; grants.\(judged.grant.name.text): \($0.subject): \($0.reason)"
            }
        }.joined()
    }
}
