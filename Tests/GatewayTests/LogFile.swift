import Foundation
import Telemetry
import Testing

/// A log that a test reads; its file ends with it.
final class LogFile {
    let log: Log
    private let path = FileManager.default.temporaryDirectory.path + "/countersign-\(UUID().uuidString)"

    init(level: Log.Level) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        log = Log(Log.Settings(level: level, format: .text), to: LogWriter(descriptor, limit: 1 << 16, isOwner: true))
        try #require(descriptor >= 0)
    }

    deinit { unlink(path) }

    /// All that it says until now.
    func text() throws -> String {
        log.writer.flush(within: 60_000)
        return try String(contentsOfFile: path, encoding: .utf8)
    }
}
