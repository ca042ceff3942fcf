import Machine

/// What a configuration takes from outside its text: environment variables, files and the
/// time. Tests use their own instead.
package struct Environment: Sendable {
    package let variable: @Sendable (String) -> String?
    /// Reads a file by its absolute or relative path, or standard input as `-`; nil when it cannot be read.
    package let file: @Sendable (String) -> ReadFile?
    /// Unix seconds.
    package let now: @Sendable () -> Int64

    package init(
        variable: @escaping @Sendable (String) -> String?, file: @escaping @Sendable (String) -> ReadFile?,
        now: @escaping @Sendable () -> Int64 = { SystemFacts.unixSeconds }
    ) {
        self.variable = variable
        self.file = file
        self.now = now
    }

    /// The environment of this process.
    package static let process = Environment(
        variable: { ProcessEnvironment.own[$0] },
        file: { $0 == ReadFile.standardInput ? ReadFile.fromStandardInput : ReadFile($0) })
}
