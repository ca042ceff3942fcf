import Testing

@testable import TestService

/// Sends what must not be signed, and its twins.
struct AttackAttempt {
    let service: Service
    let vendor: AttackVendor

    private static let form = "application/x-www-form-urlencoded"

    func expectRefusals(of class: AttackClass, _ corpus: AttackCorpus) throws {
        for name in Set(`class`.attacks.map(\.of)) {
            let twin = Submission(try #require(corpus.twins[name]), for: vendor, at: now)
            let answer = try service.post(vendor.path, Self.form, twin.form)
            answer.expectSuccess()
            #expect(answer.json["signature"] == .string(twin.signature), "\(name): \(answer.text)")
        }
        for attack in `class`.attacks {
            let (twin, moment) = (try #require(corpus.twins[attack.of]), now)
            let submission = try Submission(attack, of: twin, for: vendor, at: moment)
            #expect(submission != Submission(twin, for: vendor, at: moment), "\(attack.name)")
            expectRefusal(of: submission, try service.post(vendor.path, Self.form, submission.form), attack)
            guard submission.request == nil else { continue }
            expectRefusal(of: submission, try service.post(vendor.path, "text/plain", submission.string), attack)
        }
    }

    private func expectRefusal(of submission: Submission, _ answer: Answer, _ attack: Attack) {
        let said = "\(attack.name): \(answer.status) \(answer.text)"
        #expect(answer.status != 200 && !answer.text.contains(submission.signature), "\(said)")
        if let clause = attack.clause {
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == .string(clause), "\(said)")
        } else {
            answer.expectProblem(422, "unreadable_string_to_sign")
            #expect(answer.json["detail"]?.string?.contains(attack.unreadable ?? "?") == true, "\(said)")
        }
        // Nothing of what was sent comes back (R7).
        #expect(!answer.text.contains("demo-bucket") && !answer.text.contains("\\n"), "\(said)")
    }
}
