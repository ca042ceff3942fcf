import Foundation
import Testing

@testable import TestService

/// R13 and R15, by the corpus.
@Suite("Attacks on S3 remote signing")
struct S3SignAttackTests {
    @Test(
        "nothing of a class is signed, and all of its twins are",
        arguments: (try? AttackCorpus.s3.get().classes) ?? [])
    func attacks(_ class: AttackClass) throws {
        let attempt = AttackAttempt(service: try Service.shared(.s3Requests), vendor: .s3)
        try attempt.expectRefusals(of: `class`, try AttackCorpus.s3.get())
    }

    @Test func `there are twenty classes of them, with ten at least in each`() throws {
        let corpus = try AttackCorpus.s3.get()
        #expect(corpus.classes.count == 20 && Set(corpus.classes.map(\.name)).count == 20)
        for `class` in corpus.classes {
            let names = Set(`class`.attacks.map(\.name))
            #expect(names.count >= 10 && names.count == `class`.attacks.count, "\(`class`.name)")
        }
        let attacks = corpus.classes.flatMap(\.attacks)
        #expect(attacks.count > 350 && attacks.allSatisfy { ($0.clause == nil) != ($0.unreadable == nil) })
        #expect(attacks.allSatisfy { [$0.replace == nil, $0.instead == nil, $0.with == nil].count { !$0 } == 1 })
        #expect(corpus.twins.values.allSatisfy { $0.request != nil })
    }
}
