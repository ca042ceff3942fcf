import Access
import Audit
import Bytes
import HTTP
import Net

/// Writes the lines of one event loop's requests, and holds their answers until the disk has the lines.
///
/// Lines come to the disk in the order in which they were added, and so do the answers leave.
final class LoopAudit {
    let shared: SharedAudit?
    let clock: Clock
    private let answers: LateAnswers
    private var queue: AuditQueue?
    private var line = AuditLine()
    /// Lines that were added, and of which it is not known what became.
    private var unknown = 0
    private var held = HeldAnswers()
    /// How many lines callers have left who are refused: one who is refused again and again must not fill queue and disk.
    private var denials = RateTable(capacity: 4096)
    private let denialRate: Rate?
    /// Whether lines can be written; told by the shared.
    var isOpen = true
    /// Whether the disk has kept an answer waiting too long.
    private var isStalled = false
    private var now: Int64 = 0
    /// Whether something was added, or counted, that the audit's thread has not been told of.
    private var hasNews = false
    /// Since when that waits for more to come, in monotonic nanoseconds; nil while it does not.
    private var gatheringSince: Int64?
    /// How long the disk took last, in nanoseconds.
    private var lastSync: Int64 = 0

    /// - Parameters:
    ///   - shared: nil where there is no audit.
    ///   - post: has work run on the loop's thread.
    init(
        _ shared: SharedAudit?, _ answers: LateAnswers, clock: @escaping Clock = SystemClock.now,
        post: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.shared = shared
        self.clock = clock
        self.answers = answers
        denialRate = shared.flatMap { Rate(Int64($0.settings.deniedPerMinute), in: 60_000) }
        queue = shared?.take(self, post: post)
    }

    /// The loop's next request.
    func begin(at instant: Instant) { now = instant.monotonic }

    /// Whether there is an audit at all.
    var isOn: Bool { shared != nil }

    private var failsClosed: Bool { shared?.settings.failsClosed ?? false }

    private var patience: Int64 { shared?.settings.patience ?? 0 }

    private var isWriting: Bool { isOpen && !isStalled }

    /// Whether anything may be issued now.
    func admit() throws(Refusal) {
        guard let shared, shared.settings.failsClosed else { return }
        guard isWriting else { throw .auditUnavailable }
        guard unknown < shared.settings.queue else { throw .auditOverloaded }
    }

    // MARK: Lines

    /// Adds the line of something that is being given.
    /// - Parameter write: writes it.
    /// - Returns: what the answer is to be held by until the disk has the line; nil when it need not be.
    func enter(_ write: (inout AuditLine) -> Void) throws(Refusal) -> HeldAnswer? {
        guard let shared else { return nil }
        try admit()
        guard isWriting, unknown < shared.settings.queue else {
            lose()
            return nil
        }
        write(&line)
        if let origin = shared.origin { line.add("by", origin) }
        guard shared.settings.durability != .none else {
            add(waits: false)
            return nil
        }
        let answer = held.append(at: now)
        add(waits: true)
        return answer
    }

    /// Notes that something was refused: a line for an identified caller; a number in the summary for all others, and for a
    /// caller that is refused too often. Half of the queue is left for what is issued.
    func note(_ refusal: Refusal, of context: borrowing RequestContext) {
        guard let shared, !refusal.code.isFailure else { return }
        guard !context.caller.principal.isAnonymous, refusal.code.isDenial else {
            return count(refusal.code.text)
        }
        guard isWriting else { return lose() }
        guard unknown < shared.settings.queue / 2, hasLine(context.caller) else {
            return count(refusal.code.text)
        }
        line.write(refusal, of: context)
        add(waits: false)
    }

    /// Adds the line of something that has been done, for which no answer waits.
    func note(_ write: (inout AuditLine) -> Void) {
        guard let shared else { return }
        guard isWriting, unknown < shared.settings.queue else { return lose() }
        write(&line)
        if let origin = shared.origin { line.add("by", origin) }
        add(waits: false)
    }

    /// Notes what an operator has had done. Nothing is given by it, so no answer waits for the line.
    func note(_ action: StaticString, of context: borrowing RequestContext) {
        guard let shared else { return }
        guard isWriting, unknown < shared.settings.queue / 2 else { return lose() }
        line.begin("operator", at: context.instant.unixSeconds)
        line.add(requestOf: context)
        line.add(context.caller)
        line.add("action", action)
        add(waits: false)
    }

