import Foundation
import TestTraits
import Testing

@testable import Machine

/// Files of other users. Root alone can give files away.
@Suite("Files of other users", .needsRoot)
struct OtherUserTests {
    private func weakness(_ path: String) throws -> String? { try #require(ReadFile(path)).weakness }

    @Test func `what belongs to another user is told: a file, a folder, a link`() throws {
        let folder = try Folder()
        try folder.folder("a", mode: 0o1777)
        let path = try folder.file("a/b")
        let link = try folder.link("a/link", to: "b")
        #expect(try weakness(path) == nil && weakness(link) == nil)
        try #require(lchown(link, 65_534, 65_534) == 0)
        #expect(try weakness(link)?.contains("\(link) belongs to the user with the number 65534") == true)
        #expect(try weakness(path) == nil)
        try #require(chown(path, 65_534, 65_534) == 0)
        #expect(try weakness(path)?.contains("\(path) belongs to") == true)
        var info = stat()
        try #require(stat(path, &info) == 0)
        #expect(FileTrust(andOf: 65_534).fault(of: path, info) == nil)
        try #require(chown(path, 0, 0) == 0 && chown(folder.path + "/a", 65_534, 65_534) == 0)
        #expect(try weakness(path)?.contains("\(folder.path)/a belongs to") == true)
    }
}
