import Foundation
import Testing

/// A known-good value that a vendor's SDK made, or a vendor's document prints.
struct Vector: CustomTestStringConvertible, Sendable {
    let id: String
    let operation: String
    /// Whether a deliberate refusal is as good as the value.
    let mayReject: Bool
    let json: Data

    var testDescription: String { id }
    var input: JSON { get throws { try field("input") } }
    var expected: JSON { get throws { try field("expected") } }

    private func field(_ name: String) throws -> JSON { try JSON.read(json)[name] ?? .null }

    /// Every vector of every file in the folder, whatever the files are called; a file is a list of vectors, or an object
    /// that has one under `vectors`.
    static let all: [Vector] = files.flatMap(read)

    /// The files that hold nothing, or another number of vectors than they say.
    static let incomplete: [String] = files.filter { file in
        let count = (content(of: file) as? [String: Any])?["count"] as? Int
        let found = read(file).count
        return found == 0 || found != count ?? found
    }.map(\.lastPathComponent)

    private static let files: [URL] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/vectors")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    }()

    private static func content(of file: URL) -> Any? {
        (try? Data(contentsOf: file)).flatMap { try? JSONSerialization.jsonObject(with: $0) }
    }

    private static func read(_ file: URL) -> [Vector] { read(content(of: file), from: file.lastPathComponent) }

    /// Every vector of a file's content.
    static func read(_ top: Any?, from source: String) -> [Vector] {
        let list = top as? [[String: Any]] ?? (top as? [String: Any])?["vectors"] as? [[String: Any]] ?? []
        return list.map { fields in
            Vector(
                id: fields["id"] as? String ?? "\(source): a vector without id",
                operation: fields["operation"] as? String ?? "", mayReject: fields["mayReject"] as? Bool ?? false,
                json: (try? JSONSerialization.data(withJSONObject: fields)) ?? Data())
        }
    }
}
