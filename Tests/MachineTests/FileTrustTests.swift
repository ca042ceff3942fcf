import Foundation
import Testing

@testable import Machine

@Suite struct FileTrustTests {
    private func weakness(_ path: String) throws -> String? { try #require(ReadFile(path)).weakness }

    @Test(
        arguments: [
            (0o600, nil), (0o640, nil), (0o444, nil), (0o440, nil), (0o660, "chmod g-w"), (0o620, "chmod g-w"),
            (0o602, "chmod o-w"), (0o666, "chmod o-w"),
        ] as [(mode_t, String?)])
    func `a file that its group or others can change is told, one that they can read is not`(
        _ mode: mode_t, _ advice: String?
    ) throws {
        let folder = try Folder()
        let found = try weakness(folder.file("a", mode: mode))
        if let advice { #expect(found?.contains(advice) == true, "\(found ?? "")") } else { #expect(found == nil) }
    }

    @Test(
        arguments: [
            (0o700, nil), (0o755, nil), (0o1777, nil), (0o1770, nil), (0o777, "chmod o-w"), (0o770, "chmod g-w"),
        ] as [(mode_t, String?)])
    func `a folder anywhere on the way that others can write into is told, unless it has the sticky bit`(
        _ mode: mode_t, _ advice: String?
    ) throws {
        let folder = try Folder()
        try folder.folder("a", mode: mode)
        try folder.folder("a/b")
        let path = try folder.file("a/b/c")
        let link = try folder.link("link", to: "a/b/../b/c")
        for path in [path, link, "\(folder.path)/a/b/./c", "\(folder.path)/a/../a/b/c"] {
            let found = try weakness(path)
            if let advice {
                #expect(
                    found?.contains(advice) == true && found?.contains("\(folder.path)/a;") == true, "\(found ?? "")")
            } else {
                #expect(found == nil)
            }
        }
        #expect((FileTrust().fault(ofFolder: "\(folder.path)/a/b") != nil) == (advice != nil))
    }

    @Test func `a link that stands in a folder of everybody's is told, wherever it leads`() throws {
        let folder = try Folder()
        try folder.folder("open", mode: 0o777)
        let path = try folder.file("a")
        #expect(try weakness(path) == nil)
        let link = try folder.link("open/link", to: path)
        #expect(try weakness(link)?.contains("chmod o-w") == true)
    }

    @Test func `secrets as Kubernetes mounts them are fine`() throws {
        let folder = try Folder()
        // A folder of everybody's with the sticky bit, and two links to a file that its group may read.
        try folder.folder("secrets", mode: 0o1777)
        try folder.folder("secrets/..2026")
        try folder.file("secrets/..2026/key", mode: 0o440)
        _ = try folder.link("secrets/..data", to: "..2026")
        let path = try folder.link("secrets/key", to: "..data/key")
        let file = try #require(ReadFile(path))
        #expect(file.bytes == Array("text".utf8) && file.weakness == nil && !file.isWorldReadable)
    }

    @Test func `a way that cannot be followed is told`() throws {
        let folder = try Folder()
        var info = stat()
        try #require(stat(folder.file("a"), &info) == 0)
        #expect(FileTrust().fault(of: folder.path + "/a", info) == nil)
        #expect(FileTrust().fault(of: folder.path + "/missing/a", info)?.contains("cannot be looked at") == true)
        #expect(FileTrust().fault(ofFolder: folder.path + "/missing")?.contains("cannot be looked at") == true)
    }

    @Test(arguments: [0, 1, 4095, 4096, 4097, 200_000]) func `a file is read whole`(_ size: Int) throws {
        let folder = try Folder()
        let path = try folder.file("a")
        let text = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try Data(text).write(to: URL(filePath: path))
        #expect(ReadFile(path)?.bytes == text)
    }

    @Test func `of what cannot be read to its end there is nothing, and what is wiped has no byte left`() throws {
        let folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(folder >= 0)
        defer { close(folder) }
        #expect(ReadFile.contents(of: folder) == nil)
        var bytes = Array("secret".utf8)
        bytes.wipe()
        #expect(bytes == [0, 0, 0, 0, 0, 0])
        var none: [UInt8] = []
        none.wipe()
        #expect(none == [])
    }

    @Test func `what cannot be read is nothing, and what comes by a descriptor has no folder`() throws {
        let folder = try Folder()
        #expect(ReadFile("\(folder.path)/missing") == nil && ReadFile(folder.path) == nil)
        let loop = try folder.link("loop", to: "loop")
        #expect(ReadFile(loop) == nil)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(write(ends[1], "text", 4) == 4)
        close(ends[1])
        let file = try #require(ReadFile("/proc/self/fd/\(ends[0])"))
        #expect(file.bytes == Array("text".utf8) && file.weakness == nil)
    }

    @Test func `a file that is too large is not read`() throws {
        let folder = try Folder()
        let path = folder.path + "/large"
        try #require(FileManager.default.createFile(atPath: path, contents: nil))
        try #require(truncate(path, off_t(ReadFile.largest) + 1) == 0)
        #expect(ReadFile(path) == nil)
    }

    @Test func `a device is no file, and a pipe that nobody writes to keeps nobody waiting`() throws {
        let folder = try Folder()
        #expect(ReadFile("/dev/zero") == nil && ReadFile("/dev/null") == nil)
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let pipe = try #require(ReadFile(path))
        #expect(pipe.bytes.isEmpty && pipe.isPipe)
    }
}
