import Bytes
import Crypto
import Foundation
import Testing

@testable import Audit

@Suite("The audit's file")
struct AuditFileTests {
    private func open(
        _ folder: Folder, _ key: Secret = auditKey, maximumSize: Int = .max, _ calls: AuditSystemCalls = .system
    ) throws -> AuditFile {
        try AuditFile(folder.file, key: key, maximumSize: maximumSize, calls: calls, at: moment)
    }

    @Test func `lines follow each other over one start after the other, and only the owner may read them`() throws {
        let folder = try Folder()
        for start in 0..<3 {
            let file = try open(folder)
            try file.add(0..<5)
            #expect(file.takeFindings() == [])
            #expect(file.durable.number == Int64(7 * (start + 1) - 1))
            try file.end()
        }
        let verdict = try Verdict(folder)
        #expect(verdict.told == [] && verdict.last == 21)
        #expect(folder.names == ["audit.jsonl", "audit.jsonl-head"])
        for name in folder.names {
            let status = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
            #expect(status[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test func `its mark is the last line's number and code`() throws {
        let folder = try Folder()
        let file = try open(folder)
        try file.add(0..<7)
        let verdict = try Verdict(folder)
        #expect(file.durable.number == verdict.last)
        #expect(Hex.encode(file.durable.head.bytes.array).text == verdict.head)
    }

    @Test func `two that write the same file make one chain, whoever begins the next file`() throws {
        let folder = try Folder()
        let files = [try open(folder, maximumSize: 4096), try open(folder, maximumSize: 4096)]
        for round in 0..<60 {
            let time = moment + Int64(round)
            // Now by turns, now several times in a row.
            try files[round % 2].add(0..<3, at: time)
            try files[round / 7 % 2].add(0..<2, at: time)
            if round % 20 == 19 { try files[round / 20 % 2].rotate(at: time) }
        }
        let verdict = try Verdict(folder)
        #expect(verdict.told == [] && verdict.last == Int64(verdict.lines) && verdict.lines > 302)
        #expect(folder.segments.count > 10)
        #expect(files.allSatisfy { $0.takeFindings() == [] })
    }

    @Test func `nobody adds a line while another has the file, and who waits for too long is told so`() throws {
        let folder = try Folder()
        let (first, second) = (try open(folder), try open(folder))
        try first.append(content(1).span, at: moment)
        let fault = #expect(throws: AuditFault.self) { try second.add(0..<1) }
        #expect(fault?.description.contains("others have kept") == true)
        try first.commit()
        try second.recover(at: moment)
        try second.add(0..<1)
        let verdict = try Verdict(folder)
        #expect(verdict.told == [] && verdict.unsynced == 0)
    }

    @Test func `what another was killed over is set aside, and the lines go on`() throws {
        let folder = try Folder()
        let file = try open(folder)
        try file.add(0..<2)
        try folder.write(try folder.read() + Array(#"{"seq":4,"ti"#.utf8))
        try file.add(0..<2)
        #expect(file.takeFindings().first?.contains("torn") == true)
        let verdict = try Verdict(folder)
        #expect(verdict.told == [] && verdict.last == 5)
    }

    @Test(arguments: ["cut off", "older", "foreign", "emptied"])
    func `what is done to the file while it is written is found, and the lines go on from the last`(
        _ what: String
    ) throws {
        let folder = try Folder()
        let file = try open(folder)
        try file.add(0..<2)
        let old = try folder.read()
        try file.add(0..<2)
        let whole = try folder.read()
        switch what {
        case "cut off": truncate(folder.file, off_t(old.count))
        case "older": try folder.write(old)
        case "foreign": try folder.write(whole + Array("{\"seq\":6}\n".utf8))
        default: truncate(folder.file, 0)
        }
        try file.add(0..<2)
        let told = try Verdict(folder).told
        switch what {
        case "foreign": #expect(told == ["foreign -"])
        // Whole files that are missing at the beginning are not missed.
        case "emptied": #expect(told == [])
        default: #expect(told == ["removed 4-5"])
        }
    }

    @Test(arguments: ["folder", "link", "fifo"])
    func `what is no ordinary file is refused`(_ kind: String) throws {
        let folder = try Folder()
        switch kind {
        case "folder": try FileManager.default.createDirectory(atPath: folder.file, withIntermediateDirectories: false)
        case "link": symlink("/dev/null", folder.file)
        default: mkfifo(folder.file, 0o600)
        }
        #expect(throws: AuditFault.self) { try open(folder) }
        #expect(AuditFileTrust(folder.file).fault == "\(folder.file) is no ordinary file")
    }

    @Test func `to judge a path makes nothing there, and a folder that is not there is told`() throws {
        let folder = try Folder()
        #expect(AuditFileTrust(folder.file).fault == nil && AuditFileTrust(folder.file).missingFolder == nil)
        #expect(folder.names == [])
        let missing = AuditFileTrust(folder.path + "/none/audit.jsonl")
        #expect(missing.missingFolder?.contains("\(folder.path)/none/ does not exist") == true && missing.fault != nil)
        // A second name in its own folder is a crash in the midst of setting it aside.
        try open(folder).add(0..<3)
        try #require(link(folder.file, folder.file + ".20261122T044408Z-000000000004") == 0)
        #expect(AuditFileTrust(folder.file).fault == nil)
    }

    @Test
    func `a folder where others can make files is refused in spite of the sticky bit, and one they can read is told`()
        throws
    {
        let folder = try Folder()
        chmod(folder.path, 0o1777)
        #expect(AuditFileTrust(folder.file).fault?.contains("make files in") == true)
        #expect(throws: AuditFault.self) { try open(folder) }
        chmod(folder.path, 0o755)
        #expect(AuditFileTrust(folder.file).fault == nil)
        #expect(AuditFileTrust(folder.file).weakness?.contains("could hold its lock") == true)
        chmod(folder.path, 0o700)
        try open(folder).add(0..<1)
        #expect(AuditFileTrust(folder.file).weakness == nil)
        chmod(folder.file, 0o640)
        #expect(AuditFileTrust(folder.file).weakness?.contains(folder.file) == true)
    }

    @Test func `a torn last line is set aside, wherever it was torn, and whole lines stay`() throws {
        let folder = try Folder()
        try open(folder).add(0..<4)
        let whole = try folder.read()
        let lines = whole.split(separator: UInt8(ascii: "\n"))
        let start = whole.count - lines[lines.count - 1].count - 1
        for length in stride(from: start, to: whole.count, by: 7) {
            try folder.write(Array(whole[..<length]))
            unlink(folder.file + "-head")
            try open(folder).add(0..<2)
            #expect(try folder.read().starts(with: whole[..<start]))
            let verdict = try Verdict(folder)
            #expect(verdict.told == [] && verdict.last == 4 + 3)
            let torn = folder.names.filter { $0.hasPrefix("audit.jsonl-torn.") }
            #expect(torn.count == (length > start ? 1 : 0))
            for name in torn {
                #expect(try folder.read(folder.path + "/" + name) == Array(whole[start..<length]))
                try FileManager.default.removeItem(atPath: folder.path + "/" + name)
            }
        }
    }

    @Test func `zeros that a lost power left behind are set aside`() throws {
        let folder = try Folder()
        try open(folder).add(0..<4)
        try folder.write(try folder.read() + [UInt8](repeating: 0, count: 4096))
        let file = try open(folder)
        try file.add(0..<1)
        let findings = file.takeFindings()
        #expect(findings.count == 2 && findings[0].contains("torn") && findings[1].contains("recorded stop"))
        #expect(try Verdict(folder).told == [])
    }

    @Test func `a start knows that it is alone, though a child of the process before has its descriptors still`() throws
    {
        let folder = try Folder()
        var copy: Int32 = -1
        do {
            let file = try open(folder)
            try file.add(0..<4)
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                if target == folder.file + "-head", let descriptor = Int32(name) { copy = dup(descriptor) }
            }
        }
        #expect(copy >= 0)
        defer { close(copy) }
        let findings = try open(folder).takeFindings()
        #expect(findings.count == 1 && findings[0].contains("recorded stop"), "\(findings)")
    }

    @Test(arguments: ["another key", "edited", "no audit", "one long line"])
    func `a file whose end is not under the key is set aside whole`(_ what: String) throws {
        let folder = try Folder()
        try open(folder, what == "another key" ? otherKey : auditKey).add(0..<4)
        var bytes = try folder.read()
        switch what {
        case "edited": bytes[bytes.count - 120] ^= 1
        case "no audit": bytes = Array("nothing\nof the kind\n".utf8)
        case "one long line": bytes = [UInt8](repeating: 97, count: 1 << 19)
        default: break
        }
        try folder.write(bytes)
        let file = try open(folder)
        try file.add(0..<3)
        #expect(file.takeFindings().count == 1)
        #expect(try folder.segments.map { try folder.read($0) }.first == bytes)
        #expect(try Verdict([try folder.read()]).told == [])
    }

    @Test func `behind a change of the key the lines go on, and both keys in their order find them whole`() throws {
        let folder = try Folder()
        for key in [auditKey, otherKey] {
            let file = try AuditFile(folder.file, key: key, at: moment)
            try file.add(0..<3)
            try file.end()
        }
        #expect(folder.names == ["audit.jsonl", "audit.jsonl-head", "audit.jsonl.20261122T044408Z-000000000005"])
        let files = try folder.segments.map { try folder.read($0) }
        let both = try Verdict(files, auditKey, otherKey)
        #expect(both.told == [] && both.last == 10 && both.unsynced == 0)
        #expect(try Verdict(files, otherKey, auditKey).told == ["edited 6-10"], "an earlier key comes too late")
        #expect(try Verdict(files).told == ["edited 6-10"])
        // What is cut off before the change is missed.
        let cut = files[0].split(separator: UInt8(ascii: "\n")).dropLast(2).flatMap { $0 + [UInt8(ascii: "\n")] }
        #expect(try Verdict([cut, files[1]], auditKey, otherKey).told == ["removed 4-5"])
    }

    @Test func `a file without a line of an audit is not named by a number`() throws {
        let folder = try Folder()
        try folder.write(Array("nothing\n".utf8))
        try open(folder).add(0..<1)
        #expect(folder.names.contains("audit.jsonl.20261122T044408Z-unreadable"), "\(folder.names)")
    }

    @Test func `under another key than a process that writes the file, it is not to be had, and nothing changes`()
        throws
    {
        let folder = try Folder()
        let file = try open(folder)
        try file.add(0..<3)
        let before = try folder.names.map { try folder.read(folder.path + "/" + $0) }
        let fault = #expect(throws: AuditFault.self) { try open(folder, otherKey) }
        #expect(fault?.description.contains("under another key") == true, "\(String(describing: fault))")
        #expect(try folder.names.map { try folder.read(folder.path + "/" + $0) } == before)
        try file.add(3..<4)
        try file.end()
        #expect(try Verdict(folder).told == [])
        _ = consume file
        try open(folder, otherKey).end()
    }

    @Test func `a file that is as large as it may be gives way to the next, which goes on`() throws {
        let folder = try Folder()
        let file = try open(folder, maximumSize: 4096)
        for round in 0..<20 { try file.add(0..<5, at: moment + Int64(round)) }
        #expect(folder.segments.count > 4)
        for segment in folder.segments { #expect(try folder.read(segment).count < 4096 + 2048) }
        #expect(try Verdict(folder).told == [])
        // A segment that is not there is missed.
        let all = try folder.segments.map { try folder.read($0) }
        for missing in 1..<all.count - 1 {
            var rest = all
            rest.remove(at: missing)
            #expect(try Verdict(rest).told.first?.hasPrefix("removed") == true)
        }
        var swapped = all
        swapped.swapAt(1, 2)
        #expect(try !Verdict(swapped).told.isEmpty)
    }

    @Test func `it is begun anew when somebody asks, and when it was moved away`() throws {
        let folder = try Folder()
        let file = try open(folder)
        try file.add(0..<2)
        try file.rotate(at: moment)
        try file.add(0..<2)
        try FileManager.default.moveItem(atPath: folder.file, toPath: folder.file + ".9-moved")
        try file.add(0..<2)
        // Somebody has put an empty one there, as logrotate's `create` does.
        try FileManager.default.moveItem(atPath: folder.file, toPath: folder.file + ".99-moved")
        try folder.write([])
        try file.add(0..<2, at: moment + 1)
        let verdict = try Verdict(folder)
        #expect(verdict.told == [] && verdict.last == 12)
        let texts = try folder.segments.map { String(decoding: try folder.read($0), as: UTF8.self) }
        #expect(texts.map { $0.contains("\"reason\":\"start\"") } == [true, false, false, false])
        #expect(texts.filter { $0.contains("\"reason\":\"moved\"") }.count == 2)
    }

    @Test func `those whose folder was moved away and made anew meet in a new file there`() throws {
        let folder = try Folder()
        let (file, other) = (try open(folder), try open(folder))
        try file.add(0..<2)
        let away = folder.path + "-away"
        try FileManager.default.moveItem(atPath: folder.path, toPath: away)
        defer { try? FileManager.default.removeItem(atPath: away) }
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        for _ in 0..<3 {
            try other.add(0..<1)
            try file.add(0..<1)
        }
        let verdict = try Verdict([try folder.read(away + "/audit.jsonl"), try folder.read()])
        #expect(verdict.told == [] && verdict.last == 11)
    }

    @Test func `those whose file was moved away meet in the next one`() throws {
        let folder = try Folder()
        let (file, other) = (try open(folder), try open(folder))
        try file.add(0..<2)
        try FileManager.default.moveItem(atPath: folder.file, toPath: folder.file + ".9-moved")
        for _ in 0..<3 {
            try other.add(0..<1)
            try file.add(0..<1)
        }
        let verdict = try Verdict(folder)
        #expect(verdict.told == [] && verdict.last == 11 && folder.segments.count == 2)
    }

    @Test func `a rotation that a crash has cut in two is finished at the next start`() throws {
        let folder = try Folder()
        try open(folder).add(0..<3)
        // The old file has its new name, and the next one is not yet in its place.
        link(folder.file, folder.file + ".20261122T044408Z-000000000004")
        try folder.write(Array("half".utf8), to: folder.file + "-next")
        try open(folder).add(0..<3)
        let verdict = try Verdict(folder)
        #expect(verdict.told == [] && verdict.last == 8)
        #expect(folder.segments.count == 2)
    }

    @Test func `a file that has another name somewhere else is refused, and stays as it is`() throws {
        let (folder, other) = (try Folder(), try Folder())
        try open(folder).add(0..<3)
        let (before, names) = (try folder.read(), folder.names)
        try #require(link(folder.file, other.path + "/copy") == 0)
        let fault = try #require(throws: AuditFault.self) { try open(folder) }
        #expect(fault.description.contains("hard link") && fault.description.contains(folder.file))
        #expect(AuditFileTrust(folder.file).fault == fault.description)
        #expect(try folder.read() == before && folder.names == names)
        try FileManager.default.removeItem(atPath: other.path + "/copy")
        try open(folder).add(0..<1)
        #expect(try Verdict(folder).told == [])
    }

    @Test(
        arguments: [
            ("", 0o660, "chmod g-w"), ("", 0o602, "chmod o-w"), ("folder", 0o770, "chmod g-w"),
            ("folder", 0o707, "chmod o-w"),
        ] as [(String, mode_t, String)])
    func `a file that others could write, or put another in its place, is refused`(
        _ what: String, _ mode: mode_t, _ advice: String
    ) throws {
        let folder = try Folder()
        try open(folder).add(0..<3)
        let before = try folder.read()
        try #require(chmod(what.isEmpty ? folder.file : folder.path, mode) == 0)
        let fault = try #require(throws: AuditFault.self) { try open(folder) }
        #expect(fault.description.contains(advice), "\(fault)")
        #expect(AuditFileTrust(folder.file).fault == fault.description)
        try #require(chmod(folder.path, 0o700) == 0)
        #expect(try folder.read() == before)
    }
}
