/// What answers requests. One object serves one event loop, on that loop's thread, one request at a time.
package protocol RequestHandler: AnyObject {
    /// Fills in the answer to `request`; `response` comes reset.
    func respond(to request: borrowing Request, at instant: Instant, into response: inout Response)
    /// Whether `request`, whose body has not come yet, will be refused whatever the body is; then fills in the answer, and
    /// the body is not waited for.
    func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool
    /// Fills in the answer to something that is no acceptable request; the connection closes after it.
    func respond(to error: RequestError, at instant: Instant, into response: inout Response)
}
