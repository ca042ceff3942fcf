import Bytes
import Crypto
import Foundation
import Testing

@testable import Audit

#if canImport(Glibc)
    import Glibc
#endif

/// A disk that fails when it is told to.
private final class Disk: @unchecked Sendable {
    /// Bytes that it still takes; nil for as many as come.
    var room: Int?
    var syncs = true
    /// How many bytes it takes in one go.
    var stride = Int.max

    var calls: AuditSystemCalls {
        AuditSystemCalls(
            write: { [self] descriptor, bytes in
                let count = min(bytes.count, room ?? .max, stride)
                if count == 0 {
                    errno = ENOSPC
                    return -1
                }
                room = room.map { $0 - count }
                return write(descriptor, bytes.baseAddress, count)
            },
            sync: { [self] descriptor in
                if syncs { return fdatasync(descriptor) }
                errno = EIO
                return -1
            })
    }
}

@Suite("The audit on a disk that fails")
struct AuditFaultTests {
    private func open(_ folder: Folder, _ disk: Disk) throws -> AuditFile {
        try AuditFile(folder.file, key: auditKey, calls: disk.calls, at: moment)
    }

    @Test func `lines are written whole, however little the system takes at once`() throws {
        let (folder, disk) = (try Folder(), Disk())
        disk.stride = 7
        try open(folder, disk).add(0..<9)
        #expect(try Verdict(folder).told == [])
    }

    @Test(arguments: [0, 1, 100, 1000, 1500])
    func `a full disk ends the segment, and the next goes on from the last line that was written`(_ room: Int) throws {
        let (folder, disk) = (try Folder(), Disk())
        let file = try open(folder, disk)
        try file.add(0..<5)
        let mark = file.durable
        disk.room = room
        #expect(throws: AuditFault.self) { try file.add(5..<15) }
        #expect(file.durable.number == mark.number)
        // As long as it is full, it stays so, and nothing grows.
        for _ in 0..<3 { #expect(throws: AuditFault.self) { try file.recover(at: moment) } }
        let names = folder.names
        disk.room = nil
        try file.recover(at: moment + 1)
        try file.add(15..<20)
        let verdict = try Verdict(folder)
        #expect(verdict.told == [])
        #expect(names == ["audit.jsonl", "audit.jsonl-head"] && folder.segments.count == 2)
        #expect(verdict.unsynced == 0)
        #expect(verdict.last == 6 + 1 + 5)
    }

    @Test func `a sync that fails is not tried again: a new segment is begun`() throws {
        let (folder, disk) = (try Folder(), Disk())
        let file = try open(folder, disk)
        try file.add(0..<5)
        disk.syncs = false
        #expect(throws: AuditFault.self) { try file.add(5..<8) }
        #expect(file.durable.number == 6)
        #expect(throws: AuditFault.self) { try file.recover(at: moment) }
        disk.syncs = true
        try file.recover(at: moment)
        #expect(file.durable.number == 10)
        try file.add(8..<9)
        #expect(folder.segments.count == 2)
        #expect(try Verdict(folder).told == [])
        #expect(String(decoding: try folder.read(), as: UTF8.self).contains(#""reason":"fault""#))
    }

    @Test func `more lines than a segment says may be missing are missed`() throws {
        let (folder, disk) = (try Folder(), Disk())
        let file = try open(folder, disk)
        try file.add(0..<5)
        disk.syncs = false
        #expect(throws: AuditFault.self) { try file.add(5..<8) }
        disk.syncs = true
        try file.recover(at: moment)
        let old = try folder.read(folder.segments[0])
        let lines = old.split(separator: UInt8(ascii: "\n")).map(Array.init)
        let short = lines.dropLast(4).flatMap { $0 + [UInt8(ascii: "\n")] }
        #expect(try Verdict([short, try folder.read()]).told == ["removed 6-9"])
    }

    @Test func `who cannot write the first line cannot start`() throws {
        let (folder, disk) = (try Folder(), Disk())
        disk.room = 20
        #expect(throws: AuditFault.self) { try open(folder, disk) }
        disk.room = nil
        disk.syncs = false
        #expect(throws: AuditFault.self) { try open(folder, disk) }
        disk.syncs = true
        try open(folder, disk).add(0..<3)
        let verdict = try Verdict(folder)
        #expect(verdict.told == [])
    }
}
