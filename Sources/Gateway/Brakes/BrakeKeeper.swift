import Access
import Bytes
import Configuration
import Dispatch
import Machine
import Net
import Telemetry

/// What the operator has stopped, as this process knows it: of the file, of its own admin listener, and of whoever else tells it
/// (`merge`). What any of them knows is merged into one list, which the event loops judge by and the file gets.
///
/// It outlives configurations, since its file does.
package final class BrakeKeeper: Sendable {
    /// Has a loop judge by other brakes.
    /// - Parameter changes: the changes that the loop writes to the audit log.
    typealias Subscriber = @Sendable (_ table: BrakeTable, _ changes: [BrakeChange]) -> Void

    private struct State: Sendable {
        var list: BrakeList
        var table: BrakeTable
        var subscribers: [Subscriber] = []
        var observers: [@Sendable (BrakeList) -> Void] = []
        /// Why the file cannot be read or written; nil while all is well.
        var fault: String?
        /// Subjects of active brakes that had no room, so that each is logged once.
        var lost: Set<Brake.Subject> = []
    }

    /// What is known of the file; on the queue only.
    private struct Progress {
        var mark: StateFile.Mark?
        /// Whether something may be known that does not stand there.
        var isBehind = false
        /// When it is tried again after a fault, in milliseconds.
        var nextTry: Int64 = .min
    }

    let settings: Configuration.Brake
    private let file: BrakeFile
    private let clock: Clock
    private let log: Log
    private let state: Guarded<State>
    /// Entries that were too old when the file was read.
    private let forgotten: [Brake]
    private let queue = DispatchQueue(label: "countersign.brakes")
    // Unsafe: both on the queue only.
    @safe private nonisolated(unsafe) var progress: Progress
    @safe private nonisolated(unsafe) var timer: (any DispatchSourceTimer)?

    /// Milliseconds between two looks at the file.
    private static let interval = 200
    /// Milliseconds from one attempt after a fault to the next.
    private static let pause: Int64 = 1000

    /// Reads the file.
    /// - Throws: when it cannot be read, or holds something else: what is stopped is not known then, and nothing may be issued.
    package init(_ settings: Configuration.Brake, at clock: @escaping Clock = SystemClock.now, _ log: Log)
        throws(BrakeFault)
    {
        self.settings = settings
        self.clock = clock
        self.log = log
        file = BrakeFile(settings)
        let found = try file.read()
        let list = found.list.pruned(at: clock().unixSeconds)
        state = Guarded(State(list: list, table: BrakeTable(list)))
        forgotten = found.list.missing(in: list)
        progress = Progress(mark: found.mark)
    }

    /// Why nothing could start by the file; nil when it could.
    package static func fault(of settings: Configuration.Brake) -> String? {
        do throws(BrakeFault) { _ = try BrakeFile(settings).read() } catch { return error.description }
        return nil
    }

    // MARK: What is known

    /// All that is known now; from any thread.
    package var current: BrakeList { state.withLock { $0.list } }

    /// The same, to judge by.
    package var table: BrakeTable { state.withLock { $0.table } }

    /// Why the file cannot be read or written; nil while all is well.
    package var fault: String? { state.withLock { $0.fault } }

    /// Seconds since 1970.
    private var now: Int64 { clock().unixSeconds }

    /// Takes in what others know: it holds in this process at once, and comes to the file. From any thread, which does not wait.
    package func merge(_ others: BrakeList) {
        guard take(others) else { return }
        queue.async { [self] in
            progress.isBehind = true
            catchUp()
        }
    }

    /// Has `body` called with the whole list whenever it has changed, whoever has changed it: from the thread that did.
    package func observe(_ body: @escaping @Sendable (BrakeList) -> Void) {
        state.withLock { $0.observers.append(body) }
    }

    /// Has a loop judge by every list from now on.
    /// - Returns: what it is to judge by until then.
    func subscribe(_ subscriber: @escaping Subscriber) -> BrakeTable {
        state.withLock { state in
            state.subscribers.append(subscriber)
            return state.table
        }
    }

    // MARK: Orders

    /// Carries out what an operator orders: when this returns, it stands in the file, and holds in this process. Not on a loop's thread.
    /// - Throws: if it is not in the file or has no effect, and why. If the file cannot be written, a brake takes effect in this process.
    package func carryOut(_ order: BrakeOrder) throws(BrakeFault) -> Brake {
        let result = queue.sync { () -> Result<Brake, BrakeFault> in
            var made: Brake?
            do throws(BrakeFault) {
                try file.update { list throws(BrakeFault) in
                    let known = merged(list, current)
                    let brake = try order.brake(after: known, at: now)
                    let merge = BrakeMerge(known, BrakeList([brake]), keeping: settings.entries, at: now)
                    guard merge.lost.isEmpty, merge.list[brake.subject] == brake else {
                        throw noRoom(for: brake, known)
                    }
                    made = brake
                    return merge.list
                }
            } catch {
                if let made, !made.isReleased { take(BrakeList([made])) }
                if made != nil { progress.isBehind = true }
                return .failure(error)
            }
            guard let made else { return .failure(BrakeFault("nothing was ordered")) }
            look()
            take(BrakeList([made]))
            guard hasEffect(made) else {
                return .failure(
                    BrakeFault(
                        "another order for \(made.subject.text) came later and decides; see `countersign brakes`"))
            }
            return .success(made)
        }
        return try result.get()
    }

    private func noRoom(for brake: Brake, _ known: BrakeList) -> BrakeFault {
        let active = known.inForce(at: now).filter { $0.subject.kind != .all }.count
        let reason =
            active < settings.entries
            ? "the list would take more than \(BrakeList.maximumLength) bytes; give a shorter reason"
            : "brake.entries allows \(settings.entries) brakes, and \(active) are active; release one, raise brake.entries"
        return BrakeFault("\(brake.subject.text): \(reason), or stop all", isMistake: true)
    }

    /// Whether an entry, or one that stops more, decides over its subject now.
    private func hasEffect(_ made: Brake) -> Bool {
        let list = current
        let isStopped = list[made.subject]?.isInForce(at: now) ?? false
        if made.isReleased { return !isStopped }
        return isStopped || list[Brake.Subject(.all)]?.isInForce(at: now) ?? false
    }

    // MARK: The file

    /// Looks at the file several times a second from now on, and tells the loops of all that it says; what is in force already is
    /// put on record.
    package func watch() {
        let (subscribers, table, list) = state.withLock { ($0.subscribers, $0.table, $0.list) }
        let removals = forgotten.map { BrakeChange($0, isRemoval: true) }
        for removal in removals { log.write(removal) }
        subscribers.first?(table, list.brakes.map { BrakeChange($0) } + removals)
        let count = list.inForce(at: now).count
        if count > 0 { log.write(.warning, "brakes are in force", ["file": file.path, "count": "\(count)"]) }
        queue.async { [self] in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let interval = DispatchTimeInterval.milliseconds(BrakeKeeper.interval)
            timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(20))
            timer.setEventHandler { @Sendable [weak self] in self?.look() }
            timer.resume()
            self.timer = timer
        }
    }

    /// Looks at the file now, as the timer does.
    func lookNow() { queue.sync { look() } }

    private func look() {
        let mark = file.mark
        let moment = clock().monotonic
        guard mark != progress.mark || progress.isBehind && moment >= progress.nextTry else { return }
        progress.nextTry = moment + BrakeKeeper.pause
        do throws(BrakeFault) {
            let found = try file.read()
            progress.mark = found.mark
            take(found.list)
            progress.isBehind = merged(found.list, current) != found.list.pruned(at: now)
        } catch {
            progress.mark = mark
            progress.isBehind = true
            return fail(error)
        }
        catchUp()
    }

    /// Brings what is known to the file, if it does not stand there.
    private func catchUp() {
        guard progress.isBehind else { return mend() }
        do throws(BrakeFault) {
            var found = BrakeList.empty
            try file.update { list throws(BrakeFault) in
                found = list
                return merged(list, current)
            }
            take(found)
            progress.isBehind = false
            progress.nextTry = .min
            mend()
        } catch {
            progress.nextTry = clock().monotonic + BrakeKeeper.pause
            fail(error)
        }
    }

    private func fail(_ fault: BrakeFault) {
        let isNew = state.withLock { state in
            defer { state.fault = fault.description }
            return state.fault != fault.description
        }
        if isNew {
            log.write(
                .error, "the file of the brakes cannot be used; what is known of them holds", ["error": "\(fault)"])
        }
    }

    private func mend() {
        let wasBroken = state.withLock { state in state.fault.take() != nil }
        if wasBroken { log.write(.info, "the file of the brakes can be used again", ["file": file.path]) }
    }

    // MARK: Merging

    private func merged(_ list: BrakeList, _ other: BrakeList) -> BrakeList {
        list.merged(with: other, keeping: settings.entries, at: now).pruned(at: now)
    }

    /// Takes a list in, and tells loops and observers where that changes anything.
    /// - Returns: whether it does.
    @discardableResult
    private func take(_ others: BrakeList) -> Bool {
        let told = state.withLock {
            state -> (changes: [BrakeChange], list: BrakeList, observers: [@Sendable (BrakeList) -> Void])? in
            let merge = BrakeMerge(state.list, others, keeping: settings.entries, at: now)
            let list = merge.list.pruned(at: now)
            let lost = merge.lost.filter { state.lost.insert($0.subject).inserted }
            guard list != state.list || !lost.isEmpty else { return nil }
            if list[Brake.Subject(.all)]?.by != Brake.fullList { state.lost = [] }
            let lostSubjects = Set(merge.lost.map(\.subject))
            let removed = state.list.missing(in: list).filter { !lostSubjects.contains($0.subject) }
            let changes =
                list.changes(since: state.list).map { BrakeChange($0) }
                + (removed + lost).map {
                    BrakeChange($0, isRemoval: true, wasActive: lostSubjects.contains($0.subject))
                }
            state.list = list
            state.table = BrakeTable(list)
            // Under the lock, so that no loop gets an older list after a newer one; each only posts.
            for (index, subscriber) in state.subscribers.enumerated() {
                subscriber(state.table, index == 0 ? changes : [])
            }
            return (changes, list, state.observers)
        }
        guard let told else { return false }
        for change in told.changes { log.write(change) }
        for observer in told.observers { observer(told.list) }
        return true
    }
}

