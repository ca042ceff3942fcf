import Access
import Bytes
import HTTP
import Telemetry
import Upstream

@testable import Net
@testable import Providers
@testable import Gateway

/// A loop's parked requests without sockets: the tests are clients and vendor, and move the clock.
final class FetchFixture {
    /// Asks for what its name says, counts how often, and takes every text for JSON.
    final class Question: VendorQuestion {
        let operation: VendorOperation
        private let name: String
        private var calls = 0

        init(_ name: String, _ operation: VendorOperation = VendorOperation()) {
            self.name = name
            self.operation = operation
        }

        /// Takes back what was begun.
        func reversal(of answer: UpstreamAnswer) -> (any VendorQuestion)? {
            name == "begin" && answer.status == 200 ? Question("undo") : nil
        }

        func call(to authority: [UInt8], at now: Int64) throws(IssueError) -> UpstreamCall {
            if name.isEmpty { throw .nothingToSign }
            calls += 1
            return UpstreamCall(.get, authority: authority, path: Array("/\(name)/\(calls)".utf8))
        }

        func read(_ answer: UpstreamAnswer) throws(VendorFault) -> VendorReply {
            switch answer.status {
            case 200 where answer.body.isEmpty: throw .unreadable
            case 200: return .json(answer.body)
            case 612: return .absent
            case 400: return .unacceptable
            case 401: throw .keyRefused(status: 401)
            default: throw .status(answer.status)
            }
        }
    }

    private final class Clock {
        var now = Instant(unixSeconds: 1_800_000_000, monotonic: 5_000_000)
    }

    private let clock = Clock()
    let upstreamClient = FakeUpstreamClient()
    let answers = LateAnswers()
    let line: VendorLink
    let parked: ParkedRequests
    private let tools: LoopCallTools
    private var tickets: UInt64 = 0

    var now: Instant { clock.now }

    init(endpoints: [String] = ["https://one.example.com"]) throws {
        line = VendorLink(
            to: try endpoints.map { try VendorEndpoint(Array($0.utf8)) }, trusting: try TLSTrust(.anybody),
            FetchLinks.limits(endpoints: endpoints.count), from: clock.now)
        tools = LoopCallTools(
            calls: LoopCalls(upstreamClient: upstreamClient) { [clock] in clock.now },
            log: Log(Log.Settings(level: .error, format: .json)), post: { $0() }, read: { $1(nil) })
        parked = ParkedRequests(answers)
    }

    /// Whether a request or a call is under way.
    var isWaiting: Bool { !parked.isEmpty || !tools.calls.isEmpty }

    /// Lets time pass in the steps of a loop's ticks.
    func pass(milliseconds: Int64) {
        for _ in 0..<(milliseconds / 250) {
            let monotonic = now.monotonic + 250
            clock.now = Instant(
                unixSeconds: now.unixSeconds + (monotonic / 1000 - now.monotonic / 1000), monotonic: monotonic)
            tools.calls.tick(at: now)
        }
    }

    /// Parks a request, as a pipeline does.
    @discardableResult
    func park(_ name: String = "list", of caller: UInt64 = 0, isAnonymous: Bool = false) throws -> PendingResponse {
        try park(asking: Question(name), of: caller, isAnonymous: isAnonymous)
    }

    @discardableResult
    func park(
        asking question: any VendorQuestion, of caller: UInt64 = 0, isAnonymous: Bool = false
    ) throws -> PendingResponse {
        tickets += 1
        let pending = PendingResponse(connection: tickets, number: 0)
        var response = Response()
        response.add("Vary", "Origin")
        let request = try ParkedRequest(
            .made(as: pending, named: "id-\(tickets)"), as: pending, with: response, issuing: nil, nil, by: .silent)
        try Fetch(question: question, link: line, credential: "kodo", caller: caller, isAnonymous: isAnonymous).park(
            request, in: parked, tools, since: now)
        answers.expect(pending)
        return pending
    }

    /// What was answered since the last call.
    func answered() -> [(pending: PendingResponse, status: Int, body: String, fields: String)] {
        answers.takeFinished().map { answer in
            let fields = answer.response.fieldLines.array
            return (answer.pending, answer.response.status, answer.response.body.array.text, fields.text)
        }
    }
}
