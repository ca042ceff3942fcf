import Foundation
import TestTraits
import Testing

@testable import Machine

@Suite struct StateFileTests {
    private func text(_ file: StateFile) throws -> String? {
        try file.read(atMost: 100).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private func write(_ text: String, to file: StateFile) throws {
        try file.update(atMost: 100) { _ in Array(text.utf8) }
    }

    @Test func `what is written is read, and every writing has a mark of its own`() throws {
        let folder = try Folder()
        let file = StateFile("\(folder.path)/state")
        #expect(try text(file) == nil && file.mark == nil)
        try write("one", to: file)
        let mark = file.mark
        #expect(try text(file) == "one" && mark != nil && file.mark == mark)
        #expect(try file.read(atMost: 100)?.mark == mark)
        try write("two", to: file)
        #expect(try text(file) == "two" && file.mark != mark)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["state", "state-lock"])
    }

    @Test func `a change gets what stands there, and one that returns nothing writes nothing`() throws {
        let folder = try Folder()
        let file = StateFile("\(folder.path)/state")
        try file.update(atMost: 100) { old in old == nil ? Array("one".utf8) : nil }
        let mark = file.mark
        try file.update(atMost: 100) { old in old == Array("one".utf8) ? nil : [] }
        #expect(file.mark == mark)
        struct Refused: Error {}
        #expect(throws: Refused.self) { try file.update(atMost: 100) { _ in throw Refused() } }
        #expect(try text(file) == "one")
    }

    @Test(.waiting) func `writers take turns, and none loses what another has written`() async throws {
        let folder = try Folder()
        let path = "\(folder.path)/state"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<5 {
                        try StateFile(path).update(atMost: 1000) { ($0 ?? []) + [UInt8(number)] }
                    }
                }
            }
            try await group.waitForAll()
        }
        let bytes = try #require(try StateFile(path).read(atMost: 1000)).bytes
        #expect(bytes.count == 40 && Set(bytes).count == 8)
    }

    @Test func `a file or folder that others can change is neither read nor written`() throws {
        let folder = try Folder()
        let file = StateFile("\(folder.path)/state")
        try write("one", to: file)
        chmod("\(folder.path)/state", 0o666)
        #expect(throws: StateFile.Fault.self) { try text(file) }
        #expect(throws: StateFile.Fault.self) { try write("two", to: file) }
        chmod("\(folder.path)/state", 0o600)
        chmod(folder.path, 0o777)
        #expect(throws: StateFile.Fault.self) { try text(file) }
        #expect(throws: StateFile.Fault.self) { try write("two", to: file) }
        chmod(folder.path, 0o700)
        #expect(try text(file) == "one")
    }

    @Test func `a link, a folder, a long file and a folder that is not there are refused`() throws {
        let folder = try Folder()
        let target = try folder.file("target")
        _ = try folder.link("link", to: target)
        try folder.folder("folder")
        for name in ["link", "folder"] {
            #expect(throws: StateFile.Fault.self) { try text(StateFile("\(folder.path)/\(name)")) }
        }
        let file = StateFile("\(folder.path)/state")
        try write(String(repeating: "x", count: 100), to: file)
        #expect(throws: StateFile.Fault.self) { try file.read(atMost: 99) }
        let fault = #expect(throws: StateFile.Fault.self) { try text(StateFile("\(folder.path)/none/state")) }
        #expect(fault?.description.contains("does not exist") == true)
    }
}
