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
        let records = folder.appendingPathComponent("records/alibaba/demo-bucket")
        let elsewhere = folder.appendingPathComponent("elsewhere")
        try FileManager.default.moveItem(at: records, to: elsewhere)
        #expect(throws: StoreFault.self) { try put("longer", as: "a/b", in: store) }
        #expect(throws: StoreFault.self) { try put("new", as: "c/d", in: store) }
        try FileManager.default.moveItem(at: elsewhere, to: records)
        let objects = folder.path + "/objects/alibaba/demo-bucket"
        for store in [store, try ObjectStore(.alibaba, in: folder.path)] {
            #expect(text("a/b", in: store) == "h-old: old")
            #expect(text("c/d", in: store) == nil)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: objects) == ["a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/uploads/alibaba").isEmpty)
    }

    @Test func `a linked folder is not followed, for writing, reading, removing or as a bucket`() throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("countersign-\(UUID().uuidString)")
        defer { try? manager.removeItem(at: folder) }
        let outside = folder.appendingPathComponent("outside")
        try manager.createDirectory(at: outside, withIntermediateDirectories: true)
        let store = try ObjectStore(.alibaba, in: folder.path)
        try store.makeBucket(ObjectStoreTests.bucket)
        let objects = folder.appendingPathComponent("objects/alibaba/demo-bucket")
        try manager.createSymbolicLink(at: objects.appendingPathComponent("link"), withDestinationURL: outside)
        try put("new", as: "link/a", in: store)
        try put("deep", as: "link/b/c", in: store)
        #expect(text("link/a", in: store) == "h-new: new" && text("link/b/c", in: store) == "h-deep: deep")
        #expect(try manager.contentsOfDirectory(atPath: outside.path).isEmpty)

        // A folder that becomes a link after its object is there.
        try put("inside", as: "d/a", in: store)
        try manager.moveItem(at: objects.appendingPathComponent("d"), to: outside.appendingPathComponent("d"))
        try manager.createSymbolicLink(
            at: objects.appendingPathComponent("d"), withDestinationURL: outside.appendingPathComponent("d"))
        for store in [store, try ObjectStore(.alibaba, in: folder.path)] { #expect(text("d/a", in: store) == nil) }
        #expect(throws: StoreFault.self) { try put("other", as: "d/a", in: store) }
        _ = try store.remove(Array("d/a".utf8), from: ObjectStoreTests.bucket)
        #expect(try String(contentsOf: outside.appendingPathComponent("d/a"), encoding: .utf8) == "inside")

        try manager.createSymbolicLink(
            at: folder.appendingPathComponent("objects/alibaba/linked"), withDestinationURL: outside)
        #expect(throws: StoreFault.self) { try ObjectStore(.alibaba, in: folder.path) }
    }

    @Test(arguments: ["../../../outside", "d/../../../../outside", "%/../../../../outside", "/outside", "other"])
    func `a record that names another file reaches its own object alone`(file: String) throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("countersign-\(UUID().uuidString)")
        defer { try? manager.removeItem(at: folder) }
        let first = try ObjectStore(.alibaba, in: folder.path)
        try first.makeBucket(ObjectStoreTests.bucket)
        try put("mine", as: "a", in: first)
        try put("also", as: "other", in: first)
        let outside = folder.appendingPathComponent("outside")
        try Data("user".utf8).write(to: outside)
        let record = folder.appendingPathComponent(
            "records/alibaba/demo-bucket/\(try ObjectPath.record(Array("a".utf8)))")
        var fields = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: record)) as? [String: Any])
        #expect(fields["file"] == nil)
        fields["file"] = file
        try JSONSerialization.data(withJSONObject: fields).write(to: record)
        let store = try ObjectStore(.alibaba, in: folder.path)
        #expect(text("a", in: store) == "h-mine: mine", "an older record says the same, and opens")
        try put("next", as: "a", in: store)
        #expect(text("a", in: store) == "h-next: next")
        #expect(try store.remove(Array("a".utf8), from: ObjectStoreTests.bucket))
        #expect(text("other", in: store) == "h-also: also")
        #expect(try String(contentsOf: outside, encoding: .utf8) == "user")
    }

    @Test(arguments: ["../../../outside", "../outside", "/outside", ".hidden", "a/../../../../outside"])
    func `a record whose key is a path out of the folder reaches no file`(key: String) throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("countersign-\(UUID().uuidString)")
        defer { try? manager.removeItem(at: folder) }
        try ObjectStore(.alibaba, in: folder.path).makeBucket(ObjectStoreTests.bucket)
        let outside = folder.appendingPathComponent("outside")
        try Data("user".utf8).write(to: outside)
        let object = StoredObject(
            key: Array(key.utf8), size: 4, time: 0, hash: Array("h".utf8), mediaType: Array("text/plain".utf8))
        for name in [try ObjectPath.record(object.key), "other.json", ".staged"] {
            try Data(object.record).write(to: folder.appendingPathComponent("records/alibaba/demo-bucket/\(name)"))
        }
        let store = try ObjectStore(.alibaba, in: folder.path)
        #expect(text(key, in: store) == nil)
        #expect(try !store.remove(object.key, from: ObjectStoreTests.bucket))
        #expect(try String(contentsOf: outside, encoding: .utf8) == "user")
    }

    @Test func `a record with values that no object has is no record`() throws {
        var object = StoredObject(
            key: Array("a".utf8), size: 4, time: 0, hash: Array("h".utf8), mediaType: Array("text/plain".utf8))
        #expect(StoredObject.read(object.record) == object)
        for time in [Int64.min, -1, 253_402_300_800, .max] {
            object.time = time
            #expect(StoredObject.read(object.record) == nil, "\(time)")
        }
        object = StoredObject(key: object.key, size: 4, time: 0, hash: Array("h\r\nX: y".utf8), mediaType: [])
        #expect(StoredObject.read(object.record) == nil)
    }

    @Test(arguments: ["uploads", "objects", "records"])
    func `a linked folder of a vendor is refused, and nothing in it is removed`(
        name: String
    ) throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("countersign-\(UUID().uuidString)")
        defer { try? manager.removeItem(at: folder) }
        let outside = folder.appendingPathComponent("outside")
        try manager.createDirectory(at: outside, withIntermediateDirectories: true)
        try Data("user".utf8).write(to: outside.appendingPathComponent("file"))
        try manager.createDirectory(at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        try manager.createSymbolicLink(
            at: folder.appendingPathComponent("\(name)/alibaba"), withDestinationURL: outside)
        #expect(throws: StoreFault.self) { try ObjectStore(.alibaba, in: folder.path) }
        #expect(try manager.contentsOfDirectory(atPath: outside.path) == ["file"])
    }

    /// A process that was killed behind each step of a put: the record written aside, the file moved.
    @Test(arguments: [false, true], [nil, "old", "longer-than-that"])
    func `a put that was killed between its steps is done, or was never begun`(isMoved: Bool, before: String?) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("countersign-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bucket = "alibaba/demo-bucket"
        do {
            let store = try ObjectStore(.alibaba, in: folder.path)
            try store.makeBucket(ObjectStoreTests.bucket)
            // The record of the new object, and where its bytes are.
            try put("new", as: "a/b", in: store)
            let record = "\(folder.path)/records/\(bucket)/\(try ObjectPath.record(Array("a/b".utf8)))"
            let written = try Data(contentsOf: URL(filePath: record))
            if let before {
                try put(before, as: "a/b", in: store)
            } else {
                #expect(try store.remove(Array("a/b".utf8), from: ObjectStoreTests.bucket))
                try FileManager.default.createDirectory(
                    atPath: "\(folder.path)/objects/\(bucket)/a", withIntermediateDirectories: true)
            }
            try written.write(to: folder.appendingPathComponent("records/\(bucket)/.staged"))
            let place = isMoved ? "objects/\(bucket)/a/b" : "uploads/alibaba/staged"
            try Data("new".utf8).write(to: folder.appendingPathComponent(place))
        }
        let expected = isMoved ? "h-new: new" : before.map { "h-\($0): \($0)" }
        for _ in 1...2 { #expect(text("a/b", in: try ObjectStore(.alibaba, in: folder.path)) == expected) }
        let records = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/records/\(bucket)")
        #expect(records.count == (expected == nil ? 0 : 1))
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/uploads/alibaba").isEmpty)
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
