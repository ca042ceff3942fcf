import Bytes
import Crypto
import Foundation
import Testing

@testable import Audit

#if canImport(Glibc)
    import Glibc
#endif

@Suite("The audit's start and stop")
struct AuditStopTests {
    private func open(_ folder: Folder, _ key: Secret = auditKey) throws -> AuditFile {
        try AuditFile(folder.file, key: key, at: moment)
    }

    /// Why each segment was begun, over all files.
    private func reasons(_ folder: Folder) throws -> [String] {
        let text = try folder.segments.map { String(decoding: try folder.read($0), as: UTF8.self) }.joined()
        return text.matches(of: #/"reason":"(\w+)"/#).map { String($0.output.1) }
    }

    @Test func `a start behind a stop that is recorded finds nothing`() throws {
        let folder = try Folder()
        for _ in 0..<3 {
            let file = try open(folder)
            #expect(file.takeFindings() == [])
            try file.add(0..<3)
            try file.end()
        }
        let verdict = try Verdict(folder)
        #expect(verdict.told == [] && verdict.last == 15)
        #expect(try reasons(folder) == ["start", "start", "start"])
        let last = try folder.read().split(separator: UInt8(ascii: "\n")).last
        #expect(String(decoding: try #require(last), as: UTF8.self).contains(#""event":"stop""#))
        #expect(folder.names == ["audit.jsonl", "audit.jsonl-head"])
    }

    @Test(arguments: 1...9)
    func `lines that are cut off after the stop are found by the next start, and by whoever verifies`(
        _ count: Int
    ) throws {
        let folder = try Folder()
        for _ in 0..<2 {
            let file = try open(folder)
            try file.add(0..<3)
            try file.end()
        }
        // After the fifth line there is the stop before: a whole run is cut off.
        let lines = try folder.read().split(separator: UInt8(ascii: "\n"))
        try folder.write(lines.dropLast(count).flatMap { $0 + [UInt8(ascii: "\n")] })
        #expect(try Verdict(folder).told == [], "the lines that are left hold")
        let file = try open(folder)
        let findings = file.takeFindings()
        #expect(findings.count == 1 && findings[0].contains("ends with line \(10 - count), "), "\(findings)")
        #expect(findings[0].contains("went up to 10: its end was cut off"))
        try file.add(0..<1)
        try file.end()
        #expect(try Verdict(folder).told == ["removed \(11 - count)-10"])
        #expect(try reasons(folder).last == "unverified")
        #expect(try open(folder).takeFindings() == [], "it is told once")
    }

    @Test(arguments: ["emptied", "deleted"])
    func `lines that are all gone are told, and the numbers go on`(_ what: String) throws {
        let folder = try Folder()
        let file = try open(folder)
        try file.add(0..<3)
        try file.end()
        if what == "emptied" { try folder.write([]) } else { unlink(folder.file) }
        let next = try open(folder)
        let findings = next.takeFindings()
        #expect(findings.count == 1 && findings[0].contains("its lines went up to 5"), "\(findings)")
        try next.add(0..<1)
        let text = String(decoding: try folder.read(), as: UTF8.self)
        #expect(text.hasPrefix("{\"seq\":6,") && text.contains(#""reason":"moved""#))
    }

    @Test func `a process that was killed is told by the next start, and so are lines cut off behind its own start`()
        throws
    {
        let folder = try Folder()
        try open(folder).add(0..<3)
        let old = try folder.read()
        let file = try open(folder)
        let findings = file.takeFindings()
        #expect(findings.count == 1 && findings[0].contains("does not end with a recorded stop"), "\(findings)")
        #expect(try reasons(folder) == ["start", "unstopped"])
        try file.add(0..<3)
        withExtendedLifetime(file) {}
        let next = try open(folder)
        _ = next.takeFindings()
        // Killed again, and the lines are cut off up to before its start.
        try folder.write(old)
        let last = try AuditFile(folder.file, key: auditKey, at: moment).takeFindings()
        #expect(last.count == 1 && last[0].contains("its end was cut off"), "\(last)")
    }

    @Test func `processes that write by turns are not taken for killed, and one of them that was is told`() throws {
        let folder = try Folder()
        do {
            let first = try open(folder)
            let second = try open(folder)
            try first.add(0..<2)
            try first.end()
            try second.add(0..<2)
            try second.end()
            #expect(second.takeFindings() == [])
        }
        #expect(try reasons(folder) == ["start", "start"])
        do {
            let killed = try open(folder)
            #expect(killed.takeFindings() == [])
            let other = try open(folder)
            #expect(other.takeFindings() == [])
            try killed.add(0..<2)
            try other.end()
        }
        #expect(try open(folder).takeFindings().first?.contains("does not end with a recorded stop") == true)
        #expect(try Verdict(folder).told == [])
    }

    @Test(arguments: ["deleted", "emptied", "edited", "another key", "written by hand"])
    func `a record that is not there or not under the key is told, and believed in nothing`(_ what: String) throws {
        let folder = try Folder()
        let file = try open(folder)
        try file.add(0..<3)
        try file.end()
        let head = folder.file + "-head"
        let text = String(decoding: try folder.read(head), as: UTF8.self)
        switch what {
        case "deleted": unlink(head)
        case "emptied": try folder.write([], to: head)
        case "edited": try folder.write(Array(text.replacing("\"seq\":5", with: "\"seq\":4").utf8), to: head)
        case "another key":
            let other = try Folder()
            try AuditFile(other.file, key: otherKey, at: moment).end()
            try folder.write(try other.read(other.file + "-head"), to: head)
        default: try folder.write(Array(text.replacing("\"running\":0", with: "\"running\":-1").utf8), to: head)
        }
        let next = try open(folder)
        let findings = next.takeFindings()
        #expect(findings.count == 1 && findings[0].contains("has no record under this key"), "\(findings)")
        #expect(try reasons(folder) == ["start", "unstopped"])
        #expect(next.durable.number == 6)
        #expect(try Verdict(folder).told == [])
        try next.end()
        #expect(try open(folder).takeFindings() == [])
    }

    @Test func `a record is always one block of the disk, and one that an earlier version wrote shorter is read`()
        throws
    {
        let folder = try Folder()
        let head = folder.file + "-head"
        for _ in 0..<3 {
            let file = try open(folder)
            #expect(file.takeFindings() == [])
            #expect(try folder.read(head).count == 512)
            try file.add(0..<3)
            try file.end()
            let record = try folder.read(head)
            #expect(record.count == 512 && record.last == UInt8(ascii: "\n"))
            let short = record.dropLast().reversed().drop { $0 == UInt8(ascii: " ") }.reversed()
            try folder.write(short + [UInt8(ascii: "\n")], to: head)
        }
        // Half of one, as a loss of power could leave it before.
        try folder.write(Array(try folder.read(head).prefix(100)), to: head)
        #expect(try open(folder).takeFindings().first?.contains("has no record under this key") == true)
    }

    @Test func `a number that no chain reaches is no line's, and does not trap`() throws {
        let folder = try Folder()
        let file = try open(folder)
        try file.add(0..<1)
        try file.end()
        let zeros = String(repeating: "0", count: 64)
        for number in ["9223372036854775807", "9007199254740993"] {
            let line =
                "{\"seq\":\(number),\"time\":\"2026-11-22T04:44:08Z\",\"event\":\"issued\",\"mac\":\"\(zeros)\"}\n"
            try folder.write(try folder.read() + Array(line.utf8))
            let next = try open(folder)
            try next.add(0..<1)
            #expect(next.durable.number < 20)
            try next.end()
        }
    }
}