    /// Notes a change to the list of brakes, once this process judges by it. No answer waits for the line.
    func note(_ change: BrakeChange) {
        guard let shared else { return }
        guard isWriting, unknown < shared.settings.queue else { return lose() }
        line.begin(change.event, at: clock().unixSeconds)
        line.add(change.brake)
        add(waits: false)
        announce()
    }

    /// Adds the line to those that are written.
    private func add(waits: Bool) {
        unknown += 1
        hasNews = true
        queue?.add(line, waits: waits)
    }

    private func count(_ reason: StaticString) {
        hasNews = true
        queue?.count(reason)
    }

    private func lose() {
        hasNews = true
        queue?.lose()
    }

    private func hasLine(_ caller: Caller) -> Bool {
        guard let denialRate else { return false }
        let identity = RateTable.Identity(rule: 0, who: caller.hash)
        return denials.take(denialRate, for: identity, at: now).isAllowed
    }

    // MARK: Answers

    /// What became of the oldest lines.
    func acknowledge(_ receipt: AuditReceipt) {
        unknown -= receipt.lines
        lastSync = receipt.sync
        isStalled = false
        let answers = held.take(receipt.answers)
        let instant = clock()
        for answer in answers { finish(answer, isWritten: receipt.isWritten, at: instant) }
        held.reuse(answers)
    }

    /// Gives up on answers that have been held too long; their lines may yet come to the disk.
    func tick(at instant: Instant) {
        now = instant.monotonic
        giveUp(since: instant.monotonic - patience)
    }

    /// When the oldest held answer will have waited too long; nil while none is held.
    var nextTick: Int64? { held.oldest.map { $0 + patience } }

    // MARK: Groups

    /// The loop's pass is over. What it has added is written now, or with what the next passes add: a group costs the same, whatever
    /// number of lines it has. While the disk is busy with lines of this loop, more are gathered anyway. When they are there, those
    /// whose answers have left may ask at once for the next: the loop gathers on, while it has always more to do (`pause`), for as long
    /// as the disk took last.
    /// - Parameter begin: when the pass began.
    func rest(since begin: Instant) {
        gatheringSince = hasNews && !isBeingWritten ? gatheringSince ?? begin.nanoseconds : nil
        guard let shared, let start = gatheringSince else { return }
        let end = start + shared.settings.gathering(after: lastSync)
        if clock().nanoseconds >= end || unknown > shared.settings.queue / 2 { announce() }
    }

    /// Whether there are lines that wait for more to come.
    var isGathering: Bool { gatheringSince != nil }

    /// No more come at once.
    func pause() { if isGathering { announce() } }

    /// Whether the audit's thread has lines of this loop. What becomes of them is told in another pass.
    private var isBeingWritten: Bool { queue.map { unknown > $0.waiting } ?? false }

    private func announce() {
        (hasNews, gatheringSince) = (false, nil)
        queue?.announce()
    }

    /// Gives up on all answers that are held.
    func end() { giveUp(since: .max) }

    private func giveUp(since moment: Int64) {
        let answers = held.oldest(until: moment)
        guard !answers.isEmpty else { return }
        isStalled = true
        let instant = clock()
        for answer in answers { finish(answer, isWritten: false, at: instant) }
    }

    /// Refuses instead of giving an answer that has its line, and adds a line that says so.
    private func withhold(_ answer: HeldAnswer) {
        answer.refuse(.superseded)
        guard let shared else { return }
        guard isWriting, unknown < shared.settings.queue else { return lose() }
        line.begin("withheld", at: clock().unixSeconds)
        line.add("requestId", answer.id)
        add(waits: false)
    }

    /// Has an answer leave, unless it has left: as it is, or a refusal instead.
    /// - Parameter isWritten: whether the disk has its line.
    private func finish(_ answer: HeldAnswer, isWritten: Bool, at instant: Instant) {
        let isRefused = failsClosed && !isWritten
        if let next = answer.next {
            answer.next = nil
            next(!isRefused)
        }
        guard let pending = answer.pending else { return }
        answer.pending = nil
        let isGood = !isRefused && answer.isStillGood(at: instant)
        if isRefused { answer.refuse(.auditUnavailable) } else if !isGood { withhold(answer) }
        let isTaken = answers.finish(pending) { answer.release(into: &$0, at: instant) }
        if !isGood || !isTaken { answer.whenLost?() }
    }
}

// Unsafe: confined to its loop's thread; what other threads know of it is its `post`, and that runs on the loop.
extension LoopAudit: @unchecked Sendable {}
