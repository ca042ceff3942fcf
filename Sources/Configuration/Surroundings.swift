import FoundationEssentials
import Machine

/// What a configuration takes from outside its text: environment variables, files and the
/// time. Tests put their own in its place.
package struct Surroundings: Sendable {
    package struct File: Sendable {
        package let bytes: [UInt8]
        /// Whether anybody on the machine may read it.
        package let isWorldReadable: Bool
        /// Why somebody but root and the user of the process can change it or put another in its place, and what would be
        /// right; nil when nobody can.
        package let weakness: String?

        package init(bytes: [UInt8], isWorldReadable: Bool, weakness: String? = nil) {
            self.bytes = bytes
            self.isWorldReadable = isWorldReadable
            self.weakness = weakness
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
        variable: { ProcessEnvironment.own[$0] },
        file: { path in
            ReadFile(path).map {
                File(bytes: $0.bytes, isWorldReadable: $0.isWorldReadable, weakness: $0.weakness)
            }
        })
}
