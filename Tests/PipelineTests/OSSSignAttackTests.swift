import Foundation
import Testing

@testable import TestService

/// R13 and R15, by the corpus.
@Suite("Attacks on OSS remote signing")
struct OSSSignAttackTests {
    private static let form = "application/x-www-form-urlencoded"

    @Test(
        "nothing of a class is signed, and all of its twins are",
        arguments: (try? AttackCorpus.whole.get().classes) ?? [])
    func attacks(_ class: AttackClass) throws {
        let service = try Service.shared(.signing)
        let twins = try AttackCorpus.whole.get().twins
        for name in Set(`class`.attacks.map(\.of)) {
            let twin = Submission(try #require(twins[name]), at: now)
            let answer = try service.post("/oss/sign", Self.form, twin.form)
            answer.expectSuccess()
            #expect(answer.json["signature"] == .string(twin.signature), "\(name)")
        }
        for attack in `class`.attacks {
            let (twin, moment) = (try #require(twins[attack.of]), now)
            let submission = try Submission(attack, of: twin, at: moment)
            #expect(submission != Submission(twin, at: moment), "\(attack.name)")
            expectRefusal(of: submission, try service.post("/oss/sign", Self.form, submission.form), attack)
            guard submission.request == nil else { continue }
            expectRefusal(of: submission, try service.post("/oss/sign", "text/plain", submission.string), attack)
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

    @Test func `there are twenty classes of them, with ten at least in each, of both versions`() throws {
        let corpus = try AttackCorpus.whole.get()
        #expect(corpus.classes.count == 20 && Set(corpus.classes.map(\.name)).count == 20)
        for `class` in corpus.classes {
            let names = Set(`class`.attacks.map(\.name))
            #expect(names.count >= 10 && names.count == `class`.attacks.count, "\(`class`.name)")
        }
        for isV4 in [false, true] {
            let classes = corpus.classes.filter { list in
                list.attacks.contains { (corpus.twins[$0.of]?.request != nil) == isV4 }
            }
            #expect(classes.count >= 12)
        }
        let attacks = corpus.classes.flatMap(\.attacks)
        #expect(attacks.count > 500 && attacks.allSatisfy { ($0.clause == nil) != ($0.unreadable == nil) })
        #expect(
            attacks.allSatisfy {
                ($0.replace == nil ? 0 : 1) + ($0.instead == nil ? 0 : 1) + ($0.with == nil ? 0 : 1) == 1
            })
    }
}
