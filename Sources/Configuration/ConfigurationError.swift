import Bytes
import Telemetry

/// One thing that is wrong with a configuration.
package struct Problem: Sendable, Equatable, CustomStringConvertible {
    /// Where, such as `grants.avatars.policy.fsizeLimit`; empty for the file as a whole.
    package let path: String
    /// Where in the file, from 1; nil when the problem is not in its text.
    package let position: TextPosition?
    /// Why, and what would be right; never a value that might be a secret.
    package let reason: String

    package init(path: String, position: TextPosition?, reason: String) {
        self.path = path
        self.position = position
        self.reason = reason
    }

    package var description: String {
        let lineAndColumn = position.map { "line \($0.line), column \($0.column): " } ?? ""
        return path.isEmpty ? lineAndColumn + reason : "\(lineAndColumn)\(path): \(reason)"
    }
}

/// A configuration that cannot be used, with everything that is wrong with it.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let file: String
    package let problems: [Problem]
    /// How it says that the service logs; nil where it could not be read that far.
    package let log: Log.Settings?

    package init(file: String, problems: [Problem], log: Log.Settings? = nil) {
        self.file = file
        self.problems = problems
        self.log = log
    }

    /// A configuration that reads well, and cannot be used all the same.
    package init(file: String, path: String, reason: String, log: Log.Settings? = nil) {
        self.init(file: file, problems: [Problem(path: path, position: nil, reason: reason)], log: log)
    }

    /// One line for each; what has no shape of its own in a file's name or a key shows as an escape.
    package var description: String {
        problems.map { "\(file): \($0)".visible }.joined(separator: "\n")
    }
}
