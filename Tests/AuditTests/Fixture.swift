import Bytes
import Crypto
import Foundation
import Testing

@testable import Audit

/// A key of the tests.
let auditKey = Secret(Array("a-key-of-the-audit-tests-with-more-than-32-bytes".utf8))
let otherKey = Secret(Array("another-key-of-the-tests-with-more-than-32-bytes".utf8))

/// 2026-11-22T04:44:08Z
let moment: Int64 = 1_795_322_648

/// A folder of a test's own, which goes with it.
final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "countersign-audit-\(UUID())").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var file: String { path + "/audit.jsonl" }

    /// All that is there, in the order of the names.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// The segments in their order: those set aside, then the current one.
    var segments: [String] {
        names.filter { $0.hasPrefix("audit.jsonl.") }.map { path + "/" + $0 } + [file]
    }

    func read(_ name: String? = nil) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: name ?? file)))
    }

    func write(_ bytes: [UInt8], to name: String? = nil) throws {
        try Data(bytes).write(to: URL(filePath: name ?? file))
    }
}

/// A line about nothing in particular.
func content(_ number: Int) -> [UInt8] {
    var line = AuditLine()
    line.begin("issued", at: moment + Int64(number))
    line.add("requestId", Array("r-\(number)".utf8))
    line.add("grant", Array("a \"grant\"\n\u{7F}".utf8))
    line.add("lifetime", 600)
    return line.bytes.array
}

extension AuditFile {
    func add(_ numbers: Range<Int>, waiting: Bool = true, at time: Int64 = moment) throws {
        for number in numbers { try append(content(number).span, at: time) }
        try commit(waiting: waiting)
    }

    /// Stops as a process does that is told to.
    func end() throws {
        var line = AuditLine()
        line.begin("stop", at: moment)
        try append(line.bytes, at: moment)
        try stop()
    }
}

/// What the verifier says of texts, each a file's.
struct Verdict {
    var problems: [AuditVerifier.Problem] = []
    var lines = 0
    var last: Int64 = 0
    var unsynced: Int64 = 0
    var head = ""

    init(_ files: [[UInt8]], _ keys: Secret..., expecting head: String? = nil) throws {
        var verifier = try AuditVerifier(keys.isEmpty ? [auditKey] : keys, expecting: head.map { Array($0.utf8) })
        for (index, bytes) in files.enumerated() {
            verifier.begin("file \(index)")
            var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let rest = lines.popLast() ?? []
            for line in lines { try verifier.read(Array(line).span, isWhole: true) }
            if !rest.isEmpty { try verifier.read(Array(rest).span, isWhole: false) }
        }
        verifier.finish()
        problems = verifier.problems
        lines = verifier.lines
        last = verifier.last
        unsynced = verifier.unsynced
        self.head = Hex.encode(verifier.head.bytes.array).text
    }

    init(_ folder: Folder, _ key: Secret = auditKey, expecting head: String? = nil) throws {
        try self.init(try folder.segments.map { try folder.read($0) }, key, expecting: head)
    }

    /// The kinds of all problems, with the numbers of the lines concerned.
    var told: [String] {
        problems.map { problem in
            let range = problem.numbers
            return "\(problem.kind.rawValue) \(range.isEmpty ? "-" : "\(range.lowerBound)-\(range.upperBound - 1)")"
        }
    }
}
