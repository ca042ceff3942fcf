import Foundation
import Testing

@testable import TestService

/// What must not be signed for Iceberg's clients, each one edit away from a twin that is (`Fixtures/s3-iceberg-attacks.json`).
@Suite("Attacks on Iceberg's remote signing")
struct S3IcebergAttackTests {
    private static let corpus: JSON = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Fixtures/s3-iceberg-attacks.json")
        return (try? JSON(String(contentsOf: file, encoding: .utf8))) ?? .null
    }()

    private static let classes = corpus["classes"]?.list ?? []

    private func attacks(of name: String) -> [JSON] {
        Self.classes.first { $0["name"]?.string == name }?["attacks"]?.list ?? []
    }

    private func twin(_ name: String) throws -> [String: JSON] {
        guard case .object(let members)? = Self.corpus["twins"]?[name] else {
            throw Program.Failure(description: "no twin \(name)")
        }
        return members
    }

    private func ask(_ members: [String: JSON]) throws -> Answer {
        try Service.shared(.s3Requests).post("/v1/aws/s3/sign", json: JSON.object(members).written)
    }

    @Test(
        "nothing of a class is signed, and all of its twins are", arguments: classes.compactMap { $0["name"]?.string })
    func attacks(_ name: String) throws {
        for attack in attacks(of: name) {
            let said = "\(attack["name"]?.string ?? "")"
            var members = try twin(try #require(attack["of"]?.string))
            let token = members.removeValue(forKey: "token")?.string
            try IcebergAsk(members).expectSigned(ask(members), token: token)
            guard case .object(let edits)? = attack["set"] else { throw Program.Failure(description: "no edit") }
            let before = members
            members.merge(edits.filter { $0.value != .null }) { $1 }
            for (name, value) in edits where value == .null { members[name] = nil }
            #expect(members != before, "\(said)")
            let answer = try ask(members)
            #expect(!answer.text.contains("AWS4"), "\(said)")
            if let clause = attack["clause"]?.string {
                answer.expectProblem(403, "not_in_grant")
                #expect(answer.json["clause"]?.string == clause, "\(said): \(answer.text)")
            } else {
                let missing = attack["missing"]?.string
                answer.expectProblem(400, missing == nil ? "invalid_parameter" : "missing_parameter")
                #expect(
                    answer.json["parameter"]?.string == missing ?? attack["parameter"]?.string,
                    "\(said): \(answer.text)")
            }
            // Nothing of what was sent comes back (R7).
            #expect(!answer.text.contains("demo-bucket") && !answer.text.contains("out/a"), "\(said)")
        }
    }

    @Test func `there are twenty classes of them, with ten at least in each`() {
        #expect(Self.classes.count == 20 && Set(Self.classes.compactMap { $0["name"]?.string }).count == 20)
        for `class` in Self.classes {
            let names = Set(`class`["attacks"]?.list?.compactMap { $0["name"]?.string } ?? [])
            #expect(names.count >= 10 && names.count == `class`["attacks"]?.list?.count)
        }
    }
}

extension JSON {
    /// As a text again.
    fileprivate var written: String {
        let data = try? JSONSerialization.data(withJSONObject: any)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    private var any: Any {
        switch self {
        case .null: NSNull()
        case .boolean(let flag): flag
        case .integer(let number): number
        case .real(let number): number
        case .string(let text): text
        case .list(let list): list.map(\.any)
        case .object(let members): members.mapValues(\.any)
        }
    }
}

extension IcebergAsk {
    /// A twin of the corpus.
    init(_ members: [String: JSON]) {
        var headers: [String: [String]] = [:]
        for name in members["headers"]?.names ?? [] {
            headers[name] = members["headers"]?[name]?.list?.compactMap(\.string)
        }
        self.init(
            method: members["method"]?.string ?? "", uri: members["uri"]?.string ?? "", headers: headers,
            body: members["body"]?.string, region: members["region"]?.string ?? Setup.s3Region)
    }
}

/// What must not be signed for EvaporateJS: the corpus of `/s3/sign`, asked in its words.
@Suite("Attacks on EvaporateJS's signer")
struct EvaporateAttackTests {
    @Test(
        "nothing of a class is signed, and all of its twins are",
        arguments: (try? AttackCorpus.s3.get().classes) ?? [])
    func attacks(_ class: AttackClass) throws {
        let (service, corpus) = (try Service.shared(.s3Requests), try AttackCorpus.s3.get())
        for name in Set(`class`.attacks.map(\.of)) {
            let twin = Submission(try #require(corpus.twins[name]), for: .s3, at: now)
            let answer = try service.get("/s3/sign?" + twin.evaporate)
            #expect(answer.status == 200 && answer.text == twin.signature, "\(name): \(answer.text)")
        }
        for attack in `class`.attacks {
            let submission = try Submission(attack, of: try #require(corpus.twins[attack.of]), for: .s3, at: now)
            let answer = try service.get("/s3/sign?" + submission.evaporate)
            #expect(
                answer.status != 200 && !answer.text.contains(submission.signature), "\(attack.name): \(answer.text)")
            #expect(answer["content-type"] == "application/problem+json")
        }
    }
}
