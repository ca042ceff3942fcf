import FoundationEssentials

/// What a configuration takes from outside its text: environment variables, files and the
/// time. Tests put their own in its place.
package struct Surroundings: Sendable {
    package struct File: Sendable {
        package let bytes: [UInt8]
        /// Whether anybody on the machine may read it.
        package let isWorldReadable: Bool

        /// Whether anybody on the machine may change it.
        package let isWorldWritable: Bool

        package init(bytes: [UInt8], isWorldReadable: Bool, isWorldWritable: Bool = false) {
            self.bytes = bytes
            self.isWorldReadable = isWorldReadable
            self.isWorldWritable = isWorldWritable
        }
    }

    package let variable: @Sendable (String) -> String?
    /// Reads a file by its absolute or relative path; nil when it cannot be read.
    package let file: @Sendable (String) -> File?
    /// Unix seconds.
    package let now: @Sendable () -> Int64

    package init(
        variable: @escaping @Sendable (String) -> String?, file: @escaping @Sendable (String) -> File?,
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        self.variable = variable
        self.file = file
        self.now = now
    }

    /// The process's own.
    package static let process = Surroundings(
        variable: { ProcessInfo.processInfo.environment[$0] },
        file: { path in
            guard let data = FileManager.default.contents(atPath: path), let mode = mode(of: path) else { return nil }
            return File(
                bytes: Array(data), isWorldReadable: mode & 0o004 != 0, isWorldWritable: mode & 0o002 != 0)
        })

    /// Who may do what with a file. A link's own mode says nothing about what it leads to.
    private static func mode(of path: String) -> UInt? {
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes =
            (try? FileManager.default.attributesOfItem(atPath: target))
            ?? (try? FileManager.default.attributesOfItem(atPath: path))
        return attributes?[.posixPermissions] as? UInt
    }
}
