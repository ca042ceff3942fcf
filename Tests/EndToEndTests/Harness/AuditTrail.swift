import Foundation
import Testing

@testable import TestService

/// The audit that a service has written into its folder: the files that were set aside, in their order, and the current one.
struct AuditTrail {
    static let key = "the-key-of-the-audit-of-the-end-to-end-tests"

    /// The member of a configuration that asks for it.
    static func member(_ durability: String = "batch", _ more: String = "") -> String {
        #"audit: { file: "audit/a.jsonl", key: { file: "secrets/audit" }, durability: "\#(durability)", \#(more) },"#
    }

    let files: [String]
    let text: String
    let lines: [JSON]

    init(_ service: Service) throws { try self.init(folder: service.folder) }

    init(folder: String) throws {
        let directory = folder + "/audit"
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        files = (names.filter { $0.hasPrefix("a.jsonl.") } + ["a.jsonl"]).map { directory + "/" + $0 }
        text = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        // What was torn is no line.
        let whole = text[..<(text.lastIndex(of: "\n") ?? text.startIndex)]
        lines = try whole.split(separator: "\n").map { try JSON(String($0)) }
    }

    func lines(of event: String) -> [JSON] { lines.filter { $0["event"]?.string == event } }

    /// The one line of a request.
    func line(of answer: Answer) throws -> JSON {
        let own = lines.filter { $0["requestId"]?.string == answer["X-Request-Id"] }
        return try #require(own.count == 1 ? own[0] : nil, "\(own.count) lines of \(answer.fields)")
    }

    /// What the command says of it.
    func verify(_ more: String...) throws -> Program.Outcome {
        let key = try Keeper.write(AuditTrail.key + "\n", to: Keeper.makeFolder() + "/key")
        return try Program(Program.countersign, ["audit", "verify", "--key-file", key] + more + files).wait()
    }

    func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let outcome = try verify()
        #expect(outcome.code == 0 && outcome.out.hasSuffix("\n"), "\(outcome.out)", sourceLocation: sourceLocation)
    }
}

extension Setup {
    /// The same with an audit.
    func audited(_ durability: String = "batch", _ more: String = "") -> Setup {
        var setup = self
        setup.rest += AuditTrail.member(durability, more)
        setup.files["secrets/audit"] = AuditTrail.key + "\n"
        setup.files["audit/.keep"] = ""
        return setup
    }
}
