import Foundation

/// A file of bytes that differ from block to block; it goes when nobody holds it any more.
final class TestFile: Sendable {
    let url: URL

    private static let block: Data = {
        var state: UInt64 = 88_172_645_463_325_252
        var block = Data(capacity: 1 << 20)
        while block.count < 1 << 20 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            withUnsafeBytes(of: state) { block.append(contentsOf: $0) }
        }
        return block
    }()

    /// - Parameter text: whether it holds letters alone.
    init(_ size: Int, text: Bool = false) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString).bin")
        _ = FileManager.default.createFile(atPath: url.path(percentEncoded: false), contents: nil)
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        for offset in stride(from: 0, to: size, by: TestFile.block.count) {
            let count = min(TestFile.block.count, size - offset)
            var piece = TestFile.block.prefix(count)
            piece.replaceSubrange(..<min(8, count), with: "\(offset)".utf8.prefix(8))
            if text { piece = Data(piece.map { 0x61 + $0 % 26 }) }
            try handle.write(contentsOf: piece.prefix(count))
        }
        try handle.truncate(atOffset: UInt64(size))
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var contents: Data { get throws { try Data(contentsOf: url) } }
}
