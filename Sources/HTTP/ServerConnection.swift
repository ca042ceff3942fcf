import Bytes

/// The server's half of one HTTP/1.1 connection, without a socket: bytes and times go in, answers come out.
///
/// It finds the requests in what arrives, has each answered in order, and keeps what is not a whole request yet; an idle
/// connection holds no buffer. Its owner sends what it writes, and calls `expire` when `deadline` has passed. A request whose
/// answer comes later is parked, and with it all that come after it, until `finish`.
package struct ServerConnection: ~Copyable {
    /// What the owner does after `receive` and `finish`.
    package enum Next: Sendable, Equatable {
        /// Wait for more bytes.
        case read
        /// Send what was written, give others their turn, then call `receive` again with no bytes: the answers had grown so
        /// large, or so many, that the requests behind them wait.
        case drain
        /// Send what was written, and read nothing more: the answer to `pendingResponse` comes later.
        case park
        /// Send what was written, then close.
        case close
        /// Send what was written, then close in a way that lets a client that is still sending read it.
        case linger
    }

    /// What the loop lends to each of its connections in turn.
    package struct Context: ~Copyable {
        package let handler: any RequestHandler
        /// Whose word is taken on whom a request is from.
        package var proxies: TrustedProxies
        package var response = Response()
        package var out = ByteWriter(capacity: 16 * 1024)
        package var instant = Instant(unixSeconds: 0, monotonic: 0)
        /// The value of the Date field for `instant`, 29 bytes.
        package var date: [UInt8] = []
        /// Whether the server is shutting down, so that every answer is its connection's last.
        package var isLast = false

        package init(handler: any RequestHandler, proxies: TrustedProxies = .none) {
            self.handler = handler
            self.proxies = proxies
        }
    }

    /// What of a request decides how its answer is written.
    private struct ResponseForm: Equatable {
        let isHead: Bool
        let isHTTP10: Bool
        let keepsAlive: Bool

        init(_ head: RequestHead) {
            isHead = head.method == .head
            isHTTP10 = head.isHTTP10
            keepsAlive = head.keepsAlive
        }
    }

    private enum Phase: Equatable { case idle, head, body, parked(ResponseForm), closing }
    /// A body under way whose transfer coding is being taken off; its head is kept aside.
    private struct ChunkedBody {
        let head: [UInt8]
        var decoder = ChunkDecoder()
    }

    private let limits: Limits
    private let parser: RequestParser
    /// The index of the address that it was accepted on.
    package let listener: Int
    private let token: UInt64
    /// Who connected; set by the owner before the first request where a proxy tells it.
    package var client: ClientAddress
    /// What the client has shown by TLS; set by the owner before the first request.
    package var certificate: ClientCertificate?
    /// Whether its next answer is its last; set by the owner.
    package var isLast = false
    /// Whether the handler has been asked nothing yet.
    package private(set) var isUnused = true
    /// How many answers came later than their requests.
    private var parkings: UInt64 = 0
    private var phase = Phase.idle
    private var since: Int64
    /// Bytes that have come and are not answered; within a chunked body, those that are not decoded.
    private var pending: [UInt8] = []
    /// Bytes of the request under way when they are known: its head and its Content-Length.
    private var expected: Int?
    private var chunked: ChunkedBody?
    /// Whether the handler has let the head of the request under way pass, before its body came.
    private var isAdmitted = false

    /// Bytes of answers that may wait to be sent before no further request of the connection is answered.
    package static let outputLimit = 64 * 1024
    /// Requests that are answered before other connections have their turn.
    package static let turn = 32

    /// - Parameters:
    ///   - listener: the index of the address that it was accepted on.
    ///   - client: who connected.
    ///   - token: what its owner knows it by, for its pending responses.
    package init(
        limits: Limits, at instant: Instant, listener: Int = 0, client: ClientAddress = .none, token: UInt64 = 0
    ) {
        self.limits = limits
        self.listener = listener
        self.client = client
        self.token = token
        parser = RequestParser(limits: limits)
        since = instant.monotonic
    }

    /// Whether it waits between two requests, so that closing it loses nothing.
    package var isIdle: Bool {
        phase == .idle && ServerConnection.mayBeEmptyLine(pending.span)
    }

    /// Bytes that it keeps of requests that are not answered yet, with the room that their buffers have.
    package var held: Int {
        pending.capacity + (chunked.map { $0.head.capacity + $0.decoder.content.capacity } ?? 0)
    }

    /// When it last made progress, in monotonic milliseconds: began a request, was answered, or was accepted. Bytes that come
    /// later for the same request are none.
    package var progress: Int64 { since }

    /// What the answer that comes later belongs to; nil when there is none.
    package var pendingResponse: PendingResponse? { if case .parked = phase { nextResponse } else { nil } }

    private var nextResponse: PendingResponse { PendingResponse(connection: token, number: parkings) }

    /// Monotonic milliseconds at which `expire` is due.
    package var deadline: Int64 {
        switch phase {
        case .idle: since + limits.idleTimeout
        case .head: since + limits.headerTimeout
        case .body, .closing: since + limits.requestTimeout
        case .parked: since + limits.answerTimeout
        }
    }

    /// Takes bytes that have arrived, and writes the answers to all requests that are now complete to `context.out`; while one
    /// is parked, keeps them.
    package mutating func receive(_ bytes: Span<UInt8>, in context: inout Context) -> Next {
        switch phase {
        case .closing: return .close
        case .parked:
            pending.append(contentsOf: bytes)
            return .park
        case .idle, .head, .body: break
        }
        if pending.isEmpty {
            let (next, used) = answerRequests(in: bytes, &context)
            if phase != .closing, used < bytes.count { pending = bytes.extracting(used..<bytes.count).array }
            return next
        }
        pending.append(contentsOf: bytes)
        guard isWorthReading(bytes) else { return .read }
        var held: [UInt8] = []
        swap(&held, &pending)
        let (next, used) = answerRequests(in: held.span, &context)
        if phase != .closing, used < held.count {
            // A copy, lest a few bytes have the room of a whole request.
            pending = used > 0 ? held.span.extracting(used..<held.count).array : held
        }
        return next
    }

    /// Writes the answer that comes later, which `context.response` holds by now.
    package mutating func finish(in context: inout Context) -> Next {
        guard case .parked(let form) = phase else { return .read }
        parkings &+= 1
        // Nothing was read for a while, so the client may well have sent more.
        guard write(in: form, &context) else {
            pending = []
            return .linger
        }
        return pending.isEmpty ? .read : .drain
    }

    /// Ends a connection whose deadline has passed; a client in the middle of a request, or one that waits for its answer, is
    /// told so in `context.out`.
    package mutating func expire(in context: inout Context) {
        switch phase {
        case .head, .body:
            let isHead = isHead(pending.span)
            refuse(RequestError(.timeout, "the request did not arrive in time"), omittingBody: isHead, in: &context)
        case .parked(let form):
            let error = RequestError(.overloaded, "the answer was not ready in time")
            refuse(error, omittingBody: form.isHead, in: &context)
        case .idle, .closing: phase = .closing
        }
    }

    /// Whether more bytes can have completed, or spoilt, the request under way: a head only by another line's end, so that
    /// one that drips in byte by byte is read once a line, and once every 4 KiB to see whether it is too long.
    private func isWorthReading(_ more: Span<UInt8>) -> Bool {
        if phase == .idle { return true }
        if let expected { return pending.count >= expected }
        return chunked != nil || more.isEmpty || more.firstIndex(of: UInt8(ascii: "\n")) != nil
            || pending.count / 4096 != (pending.count - more.count) / 4096
    }

    /// - Returns: also how many of the bytes are done with.
    private mutating func answerRequests(in bytes: Span<UInt8>, _ context: inout Context) -> (Next, used: Int) {
        var (used, answered) = (0, 0)
        do throws(RequestError) {
            while used < bytes.count {
                guard context.out.count < ServerConnection.outputLimit, answered < ServerConnection.turn else {
                    return (.drain, used)
                }
                if phase == .idle {
                    // It belongs to no request yet, so that no time of one runs (RFC 9112 section 2.2).
                    if ServerConnection.mayBeEmptyLine(bytes.extracting(used..<bytes.count)) { return (.read, used) }
                    phase = .head
                    since = context.instant.monotonic
                }
                let (length, next) = try answerRequest(in: bytes.extracting(used..<bytes.count), &context)
                used += length
                guard let next else { return (.read, used) }
                if next == .park { return (.park, used) }
                if next == .close { return (used == bytes.count ? .close : .linger, used) }
                answered += 1
            }
        } catch {
            let isHead = isHead(bytes.extracting(used..<bytes.count))
            refuse(error, omittingBody: isHead, in: &context)
            return (.linger, used)
        }
        return (.read, used)
    }

    /// Answers the request at the beginning of `bytes` if it is all there.
    /// - Returns: how many bytes are done with, and nil when more are needed.
    private mutating func answerRequest(
        in bytes: Span<UInt8>, _ context: inout Context
    ) throws(RequestError) -> (used: Int, Next?) {
        if chunked != nil { return try continueChunked(with: bytes, &context) }
        guard let head = try parser.parse(bytes) else { return (0, nil) }
        if head.isChunked {
            guard try awaitsBody(after: head, in: bytes, &context) else { return (0, .close) }
            phase = .body
            chunked = ChunkedBody(head: bytes.extracting(0..<head.length).array)
            let (used, next) = try continueChunked(with: bytes.extracting(head.length..<bytes.count), &context)
            return (head.length + used, next)
        }
        let total = head.length + (head.contentLength ?? 0)
        guard bytes.count >= total else {
            guard try awaitsBody(after: head, in: bytes, &context) else { return (0, .close) }
            phase = .body
            expected = total
            return (0, nil)
        }
        expected = nil
        let body = bytes.extracting(head.length..<total)
        let client = try context.proxies.client(behind: client, head, in: bytes)
        return (total, answer(request(head, in: bytes, body: body, of: client), &context))
    }

    private mutating func continueChunked(
        with bytes: Span<UInt8>, _ context: inout Context
    ) throws(RequestError) -> (used: Int, Next?) {
        let used = try chunked?.decoder.advance(over: bytes, limits: limits) ?? 0
        guard let done = chunked, done.decoder.isDone, let head = try parser.parse(done.head.span) else {
            return (used, nil)
        }
        let client = try context.proxies.client(behind: client, head, in: done.head.span)
        chunked = nil
        return (
            used, answer(request(head, in: done.head.span, body: done.decoder.content.span, of: client), &context)
        )
    }

    /// Whether the body is worth waiting for, so that nobody makes the server hold what it will refuse anyway. If it is,
    /// answers `Expect: 100-continue` unless the body is already coming (RFC 9110 section 10.1.1).
    private mutating func awaitsBody(
        after head: RequestHead, in bytes: Span<UInt8>, _ context: inout Context
    ) throws(RequestError) -> Bool {
        let none: [UInt8] = []
        let client = try context.proxies.client(behind: client, head, in: bytes)
        let request = request(head, in: bytes, body: none.span, of: client)
        context.response.reset()
        isUnused = false
        guard !context.handler.refuses(request, at: context.instant, into: &context.response) else {
            writeLast(omittingBody: head.method == .head, &context)
            return false
        }
        isAdmitted = true
        if head.expectsContinue, bytes.count == head.length {
            context.out.append("HTTP/1.1 100 Continue\r\n\r\n")
        }
        return true
    }

    @_lifetime(copy bytes, copy body)
    private func request(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Span<UInt8>, of client: ClientAddress
    ) -> Request {
        var request = Request(
            head, in: bytes, body: body, listener: listener, client: client, certificate: certificate)
        request.wasAdmitted = isAdmitted
        return request
    }

    private mutating func answer(_ request: borrowing Request, _ context: inout Context) -> Next {
        context.response.reset()
        isUnused = false
        let answering = context.handler.respond(
            to: request, as: nextResponse, at: context.instant, into: &context.response)
        let form = ResponseForm(request.head)
        isAdmitted = false
        switch answering {
        case .done: return write(in: form, &context) ? .read : .close
        case .later:
            phase = .parked(form)
            since = context.instant.monotonic
            return .park
        }
    }

    /// Writes the answer in `context.response`.
    /// - Returns: whether another may follow it.
    private mutating func write(in form: ResponseForm, _ context: inout Context) -> Bool {
        if form.isHead { context.response.omitsBody = true }
        let persists = form.keepsAlive && !context.isLast && !isLast
        let persistence: StaticString? = persists ? (form.isHTTP10 ? "keep-alive" : nil) : "close"
        let date = context.date
        context.response.write(date: date.span, persistence: persistence, into: &context.out)
        phase = persists ? .idle : .closing
        since = context.instant.monotonic
        return persists
    }

    /// Writes the answer to something that is no acceptable request; nothing more is read from the connection.
    package mutating func refuse(_ error: RequestError, omittingBody: Bool = false, in context: inout Context) {
        context.response.reset()
        isUnused = false
        let sender = sender(in: context)
        context.handler.respond(
            to: error, from: sender, by: listener, at: context.instant, into: &context.response)
        writeLast(omittingBody: omittingBody, &context)
    }

    /// Whose address an error is counted for; none where the request has been counted, and behind a trusted proxy, where a head
    /// that cannot be read does not tell its sender.
    private func sender(in context: borrowing Context) -> ClientAddress {
        if case .parked = phase { return .none }
        return isAdmitted || context.proxies.contains(client) ? .none : client
    }

    /// Whether the request under way is a HEAD, as far as one can tell: its answer has no body, be it a refusal
    /// (RFC 9110 section 9.3.2).
    /// - Parameter bytes: where it begins, unless its head is kept aside.
    private func isHead(_ bytes: Span<UInt8>) -> Bool {
        if let chunked { return ServerConnection.beginsHead(chunked.head.span) }
        return ServerConnection.beginsHead(bytes)
    }

    /// Whether these are no more than the empty line that may stand before a request.
    private static func mayBeEmptyLine(_ bytes: Span<UInt8>) -> Bool {
        bytes.count < 2
            ? bytes.isEmpty || bytes[0] == UInt8(ascii: "\r") : bytes.count == 2 && bytes.begins(with: "\r\n")
    }

    /// - Parameter bytes: of a request, before which there may be an empty line.
    private static func beginsHead(_ bytes: Span<UInt8>) -> Bool {
        bytes.extracting((bytes.begins(with: "\r\n") ? 2 : 0)..<bytes.count).begins(with: "HEAD ")
    }

    /// Writes the answer after which the connection is not used any more.
    private mutating func writeLast(omittingBody: Bool, _ context: inout Context) {
        if omittingBody { context.response.omitsBody = true }
        pending = []
        chunked = nil
        let date = context.date
        context.response.write(date: date.span, persistence: "close", into: &context.out)
        phase = .closing
        since = context.instant.monotonic
    }
}
