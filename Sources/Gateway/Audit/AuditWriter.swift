import Audit
import Bytes
import HTTP
import Net
import Telemetry

/// What the audit's thread does: it takes the lines of all loops, brings them to the disk together, and tells the loops.
final class AuditWriter {
    private(set) var standing = AuditStanding()
    private let file: AuditFile
    private let settings: AuditSettings
    private let log: Log
    /// What the disk is timed by.
    private let clock: Clock
    private var load = AuditQueue.Load()
    private var line = AuditLine()
    /// What is to be told once a second.
    private var tally = AuditTally()
    /// When that was told last, in milliseconds.
    private var lastSummary: Int64 = .min
    /// When the file was last tried after a fault.
    private var lastTry: Int64 = .min
    /// How long the disk took for the last group, in nanoseconds.
    private var lastSync: Int64 = 0

    /// Milliseconds from one summary to the next, and from one attempt after a fault to the next.
    private static let interval: Int64 = 1000
    /// Milliseconds from one look to the next while it is not at rest.
    static let pulse = 250

    init(_ file: AuditFile, _ settings: AuditSettings, _ log: Log, clock: @escaping Clock) {
        self.file = file
        self.settings = settings
        self.log = log
        self.clock = clock
        standing.mark = file.durable
        report()
    }

    /// Tells of what had to be set aside.
    func report() {
        for finding in file.takeFindings() { log.write(.warning, "audit: \(finding)") }
    }

    /// Whether there is nothing to do until the next line comes.
    var isAtRest: Bool { tally.isEmpty && standing.fault == nil }

    /// Writes what has come.
    func write(_ subscribers: [SharedAudit.Subscriber], at now: Instant) {
        var groups: [(subscriber: SharedAudit.Subscriber, receipt: AuditReceipt)] = []
        var load = AuditQueue.Load()
        swap(&load, &self.load)
        for subscriber in subscribers {
            subscriber.queue.take(into: &load)
            tally.add(load.tally)
            standing.lost += load.lost
            guard !load.lines.isEmpty else { continue }
            let rest = append(load, of: subscriber, among: subscribers, at: now.unixSeconds)
            if rest.lines > 0 { groups.append((subscriber, rest)) }
        }
        swap(&load, &self.load)
        guard !groups.isEmpty else { return }
        let isWritten = commit(subscribers)
        for (subscriber, receipt) in groups { acknowledge(receipt, isWritten, to: subscriber) }
    }

    /// Adds lines to what is committed next; where each must be committed by itself, does so.
    /// - Returns: those that are not yet committed.
    private func append(
        _ load: borrowing AuditQueue.Load, of subscriber: SharedAudit.Subscriber,
        among subscribers: [SharedAudit.Subscriber], at moment: Int64
    ) -> AuditReceipt {
        var group = AuditReceipt()
        var start = 0
        for line in load.lines {
            group.lines += 1
            if line.waits { group.answers += 1 }
            append(load.text.bytes.extracting(start..<line.end), subscribers, at: moment)
            if settings.durability == .each {
                acknowledge(group, commit(subscribers), to: subscriber)
                group = AuditReceipt()
            }
            start = line.end
        }
        return group
    }

    private func append(_ content: Span<UInt8>, _ subscribers: [SharedAudit.Subscriber], at moment: Int64) {
        guard standing.fault == nil else { return }
        do throws(AuditFault) { try file.append(content, at: moment) } catch { fail(error, subscribers) }
    }

    /// Brings the lines that were added to the disk.
    /// - Returns: whether they are there.
    private func commit(_ subscribers: [SharedAudit.Subscriber]) -> Bool {
        let begin = clock().nanoseconds
        let isWritten = attempt(subscribers) { file throws(AuditFault) in
            try file.commit(waiting: settings.durability != .none)
        }
        guard isWritten else { return false }
        lastSync = max(0, clock().nanoseconds - begin)
        standing.groups += 1
        standing.mark = file.durable
        return true
    }

