import Foundation
import Testing

@testable import Bytes
@testable import Sandbox

/// Objects on the disk.
@Suite struct ObjectStoreTests {
    private static let bucket = Array("demo-bucket".utf8)

    private func put(_ text: String, as key: String, in store: ObjectStore) throws {
        let file = try store.stage()
        try file.write(Array(text.utf8))
        try store.put(
            file, ObjectDescription(hash: Array("h-\(text)".utf8), mediaType: Array("text/plain".utf8)),
            as: Array(key.utf8), in: ObjectStoreTests.bucket, at: 0)
    }

    private func text(_ key: String, in store: ObjectStore) -> String? {
        store.open(Array(key.utf8), in: ObjectStoreTests.bucket).map { object, file in
            "\(object.hash.text): \(file.read(file.size, at: 0).text)"
        }
    }

    @Test func `an object whose new record cannot be written stays what it was`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("countersign-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try ObjectStore(.alibaba, in: folder.path)
        try store.makeBucket(ObjectStoreTests.bucket)
        try put("old", as: "a/b", in: store)
        // Where the next record is written aside.
        for key in ["a/b", "c/d"] {
            let record = try ObjectPath.record(Array(key.utf8))
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("records/alibaba/demo-bucket/.\(record)/x"),
                withIntermediateDirectories: true)
        }
        #expect(throws: StoreFault.self) { try put("longer", as: "a/b", in: store) }
        #expect(throws: StoreFault.self) { try put("new", as: "c/d", in: store) }
        let objects = folder.path + "/objects/alibaba/demo-bucket"
        for store in [store, try ObjectStore(.alibaba, in: folder.path)] {
            #expect(text("a/b", in: store) == "h-old: old")
            #expect(text("c/d", in: store) == nil)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: objects) == ["a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/uploads/alibaba").isEmpty)
    }

    @Test func `keys that are a file and a folder at once are kept side by side`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("countersign-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try ObjectStore(.alibaba, in: folder.path)
        try store.makeBucket(ObjectStoreTests.bucket)
        for key in ["a", "a/b", "c/d", "c", "c/d/e"] { try put(key, as: key, in: store) }
        for store in [store, try ObjectStore(.alibaba, in: folder.path)] {
            for key in ["a", "a/b", "c/d", "c", "c/d/e"] { #expect(text(key, in: store) == "h-\(key): \(key)") }
        }
    }
}
