import Access
import Bytes
import Configuration
import Gateway
import HTTP
import Net

/// Whether a configuration does what it says of itself (`policyTests`).
enum PolicyTestRunner {
    struct Results {
        /// The tests that fail, each with the reason in the words of `explain`.
        var failures: [Problem] = []
        /// Those that would fail, but only warn: their callers are shut out, by `deny` or because their keys have ended. Else a
        /// test could keep an operator from shutting out a caller whose key has leaked, and a key that ends from any reload.
        var suspended: [Problem] = []
    }

    /// - Parameter now: when it is asked where a test does not say; seconds since 1970.
    static func run(_ configuration: Configuration, at now: Int64 = SystemClock.now().unixSeconds) -> Results {
        let explainer = Explainer(configuration: configuration)
        var results = Results()
        for test in configuration.policyTests {
            if let fault = fault(inExpectationOf: test) {
                results.failures.append(
                    Problem(path: test.path + ".expect", position: test.position, reason: fault.visible))
                continue
            }
            var inquiry = Inquiry(
                caller: test.caller, claims: test.claims, route: test.route, grant: test.grant,
                parameters: .json(test.parameters), time: test.time ?? now)
            inquiry.address = test.address
            guard let fault = fault(in: explainer.explain(inquiry), test) else { continue }
            let name = test.name.map { "\"\($0.text)\" " } ?? ""
            func problem(_ words: String) -> Problem {
                Problem(path: test.path, position: test.position, reason: (name + words).visible)
            }
            if let reason = exclusion(of: test, at: inquiry.time, configuration.authenticator) {
                results.suspended.append(problem("does not count while \(reason)"))
            } else {
                results.failures.append(problem("fails: \(fault)"))
            }
        }
        return results
    }

    /// Why a caller is shut out; nil for one that is not.
    private static func exclusion(of test: PolicyTest, at time: Int64, _ authenticator: Authenticator) -> String? {
        switch authenticator.caller(test.caller, claiming: test.claims, at: time) {
        case .caller(let caller): caller.isDenied ? "authentication.deny names its caller" : nil
        case .refused(_, .endedKey?): "every API key of its caller has ended"
        case .refused: nil
        }
    }

    /// What is expected must be something that can come.
    private static func fault(inExpectationOf test: PolicyTest) -> String? {
        guard case .refusal(let code) = test.expectation else { return nil }
        let codes = Refusal.Code.allCases.map { $0.text.description }
        if codes.contains(code.text) { return nil }
        let hint = NearestName.of(code.text, among: ["allow", "deny"] + codes).map { "; did you mean \($0)?" }
        return "must be \"allow\", \"deny\" or the code of a refusal, and \"\(code.text)\" is none\(hint ?? "")"
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
