import Access
import Bytes
import HTTP

/// What is known of the request that is being answered; the steps of a pipeline fill it in from left to right.
///
/// A loop uses one again for each request. An answer that must wait has its own.
struct RequestContext: ~Copyable {
    // MARK: What comes with the request

    /// Under which the answer is finished if it comes later; nil where it can be given only at once.
    private(set) var pending: PendingResponse?
    /// When it was heard of.
    private(set) var instant = Instant(unixSeconds: 0, nanoseconds: 0)
    /// The name by which it is found again in logs.
    private(set) var id = ByteWriter(capacity: 64)
    /// Nil for what is no request.
    private(set) var method: Method?
    private(set) var client = ClientAddress.none
    /// Nil for a request that is part of no trace.
    private(set) var trace: TraceID?

    // MARK: What the steps find out

    /// Its index among `RequestLabels.routes`.
    private(set) var route = RequestLabels.none
    /// The path, where it is one of the service's own; else empty.
    private(set) var path = ByteWriter(capacity: 64)
    /// In whose words errors are told.
    var words = Refusal.Words.problem
    /// The caller. Before it is identified, it is one who is denied everything.
    var caller = Caller.nobody
    /// The index, among the labels, of what was presented and whether it was believed.
    private(set) var proof: Int?
    /// Whether its success issues something.
    var isIssuing = false

    /// What is kept of it until its answer has come.
    func copy() -> RequestContext {
        var copy = RequestContext()
        copy.id.append(id.bytes)
        copy.path.append(path.bytes)
        (copy.pending, copy.instant, copy.method) = (pending, instant, method)
        (copy.client, copy.trace, copy.route) = (client, trace, route)
        (copy.words, copy.caller, copy.proof, copy.isIssuing) = (words, caller, proof, isIssuing)
        return copy
    }

    /// - Parameter pending: nil where only the head has come.
    mutating func begin(
        _ request: borrowing Request, as pending: PendingResponse?, at instant: Instant, named ids: inout RequestIDs
    ) {
        begin(at: instant)
        ids.write(for: request, into: &id)
        self.pending = pending
        method = request.head.method
        client = request.client
        trace =
            request.head.value(of: .traceparent) == nil || request.head.isRepeated(.traceparent)
            ? nil : TraceID(traceparent: request.field(.traceparent))
    }

    /// Begins with what could not be read.
    mutating func beginUnread(at instant: Instant, named ids: inout RequestIDs) {
        begin(at: instant)
        ids.write(into: &id)
    }

    private mutating func begin(at instant: Instant) {
        self.instant = instant
        id.reset()
        path.reset()
        (pending, method, client, trace) = (nil, nil, .none, nil)
        (route, words, caller, proof, isIssuing) = (RequestLabels.none, .problem, .nobody, nil, false)
    }

    /// The request's path is one of the service's own.
    /// - Parameter route: its index among `RequestLabels.routes`.
    mutating func enter(_ route: Int, _ path: Span<UInt8>) {
        self.route = route
        self.path.append(path)
    }

    /// The caller is identified, or its credential is refused.
    mutating func note(_ proof: RequestLabels.Proof, isAccepted: Bool) {
        self.proof = proof.index * RequestLabels.outcomes.count + (isAccepted ? 0 : 1)
    }
}
