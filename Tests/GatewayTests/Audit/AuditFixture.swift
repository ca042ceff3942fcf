import Bytes
import Crypto
import Foundation
import HTTP
import Testing

@testable import Access
@testable import Audit
@testable import Gateway
@testable import Net
@testable import Telemetry
@testable import TestSamples

/// An audit on a disk that does what it is told, and a loop of it whose thread is the test's.
final class AuditFixture {
    /// What other threads want done on the loop's.
    private final class Mail: @unchecked Sendable {
        private let condition = NSCondition()
        private var work: [@Sendable () -> Void] = []

        func post(_ item: @escaping @Sendable () -> Void) {
            condition.withLock {
                work.append(item)
                condition.broadcast()
            }
        }

        /// - Returns: whether anything has come.
        func deliver(within seconds: Double) -> Bool {
            let due = condition.withLock {
                while work.isEmpty, condition.wait(until: .now + seconds) {}
                defer { work = [] }
                return work
            }
            for item in due { item() }
            return !due.isEmpty
        }
    }

    /// The time that the disk takes, and that the loop goes by when it gathers lines.
    private let time = Guarded<Int64>(0)

    let disk = UnreliableDisk()
    let sharedAudit: SharedAudit
    let loopAudit: LoopAudit
    let answers = LateAnswers()
    private let metrics = Metrics()
    var counters: [UInt64] { metrics.sums() }
    private let reporter: RequestReporter
    private let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-audit-\(UUID())").path
    private let mail = Mail()
    private var tickets: UInt64 = 0
    private(set) var now: Int64 = 1_000_000
    private var finished: [PendingResponse: (status: Int, body: String)] = [:]

    init(
        _ durability: AuditSettings.Durability = .batch, failsClosed: Bool = true, maximumSize: Int = 1 << 30,
        queue: Int = 100
    ) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var settings = AuditSettings(file: folder + "/a.jsonl", key: Secret([UInt8](repeating: 7, count: 32)))
        settings.durability = durability
        settings.failsClosed = failsClosed
        settings.maximumSize = maximumSize
        settings.queue = queue
        reporter = RequestReporter(RequestMeter(metrics), .silent, nil)
        let clock: Clock = { [time] in Instant(unixSeconds: 1_800_000_000, nanoseconds: time.withLock { $0 }) }
        let log = Log(Log.Settings(level: .error, format: .json))
        sharedAudit = SharedAudit(settings, log, clock: clock, calls: disk.calls)
        try sharedAudit.open()
        loopAudit = LoopAudit(sharedAudit, answers, clock: clock) { [mail] in mail.post($0) }
    }

    deinit {
        disk.set(held: false)
        sharedAudit.close(within: 120_000)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Has the disk take so long for each sync, in nanoseconds.
    func slowDisk(by nanoseconds: Int64) {
        disk.set(whenSynced: { [time] in time.withLock { $0 += nanoseconds } })
    }

    func passTime(_ nanoseconds: Int64) { time.withLock { $0 += nanoseconds } }

    /// The loop's pass is over.
    func rest() {
        loopAudit.rest(since: Instant(unixSeconds: 1_800_000_000, nanoseconds: time.withLock { $0 }))
        if !isBusy, loopAudit.isGathering { loopAudit.pause() }
    }

    private func deliver(within seconds: Double) { if mail.deliver(within: seconds) { rest() } }

    /// Whether the loop has more to do at once, whenever it has passed.
    var isBusy = false

    /// Issues something, as a pipeline does.
    /// - Parameter isSuperseded: whether the newest configuration would not give it any more.
    func issue(isSuperseded: Bool = false) throws -> PendingResponse {
        loopAudit.begin(at: Instant(unixSeconds: 1_800_000_000, monotonic: now))
        tickets += 1
        let pending = PendingResponse(connection: tickets, number: 0)
        answers.expect(pending)
        var response = Response()
        response.body.append("given")
        let id = Array("id-\(tickets)".utf8)
        let held = try loopAudit.enter { line in
            line.begin("issued", at: 1_800_000_000)
            line.add("requestId", id)
        }
        rest()
        if let held {
            var context = try RequestContext.made(as: pending, named: "id-\(tickets)")
            if isSuperseded { held.issue = try AuditFixture.supersededIssue() }
            reporter.hold(&context, &response, by: held)
        } else {
            answers.finish(pending) { swap(&$0, &response) }
        }
        return pending
    }

    /// No configuration admits it.
    private static func supersededIssue() throws -> PendingIssue {
        let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        let head = try #require(try RequestParser(limits: Limits()).parse(bytes.span))
        return PendingIssue(
            Request(head, in: bytes.span, body: Span()), from: nil, for: nil, before: NewestAdmission())
    }

    /// Refuses somebody who is known, as a pipeline does.
    func deny(_ name: String, times: Int = 1) throws {
        let principal = Principal(.apiKey, id: Array(name.utf8), subject: Array(name.utf8))
        for _ in 0..<times {
            let instant = Instant(unixSeconds: 1_800_000_000, monotonic: now)
            let pending = PendingResponse(connection: 0, number: 0)
            let context = try RequestContext.made(
                as: pending, named: "denied", by: Caller(principal, index: 1), at: instant)
            loopAudit.begin(at: instant)
            loopAudit.note(.foreignOrigin, of: context)
            rest()
        }
    }

    /// The text of all files, when all lines are written.
    func close() throws -> String {
        _ = sharedAudit.close(within: 120_000)
        return try String(contentsOfFile: folder + "/a.jsonl", encoding: .utf8)
    }

    func issue(_ count: Int) throws -> [PendingResponse] { try (0..<count).map { _ in try issue() } }

    /// What the client of a pending was answered by now; nil for nothing.
    func answer(to pending: PendingResponse) -> (status: Int, body: String)? {
        for answer in answers.takeFinished() {
            finished[answer.pending] = (answer.response.status, answer.response.body.array.text)
        }
        return finished[pending]
    }

    /// Lets the loop run until all of these are answered.
    /// - Returns: the statuses, 0 for none within the time.
    func statuses(of tickets: [PendingResponse], within seconds: Double = 120) -> [Int] {
        let end = ContinuousClock.now + .seconds(seconds)
        while tickets.contains(where: { answer(to: $0) == nil }), .now < end { deliver(within: 0.05) }
        return tickets.map { answer(to: $0)?.status ?? 0 }
    }

    /// Lets the loop run until something holds.
    func wait(_ isDone: () -> Bool) -> Bool {
        let end = ContinuousClock.now + .seconds(120)
        while !isDone(), .now < end { deliver(within: 0.05) }
        return isDone()
    }

    func pass(milliseconds: Int64) {
        now += milliseconds
        loopAudit.tick(at: Instant(unixSeconds: 1_800_000_000, monotonic: now))
    }

    /// The lines of requests, in all files.
    func ids() throws -> [String] {
        let current = "a.jsonl"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != current }.sorted()
        let text = try (names + [current]).map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
            .joined()
        return text.matches(of: #/"requestId":"([^"]+)"/#).map { String($0.output.1) }
    }
}
