import Foundation
import TestTraits
import Testing

@testable import Audit

/// Audits of other users. Root alone can give files away.
@Suite("The audit's file and other users", .needsRoot)
struct OtherUserTests {
    private func open(_ folder: Folder, maximumSize: Int = .max) throws -> AuditFile {
        try AuditFile(folder.file, key: auditKey, maximumSize: maximumSize, at: moment)
    }

    @Test func `what root begins belongs to whose the file was, or the folder`() throws {
        let folder = try Folder()
        chown(folder.path, 12_345, 54_321)
        let file = try open(folder, maximumSize: 4096)
        for round in 0..<10 { try file.add(0..<5, at: moment + Int64(round)) }
        try folder.write(try folder.read() + [0, 0])
        try file.add(0..<1)
        #expect(folder.names.count > 3)
        for name in folder.names {
            let owner = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
            #expect(owner[.ownerAccountID] as? Int == 12_345, "\(name)")
            #expect(owner[.groupOwnerAccountID] as? Int == 54_321, "\(name)")
        }
    }

    @Test func `a file of another user than the folder's is refused`() throws {
        let folder = try Folder()
        try open(folder).add(0..<3)
        try #require(chown(folder.file, 12_345, 0) == 0)
        let fault = try #require(throws: AuditFault.self) { try open(folder) }
        #expect(fault.description.contains("belongs to the user with the number 12345"))
        #expect(AuditFileTrust(folder.file).fault == fault.description)
        // Root may go on with the file of a service whose folder it is.
        try #require(chown(folder.path, 12_345, 0) == 0)
        #expect(AuditFileTrust(folder.file).fault == nil)
        try open(folder).add(0..<1)
    }
}
