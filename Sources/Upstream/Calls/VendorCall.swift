import Bytes
import Net
import Providers

/// One call of a loop's to a vendor or an issuer: attempts inside one deadline, each made anew, past the link's breaker and
/// within its budget. Everything is called on the loop's thread.
package final class VendorCall<Value>: CallUnderWay {
    /// Makes an attempt at an endpoint, and has it reported: by `send` or `fail`.
    package typealias Attempt = (_ call: VendorCall, _ endpoint: VendorEndpoint, _ now: Instant) -> Void
    package typealias End = (_ call: VendorCall, _ result: Result<Value, UpstreamFault>, _ now: Instant) -> Void

    package let link: VendorLink
    /// What went wrong last, for the log; empty where no attempt was made.
    package private(set) var complaint = ""
    /// Whether it was the first to come through after others had failed.
    package private(set) var endsOutage = false
    private let upstreamClient: any UpstreamClient
    private let clock: () -> Instant
    /// They have the call for as long as it is under way.
    private weak var calls: LoopCalls?
    private let attempt: Attempt
    private let source: CallSource
    /// In milliseconds; nil for that of the link.
    private let timeout: Int64?
    /// Nil when it is over.
    private var end: End?
    /// Nil before it begins.
    private var retry: Retry?
    /// When it goes on, in monotonic milliseconds; nil while something is under way.
    private var due: Int64?
    /// When the attempt under way is over, in monotonic milliseconds.
    private var deadline: Int64 = 0
    /// What is under way.
    private var exchange: UInt64?

    /// It is among the loop's calls from now on, until it is over.
    /// - Parameters:
    ///   - source: whom failures count for in the breaker.
    ///   - timeout: of the call, in milliseconds, if it is not that of the link. The vendor's time then depends on the request: if it
    ///     takes too long, that is no failure of the vendor, and the call is no probe.
    ///   - end: called once, perhaps before `start` returns, unless the call is cancelled.
    package init(
        on link: VendorLink, among calls: LoopCalls, for source: CallSource = .service, timeout: Int64? = nil,
        attempt: @escaping Attempt, end: @escaping End
    ) {
        self.link = link
        var source = source
        source.mayProbe = timeout == nil
        self.source = source
        self.timeout = timeout
        self.calls = calls
        upstreamClient = calls.upstreamClient
        clock = calls.clock
        self.attempt = attempt
        self.end = end
        calls.add(self)
    }

    package var attempts: Int { retry?.attempts ?? 0 }
    private var isOver: Bool { end == nil }

    package func start(at now: Instant) {
        retry = link.makeRetry(at: now, for: source, timeout: timeout)
        proceed(at: now)
    }

    func tick(at now: Instant) {
        if let due, now.monotonic >= due { proceed(at: now) }
    }

    private func proceed(at now: Instant) {
        guard var retry, !isOver else { return }
        due = nil
        let step = link.next(&retry, at: now)
        self.retry = retry
        take(step, at: now)
    }

    private func take(_ step: Retry.Step, at now: Instant) {
        switch step {
        case .attempt(let index, let until):
            guard link.endpoints.indices.contains(index) else { return fail(.unavailable, "there is no endpoint") }
            deadline = until
            attempt(self, link.endpoints[index], now)
        case .wait(let until):
            due = until
            if until <= now.monotonic { proceed(at: now) }
        case .giveUp(let fault): finish(.failure(fault), at: now)
        }
    }

    // MARK: Attempts

    /// Sends what has been made for an endpoint.
    /// - Parameters:
    ///   - answerLimit: the most bytes that the answer may have.
    ///   - namesEndpoint: whether the complaint of a failure names the endpoint.
    ///   - whenTooLarge: what the call brings where the answer is larger, which is none of the vendor's failures; nil where it is
    ///     one.
    ///   - read: reads the answer, whatever its status; nil where the attempt goes on with another exchange.
    package func send(
        _ request: UpstreamCall, to endpoint: VendorEndpoint, answerLimit: Int,
        namesEndpoint: Bool = true, whenTooLarge: Value? = nil,
        _ read: @escaping (UpstreamAnswer, Instant) throws(CallFault) -> Value?
    ) {
        guard !endpoint.isSecure || link.trust != nil else { return fail(.unavailable, "TLS is not prepared") }
        var text = ByteWriter(capacity: 4096)
        do throws(UpstreamCallError) { try request.write(into: &text) } catch {
            return fail(.unavailable, "\(error)")
        }
        let scheme = link.trust.flatMap { endpoint.isSecure ? Exchange.Scheme.https($0) : nil } ?? .http
        var next = Exchange(
            scheme, host: endpoint.host.text, port: endpoint.port, request: text.array, deadline: deadline,
            answerLimit: answerLimit)
        next.isRepeatable = request.isRepeatable
        let prefix = namesEndpoint ? endpoint.authority.text + ": " : ""
        // The loop's calls hold it while it is under way.
        exchange = upstreamClient.start(next) { [weak self] in
            self?.finish($0, as: prefix, whenTooLarge: whenTooLarge, read)
        }
    }

    private func finish(
        _ result: Result<ExchangeAnswer, ExchangeError>, as prefix: String, whenTooLarge: Value?,
        _ read: (UpstreamAnswer, Instant) throws(CallFault) -> Value?
    ) {
        exchange = nil
        if case .failure(.tooLarge(let reason)) = result, let whenTooLarge {
            complaint = prefix + reason
            return succeed(with: whenTooLarge, at: clock())
        }
        switch result {
        case .failure(let error):
            fail(UpstreamFault(error), prefix + "\(error)", counts: timeout == nil || !error.isSlowAnswer)
        case .success(let answer):
            do throws(CallFault) {
                let now = clock()
                if let value = try read(UpstreamAnswer(answer), now) { succeed(with: value, at: now) }
            } catch {
                fail(error.fault, prefix + error.reason)
            }
        }
    }

    /// The attempt under way failed.
    /// - Parameter counts: whether the failure says anything about the vendor.
    package func fail(_ fault: UpstreamFault, _ complaint: String, counts: Bool = true) {
        guard !isOver else { return }
        let now = clock()
        self.complaint = complaint
        guard var retry else { return finish(.failure(fault), at: now) }
        let step = link.failed(&retry, with: fault, at: now, counts: counts)
        self.retry = retry
        take(step, at: now)
    }

    /// The attempt under way brought what was wanted.
    private func succeed(with value: Value, at now: Instant) {
        guard var retry, !isOver else { return }
        endsOutage = link.succeeded(&retry, at: now)
        self.retry = retry
        finish(.success(value), at: now)
    }

    // MARK: Ends

    /// Ends the call because something that it needs is missing. No failure of the vendor is counted.
    package func giveUp(because fault: UpstreamFault, _ complaint: String = "") {
        self.complaint = complaint
        finish(.failure(fault), at: clock())
    }

    /// Nobody waits for the call any more.
    package func cancel() {
        if let exchange { upstreamClient.cancel(exchange) }
        if var retry, !isOver { link.abandoned(&retry, at: clock()) }
        end = nil
        calls?.remove(self)
    }

    private func finish(_ result: Result<Value, UpstreamFault>, at now: Instant) {
        guard let end else { return }
        self.end = nil
        calls?.remove(self)
        end(self, result, now)
    }
}

/// Why an attempt of a call failed.
package struct CallFault: Error {
    package let fault: UpstreamFault
    package let reason: String

    package init(_ fault: UpstreamFault, _ reason: String) {
        self.fault = fault
        self.reason = reason
    }
}
