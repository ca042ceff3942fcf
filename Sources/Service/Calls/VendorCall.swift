import Bytes
import Net
import Providers
import Upstream

/// One call of a loop's to a vendor: attempts inside one deadline, each made anew, past the line's breaker and within its
/// budget. Everything is called on the loop's thread.
protocol VendorCall: AnyObject {
    var line: VendorLine { get }
    var courier: any Courier { get }
    var clock: () -> Now { get }
    var course: CallCourse { get set }

    /// Makes an attempt at the place of an endpoint, and reports it: by `fail` or `succeeded`.
    func attempt(_ endpoint: Int, until: Int64, at now: Now)

    /// The call is over, in vain.
    func land(with fault: UpstreamFault, at now: Now)
}

/// How far a call has come.
struct CallCourse {
    /// Nil before it begins.
    fileprivate(set) var retry: Retry?
    /// When it goes on, in monotonic milliseconds; nil while something is under way.
    fileprivate var due: Int64?
    /// What went wrong last, for the log.
    var complaint = ""

    var attempts: Int { retry?.attempts ?? 0 }
}

/// Why a call could not even be made.
struct CallFault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension VendorCall {
    func start(at now: Now) {
        course.retry = line.makeRetry(at: now)
        proceed(at: now)
    }

    func tick(at now: Now) {
        if let due = course.due, now.monotonic >= due { proceed(at: now) }
    }

    private func proceed(at now: Now) {
        guard var retry = course.retry else { return }
        course.due = nil
        let step = line.next(&retry, at: now)
        course.retry = retry
        take(step, at: now)
    }

    private func take(_ step: Retry.Step, at now: Now) {
        switch step {
        case .attempt(let endpoint, let until): attempt(endpoint, until: until, at: now)
        case .wait(let until):
            course.due = until
            if until <= now.monotonic { proceed(at: now) }
        case .giveUp(let fault): land(with: fault, at: now)
        }
    }

    /// The attempt under way failed.
    func fail(_ fault: UpstreamFault, _ complaint: String) {
        let now = clock()
        course.complaint = complaint
        guard var retry = course.retry else { return land(with: fault, at: now) }
        let step = line.failed(&retry, with: fault, at: now)
        course.retry = retry
        take(step, at: now)
    }

    /// The attempt under way brought an answer.
    /// - Returns: whether there was one under way.
    func succeeded(at now: Now) -> Bool {
        guard var retry = course.retry else { return false }
        line.succeeded(&retry, at: now)
        course.retry = retry
        return true
    }

    /// Nobody waits for the call any more.
    func abandon(at now: Now) {
        guard var retry = course.retry else { return }
        line.abandoned(&retry, at: now)
        course = CallCourse()
    }

    /// Sends what has been made for an endpoint.
    /// - Parameters:
    ///   - answerLimit: the most bytes that the answer may have.
    ///   - isRepeatable: whether the vendor may get it twice.
    ///   - completion: called once, and not before this returns.
    /// - Returns: what to cancel it by.
    @discardableResult
    func send(
        _ call: UpstreamCall, to endpoint: VendorEndpoint, until deadline: Int64, answerLimit: Int, isRepeatable: Bool,
        completion: @escaping (Result<ExchangeAnswer, ExchangeError>) -> Void
    ) throws(CallFault) -> UInt64 {
        var text = ByteWriter(capacity: 4096)
        do throws(UpstreamCallError) { try call.write(into: &text) } catch { throw CallFault("\(error)") }
        let scheme: Exchange.Scheme
        if endpoint.isSecure {
            guard let trust = line.trust else { throw CallFault("TLS is not prepared") }
            scheme = .https(trust)
        } else {
            scheme = .http
        }
        var exchange = Exchange(
            scheme, host: endpoint.host.text, port: endpoint.port, request: text.array, deadline: deadline,
            answerLimit: answerLimit)
        exchange.isRepeatable = isRepeatable
        return courier.start(exchange, completion: completion)
    }
}
