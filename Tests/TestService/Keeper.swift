import Foundation
import Glibc

/// Looks after what the whole test run shares: services that no single test owns, and the folder of all temporary files.
///
/// A small shell process holds the other end of a pipe. When the test process ends, however it ends, the pipe closes; then
/// the shell stops the services that are left, which are those of a test process that was killed, and removes the folder.
enum Keeper {
    /// The folder below which everything is written.
    static let folder: String = {
        let path = FileManager.default.temporaryDirectory.path + "/countersign-e2e-\(getpid())"
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }()

    private static let script = """
        services=
        while read -r service; do services="${service:+$services $service}"; done
        if [ -n "$services" ]; then
            kill -TERM $services
            sleep 1
            kill -KILL $services
        fi
        rm -rf "$0"
        """

    private static let pipe: Int32 = {
        guard let (reading, writing) = try? Program.makePipe() else { return -1 }
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer {
            close(reading)
            close(null)
        }
        _ = try? Program.spawn(["/bin/sh", "-c", script, folder], [], [(reading, 0), (null, 1), (null, 2)])
        return writing
    }()

    /// Has a process stopped when the test process has ended.
    static func keep(_ process: pid_t) { tell("\(process)") }

    /// There is nothing left to stop.
    static func forget() { tell("") }

    private static func tell(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = Glibc.write(pipe, line, line.count)
    }

    /// Has the folder removed at the end of the test run.
    static func begin() { _ = pipe }

    /// A new folder that only the user may look into.
    static func makeFolder() throws -> String {
        begin()
        let path = "\(folder)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }

    /// Writes a file that only the user may read.
    @discardableResult
    static func write(_ text: String, to path: String, mode: Int = 0o600) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}
