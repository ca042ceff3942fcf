import Audit
import Bytes
import Net

/// What operators have had verified of the audit's file: one verification at a time. From any thread.
final class AuditVerification: Sendable {
    struct Finding: Sendable {
        /// When the verification ended, in seconds since 1970.
        let time: Int64
        /// What it says, members of a JSON object: those of `countersign audit verify --format json`.
        let members: JSONMembers
    }

    private struct State: Sendable {
        var isRunning = false
        var last: Finding?
    }

    private let state = Guarded(State())

    /// Bytes of a file that are verified; a larger one is for the command.
    static let most: Int64 = 1 << 30

    /// Nil before the first that has ended.
    var last: Finding? { state.withLock { $0.last } }

    /// - Returns: whether the caller may run one now, and must.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
    }

    /// Verifies the whole lines that the file has now.
    /// - Parameters:
    ///   - number: that of a line known to be on the disk; the file must go so far.
    ///   - now: the time, in seconds since 1970, asked at the end.
    /// - Throws: when the file cannot be read, or is too large.
    func run(_ settings: AuditSettings, reaching number: Int64, at now: () -> Int64) throws -> Finding {
        defer { state.withLock { $0.isRunning = false } }
        var verifier = try AuditVerifier([settings.key])
        try verifier.read(file: settings.file, .written(most: AuditVerification.most))
        verifier.finish(reaching: number)
        let finding = Finding(time: now(), members: JSONMembers { verifier.write(into: &$0) })
        state.withLock { $0.last = finding }
        return finding
    }
}
