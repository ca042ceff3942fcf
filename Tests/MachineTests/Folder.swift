import Foundation
import Testing

/// A folder of a test's own, below the system's one for temporary files.
final class Folder {
    let path: String

    init() throws {
        let top = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = "\(top)/countersign-trust-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func file(_ name: String, mode: mode_t = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        try Data("text".utf8).write(to: URL(filePath: file))
        try #require(chmod(file, mode) == 0)
        return file
    }

    @discardableResult
    func folder(_ name: String, mode: mode_t = 0o755) throws -> String {
        let folder = "\(path)/\(name)"
        try #require(mkdir(folder, 0o700) == 0 && chmod(folder, mode) == 0)
        return folder
    }

    func link(_ name: String, to target: String) throws -> String {
        try #require(symlink(target, "\(path)/\(name)") == 0)
        return "\(path)/\(name)"
    }
}
