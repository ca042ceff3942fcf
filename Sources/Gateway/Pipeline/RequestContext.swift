import Access
import Bytes
import HTTP
import Providers

/// What is known of the request that is being answered; the steps of a pipeline fill it in from left to right.
///
/// A loop uses one again for each request. An answer that must wait has its own.
struct RequestContext: ~Copyable {
    // MARK: What comes with the request

    /// The number under which a later answer is sent; nil where the answer can be given only at once.
    private(set) var pending: PendingResponse?
    /// When the request was received.
    private(set) var instant = Instant(unixSeconds: 0, nanoseconds: 0)
    /// The request's id in logs, in the audit and in the answer.
    private(set) var id = ByteWriter(capacity: 64)
    /// Nil for bytes that are no request.
    private(set) var method: Method?
    private(set) var client = ClientAddress.none
    /// Nil for a request that is part of no trace.
    private(set) var trace: TraceID?

    // MARK: What the steps find out

    /// Its index among `RequestLabels.routes`.
    private(set) var route = RequestLabels.none
    /// The path, where it is one of the service's own; else empty.
    private(set) var path = ByteWriter(capacity: 64)
    /// How the route is asked, if not as all routes are.
    var form: RoutePath?
    /// The form in which errors are written.
    var words = Refusal.Words.problem
    /// The caller. Before it is identified, this is a caller who is denied everything.
    var caller = Caller.nobody
    /// The index, among the labels, of the kind of credential and of whether it was accepted.
    private(set) var proof: Int?
    /// Whether its success issues something.
    var isIssuing = false

    /// A copy for a request whose answer comes later.
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
        form = nil
        (route, words, caller, proof, isIssuing) = (RequestLabels.none, .problem, .nobody, nil, false)
    }

    /// The request's path is one of the service's own.
    /// - Parameter route: its index among `RequestLabels.routes`.
    mutating func setRoute(_ route: Int, _ path: Span<UInt8>) {
        self.route = route
        self.path.append(path)
    }

    /// The caller is identified, or its credential is refused.
    mutating func note(_ proof: RequestLabels.Proof, isAccepted: Bool) {
        self.proof = proof.index * RequestLabels.outcomes.count + (isAccepted ? 0 : 1)
    }
}
