import Configuration
import Machine
import Testing

@testable import Gateway

@Suite("Files that a configuration is made of")
struct WatchedFilesTests {
    /// Files that tests change.
    private final class Disk: @unchecked Sendable {
        var files: [String: ReadFile] = [:]
        func put(_ path: String, _ text: String, isWorldReadable: Bool = false) {
            files[path] = ReadFile(bytes: Array(text.utf8), isWorldReadable: isWorldReadable)
        }
        var environment: Environment { Environment(variable: { _ in nil }, file: { [self] in files[$0] }) }
    }

    @Test func `they are told apart by content, by who may read them, and by whether they are there`() {
        let (disk, recorder) = (Disk(), FileRecorder())
        disk.put("a", "one")
        let environment = recorder.environment(over: disk.environment)
        #expect(environment.file("a")?.bytes == Array("one".utf8))
        #expect(environment.file("b") == nil)
        let files = recorder.files
        #expect(files["a"] != nil && files["b"] == nil && files["c"] == nil)
        func look() -> WatchedFiles { files.lookedAtAgain(in: disk.environment) }
        #expect(look() == files)
        disk.put("c", "nobody has asked for it")
        #expect(look() == files)
        disk.put("a", "two")
        #expect(look() != files)
        disk.put("a", "one", isWorldReadable: true)
        #expect(look() != files)
        disk.put("a", "one")
        #expect(look() == files)
        disk.put("b", "")
        #expect(look() != files)
        disk.files = [:]
        #expect(look() != files)
    }

    @Test func `nothing that stands in a file is kept`() {
        let (disk, recorder) = (Disk(), FileRecorder())
        disk.put("a", "a-secret-of-the-tests")
        _ = recorder.environment(over: disk.environment).file("a")
        var text = ""
        dump(recorder.files, to: &text)
        #expect(text.contains("digest") && !text.contains("a-secret"))
    }
}

@Suite("How a service came by its configuration")
struct ReloadRecordTests {
    @Test func `a refused one counts and is told until another serves`() {
        let record = ReloadRecord(at: 100)
        #expect(record.standing.generation == 1 && record.standing.since == 100 && record.standing.refusal == nil)
        record.refused(because: [Problem(path: "a", position: nil, reason: "b")], at: 200)
        record.refused(because: [Problem(path: "c", position: nil, reason: "d")], at: 201)
        #expect(record.standing.refusals == 2 && record.standing.generation == 1 && record.standing.since == 100)
        #expect(
            record.standing.refusal?.time == 201 && record.standing.refusal?.problems.map(\.description) == ["c: d"])
        #expect(record.succeeded(at: 300) == 2)
        #expect(record.standing.generation == 2 && record.standing.since == 300)
        #expect(record.standing.refusals == 2 && record.standing.refusal == nil)
    }
}