/// A change to the list, for the log and the audit log.
struct BrakeChange: Sendable {
    let brake: Brake
    /// Whether the entry left the list; else it is new.
    let isRemoval: Bool
    /// Whether the list had no room for it although it was active.
    let wasActive: Bool

    init(_ brake: Brake, isRemoval: Bool = false, wasActive: Bool = false) {
        self.brake = brake
        self.isRemoval = isRemoval
        self.wasActive = wasActive
    }

    /// The event in the audit log.
    var event: StaticString { isRemoval ? "removed" : brake.isReleased ? "released" : "stopped" }
}

extension Log {
    fileprivate func write(_ change: BrakeChange) {
        let brake = change.brake
        if change.wasActive {
            write(.error, "the list has no room for an active brake: everything is stopped", brake.details)
        } else if change.isRemoval {
            let message =
                brake.isReleased ? "a release was removed from the list" : "an expired brake was removed from the list"
            write(.warning, message, brake.details)
        } else {
            write(.warning, brake.isReleased ? "brake released" : "brake", brake.details)
        }
    }
}

extension Brake {
    /// For the log.
    fileprivate var details: [(key: String, value: String)] {
        var details = [
            ("kind", subject.kind.rawValue), ("name", subject.name.text), ("reason", reason.text), ("by", by.text),
        ]
        if let until { details.append(("until", ISO8601.write(until / 1000).text)) }
        return details.map { (key: $0.0, value: $0.1) }
    }
}
