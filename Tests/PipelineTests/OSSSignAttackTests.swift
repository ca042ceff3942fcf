import Foundation
import Testing

@testable import TestService

/// R13 and R15, by the corpus.
@Suite("Attacks on OSS remote signing")
struct OSSSignAttackTests {
    @Test(
        "nothing of a class is signed, and all of its twins are",
        arguments: (try? AttackCorpus.oss.get().classes) ?? [])
    func attacks(_ class: AttackClass) throws {
        let attempt = AttackAttempt(service: try Service.shared(.signing), vendor: .oss)
        try attempt.expectRefusals(of: `class`, try AttackCorpus.oss.get())
    }

    @Test func `there are twenty classes of them, with ten at least in each, of both versions`() throws {
        let corpus = try AttackCorpus.oss.get()
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
