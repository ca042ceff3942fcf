import Bytes

/// What answers requests. One object serves one event loop, on that loop's thread, one request at a time.
package protocol RequestHandler: AnyObject {
    /// Fills in the answer to `request`, or says that it comes later; `response` comes reset.
    /// - Parameter pending: what to finish the answer under when it comes later; of no meaning otherwise.
    func respond(
        to request: borrowing Request, as pending: PendingResponse, at instant: Instant, into response: inout Response
    ) -> Answering
    /// Whether `request`, whose body has not come yet, will be refused whatever the body is; then fills in the answer, and
    /// the body is not waited for.
    func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool
    /// Fills in the answer to something that is no acceptable request; the connection closes after it.
    /// - Parameter client: the address that sent it; none where that is not known, or where the request has been counted.
    /// - Parameter listener: the index of the address that it came by, as `Request.listener`.
    func respond(
        to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
        into response: inout Response)
    /// The client whose answer was to come later is gone, or its time is over; called once, and not after the answer was
    /// finished. To finish it now does nothing.
    func abandon(_ pending: PendingResponse)
    /// Whether a client may begin a TLS handshake; if not, its connection is closed.
    func admitsHandshake(of client: ClientAddress, at instant: Instant) -> Bool
    /// A connection has ended whose client began a TLS handshake and sent no request.
    func wasteHandshake(of client: ClientAddress, at instant: Instant)
    /// Called four times a second while the loop has anything to look after, for whatever the handler waits for.
    func tick(at instant: Instant)
    /// The server ends, and nobody can wait any longer: whatever can be answered is answered now, or never.
    func end()
    /// Called when a batch of events has been dealt with.
    /// - Parameter begin: when it began.
    func rest(since begin: Instant)
    /// Whether something is put off for as long as the loop has more to do at once: `pause` is called when it has not.
    var awaitsPause: Bool { get }
    /// Called, if it is awaited, when the loop has dealt with all events that there are, and before it waits for others.
    func pause()
    /// Whether `tick` is to be called even while no client is connected.
    var isWaiting: Bool { get }
    /// When it is to be called so at the latest, whatever happens or does not, in monotonic milliseconds; nil for never.
    var nextTick: Int64? { get }
}

/// For those that answer everything at once.
extension RequestHandler {
    package func abandon(_ pending: PendingResponse) {}
    package func admitsHandshake(of client: ClientAddress, at instant: Instant) -> Bool { true }
    package func wasteHandshake(of client: ClientAddress, at instant: Instant) {}
    package func tick(at instant: Instant) {}
    package func end() {}
    package func rest(since begin: Instant) {}
    package var awaitsPause: Bool { false }
    package func pause() {}
    package var isWaiting: Bool { false }
    package var nextTick: Int64? { nil }
}
