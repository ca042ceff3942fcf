import Audit
import Bytes
import Dispatch
import HTTP
import Net
import Telemetry

/// Where the lines of all loops are written, on a thread of its own: all that have come while the disk was busy go to it together.
///
/// It outlives configurations, since its file does.
package final class SharedAudit: Sendable {
    /// A loop that adds lines.
    struct Subscriber: Sendable {
        let queue: AuditQueue
        /// Has work run on the loop's thread.
        let post: @Sendable (@escaping @Sendable () -> Void) -> Void
        let loopAudit: LoopAudit
    }

    private struct State: Sendable {
        var subscribers: [Subscriber] = []
        var rotates = false
        var ends = false
        var standing = AuditStanding()
        var thread: SystemThread?
    }

    /// What the configuration says of it.
    package let settings: AuditSettings
    /// What operators have had verified of it.
    let verification = AuditVerification()
    /// What the lines are marked by of what is not asked for by a client; nil for the service's.
    let origin: StaticString?
    private let alarm = DispatchSemaphore(value: 0)
    /// Signalled when the thread has nothing more to do.
    private let end = DispatchSemaphore(value: 0)
    private let state = Guarded(State())
    private let log: Log
    private let clock: Clock
    private let calls: AuditSystemCalls

    /// - Parameters:
    ///   - origin: what lines are marked by, `by` whom: nil for those of clients.
    ///   - clock: what the disk is timed by.
    package init(
        _ settings: AuditSettings, _ log: Log, by origin: StaticString? = nil,
        clock: @escaping Clock = SystemClock.now, calls: AuditSystemCalls = .system
    ) {
        self.settings = settings
        self.log = log
        self.origin = origin
        self.clock = clock
        self.calls = calls
    }

    /// Opens the file; lines are written from now on. It is the last step of a start, so that one that fails leaves no line.
    /// - Throws: when it cannot be had: nothing may be issued then.
    package func open() throws(AuditFault) {
        let file = try AuditFile(
            settings.file, key: settings.key, maximumSize: settings.maximumSize, calls: calls,
            at: SystemClock.now().unixSeconds)
        let writer = AuditWriter(file, settings, log, clock: clock)
        state.withLock { $0.standing = writer.standing }
        let thread = SystemThread { [self] in run(writer) }
        guard let thread else { throw AuditFault("the system has no thread for the audit") }
        state.withLock { $0.thread = thread }
    }

    /// How it stands; from any thread.
    package var standing: AuditStanding { state.withLock { $0.standing } }

    /// Begins a new file; from any thread.
    package func rotate() {
        state.withLock { $0.rotates = true }
        alarm.signal()
    }

    /// Writes the remaining lines and a `stop` line, then ends the thread. Called after all loops are over. A disk that hangs is not
    /// waited for, and the thread is left to it.
    /// - Parameter milliseconds: how long it is waited for.
    /// - Returns: whether all lines are written.
    @discardableResult
    package func close(within milliseconds: Int64) -> Bool {
        state.withLock { $0.ends = true }
        alarm.signal()
        guard end.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success else { return false }
        // The next call finds it ended.
        end.signal()
        let thread = state.withLock { state in
            state.subscribers = []
            return state.thread.take()
        }
        thread?.join()
        return standing.isReady
    }

    func take(
        _ loopAudit: LoopAudit, post: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> AuditQueue {
        let queue = AuditQueue { [alarm] in alarm.signal() }
        state.withLock { $0.subscribers.append(Subscriber(queue: queue, post: post, loopAudit: loopAudit)) }
        return queue
    }

    private func run(_ writer: AuditWriter) {
        while true {
            if writer.isAtRest {
                alarm.wait()
            } else {
                _ = alarm.wait(timeout: .now() + .milliseconds(AuditWriter.pulse))
            }
            let (subscribers, rotates, ends) = state.withLock { state in
                defer { state.rotates = false }
                return (state.subscribers, state.rotates, state.ends)
            }
            let now = SystemClock.now()
            writer.mend(subscribers, at: now, evenSoon: ends)
            if rotates { writer.rotate(subscribers, at: now) }
            writer.write(subscribers, at: now)
            writer.summarise(subscribers, at: now, evenSoon: ends)
            if ends { writer.stop(subscribers, by: origin, at: now) }
            writer.report()
            state.withLock { $0.standing = writer.standing }
            if ends { break }
        }
        end.signal()
    }
}

// Unsafe: what belongs to the audit's thread is handed to it once.
extension AuditWriter: @unchecked Sendable {}

/// How the audit stands.
package struct AuditStanding: Sendable {
    /// The last line that is on the disk: its number is how many there are, its code the head.
    package var mark = AuditMark()
    /// Why no line can be written; nil while all is well.
    package var fault: String?
    /// Times that something could not be written.
    package var faults: Int64 = 0
    /// Groups of lines that were brought to the disk.
    package var groups: Int64 = 0
    /// Lines that were never written although something was given or refused.
    package var lost: Int64 = 0

    package var isReady: Bool { fault == nil }
}