    private func acknowledge(_ group: AuditReceipt, _ isWritten: Bool, to subscriber: SharedAudit.Subscriber) {
        var receipt = group
        receipt.isWritten = isWritten
        receipt.sync = lastSync
        // Where the answers are given all the same, so are theirs.
        let lost = settings.failsClosed ? group.lines - group.answers : group.lines
        if !isWritten, lost > 0 {
            standing.lost += Int64(lost)
            tally.count(AuditQueue.lost, times: Int64(lost))
        }
        subscriber.post { [receipt] in subscriber.loopAudit.acknowledge(receipt) }
    }

    /// The summary of what has no lines of its own, once a second.
    func summarise(_ subscribers: [SharedAudit.Subscriber], at now: Instant, evenSoon: Bool) {
        guard !tally.isEmpty, standing.fault == nil,
            evenSoon || lastSummary <= now.monotonic - AuditWriter.interval
        else { return }
        lastSummary = now.monotonic
        line.begin("summary", at: now.unixSeconds)
        line.add("counts", tally)
        append(line.bytes, subscribers, at: now.unixSeconds)
        if commit(subscribers) { tally.reset() }
    }

    // MARK: Files

    /// Begins a new file because the operator asks for it (SIGUSR1).
    func rotate(_ subscribers: [SharedAudit.Subscriber], at now: Instant) {
        if attempt(subscribers, { file throws(AuditFault) in try file.rotate(at: now.unixSeconds) }) {
            log.write(.info, "the audit begins a new file")
        }
        standing.mark = file.durable
    }

    /// The last line: nothing is written after it.
    func stop(_ subscribers: [SharedAudit.Subscriber], by origin: StaticString?, at now: Instant) {
        line.begin("stop", at: now.unixSeconds)
        if let origin { line.add("by", origin) }
        append(line.bytes, subscribers, at: now.unixSeconds)
        attempt(subscribers) { file throws(AuditFault) in try file.stop() }
        standing.mark = file.durable
    }

    /// Begins a new file after a fault, if it is time to try.
    func mend(_ subscribers: [SharedAudit.Subscriber], at now: Instant, evenSoon: Bool) {
        guard standing.fault != nil, evenSoon || lastTry <= now.monotonic - AuditWriter.interval else { return }
        lastTry = now.monotonic
        do throws(AuditFault) { try file.recover(at: now.unixSeconds) } catch {
            standing.fault = error.description
            return
        }
        standing.fault = nil
        standing.mark = file.durable
        log.write(.warning, "the audit is written again, into a new file")
        open(true, subscribers)
    }

    /// - Returns: whether it was done; nothing is tried while a fault lasts.
    @discardableResult
    private func attempt(_ subscribers: [SharedAudit.Subscriber], _ body: (AuditFile) throws(AuditFault) -> Void)
        -> Bool
    {
        guard standing.fault == nil else { return false }
        do throws(AuditFault) {
            try body(file)
            return true
        } catch {
            fail(error, subscribers)
            return false
        }
    }

    private func fail(_ fault: AuditFault, _ subscribers: [SharedAudit.Subscriber]) {
        standing.fault = fault.description
        standing.faults += 1
        lastTry = SystemClock.now().monotonic
        log.write(.error, "the audit cannot be written", ["error": fault.description])
        open(false, subscribers)
    }

    private func open(_ isOpen: Bool, _ subscribers: [SharedAudit.Subscriber]) {
        for subscriber in subscribers { subscriber.post { subscriber.loopAudit.isOpen = isOpen } }
    }
}

/// What became of lines of a loop, in the order in which it added them.
struct AuditReceipt: Sendable {
    var lines = 0
    /// How many of these answers wait for.
    var answers = 0
    var isWritten = false
    /// How long the disk took for the last group that was written, in nanoseconds.
    var sync: Int64 = 0
}
