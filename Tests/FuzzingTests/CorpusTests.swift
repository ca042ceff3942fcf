import Foundation
import FuzzTargets
import Testing

/// What fuzzing has kept, and what it has found: scripts/fuzz finds more.
@Suite struct CorpusTests {
    @Test("what must hold of a reader holds of all its corpus", arguments: FuzzTarget.all.map(\.name))
    func corpus(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzzing/Corpus/\(name)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 10)
        for file in files {
            let bytes = Array(try Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.check(bytes) }
        }
    }
}
