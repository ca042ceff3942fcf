import Bytes
import Configuration
import Crypto
import Machine
import Net

/// The files that a configuration was made of, and what stood in each. They are told apart by what they hold, so that it does
/// not matter in which way one has become another: written over, moved there, or led to by another link.
package struct WatchedFiles: Sendable, Equatable {
    /// What of a file makes a difference; never what stands in it.
    struct Content: Sendable, Equatable {
        /// Its SHA-256; empty when that cannot be had.
        let digest: [UInt8]
        let isWorldReadable: Bool
        let weakness: String?

        init(_ file: ReadFile) {
            digest = (try? Digest(.sha256, of: file.bytes.span).bytes.array) ?? []
            isWorldReadable = file.isWorldReadable
            weakness = file.weakness
        }
    }

    /// By their paths; nil for one that could not be read.
    private var contents: [String: Content?] = [:]

    package init() {}

    /// What stood in a file; nil for one that is not among them, or could not be read.
    subscript(path: String) -> Content? { contents[path] ?? nil }

    fileprivate mutating func note(_ file: ReadFile?, at path: String) {
        contents[path] = .some(file.map(Content.init))
    }

    /// The same files as they are now.
    package func lookedAtAgain(in environment: Environment) -> WatchedFiles {
        var now = WatchedFiles()
        for path in contents.keys { now.note(environment.file(path), at: path) }
        return now
    }
}

/// Takes note of the files that are read.
package final class FileRecorder: Sendable {
    private let noted = Guarded(WatchedFiles())

    /// Nothing has been read yet.
    package init() {}

    /// What has been read by now.
    package var files: WatchedFiles { noted.withLock { $0 } }

    /// Environment whose files are noted.
    package func environment(over others: Environment) -> Environment {
        Environment(
            variable: others.variable,
            file: { [self] path in
                let file = others.file(path)
                noted.withLock { $0.note(file, at: path) }
                return file
            },
            now: others.now)
    }
}
