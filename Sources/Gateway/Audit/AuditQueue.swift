import Audit
import Bytes
import Net

/// The lines of one event loop that wait to be written, and what is only counted.
///
/// The loop adds and announces, the audit's thread takes all at once; the lock is held for moments. When lines are announced, the loop
/// decides (`LoopAudit.rest`), so that the thread wakes once for many of them, and brings them to the disk together.
final class AuditQueue: Sendable {
    /// What is taken at once.
    struct Load: ~Copyable, Sendable {
        /// One line behind the other.
        var text = ByteWriter(capacity: 0)
        /// Where each line ends in the text, and whether an answer waits for it.
        var lines: [(end: Int, waits: Bool)] = []
        var tally = AuditTally()
        var lost: Int64 = 0
        /// Whether the audit's thread has been told of it.
        var isAnnounced = false

        var isEmpty: Bool { lines.isEmpty && tally.isEmpty }

        mutating func reset() {
            text.reset()
            text.trim(above: 1 << 20)
            lines.removeAll(keepingCapacity: true)
            tally.reset()
            lost = 0
            isAnnounced = false
        }
    }

    private let load = Guarded(Load())
    private let alarm: @Sendable () -> Void

    /// What lines are counted as that are not written although something was given or refused.
    static let lost: StaticString = "lost"

    /// - Parameter alarm: wakes the audit's thread.
    init(alarm: @escaping @Sendable () -> Void) { self.alarm = alarm }

    /// - Parameter waits: whether an answer waits for it.
    func add(_ line: borrowing AuditLine, waits: Bool) {
        load.withLock { load in
            load.text.append(line.bytes)
            load.lines.append((load.text.count, waits))
        }
    }

    /// Counts something that has no line.
    func count(_ reason: StaticString) { load.withLock { $0.tally.count(reason) } }

    /// Counts a line that there is no room for.
    func lose() {
        load.withLock { $0.lost += 1 }
        count(AuditQueue.lost)
    }

    /// Lines that the audit's thread has not taken.
    var waiting: Int { load.withLock { $0.lines.count } }

    /// Wakes the audit's thread if there is something that it has not been told of.
    func announce() {
        let isNew = load.withLock { load in
            guard !load.isEmpty, !load.isAnnounced else { return false }
            load.isAnnounced = true
            return true
        }
        if isNew { alarm() }
    }

    /// Takes what there is, and leaves an empty load instead.
    func take(into other: inout Load) {
        other.reset()
        load.withLock { swap(&$0, &other) }
    }
}
