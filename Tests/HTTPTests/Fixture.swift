import Bytes

@testable import HTTP

/// Answers with what it was asked, and remembers it; what begins with `/later` it leaves to be finished.
final class RecordingHandler: RequestHandler {
    private(set) var requests: [RequestCase.Accepted] = []
    private(set) var errors: [RequestError.Kind] = []
    private(set) var tickets: [PendingResponse] = []
    /// Who the requests were from.
    private(set) var clients: [ClientAddress] = []
    /// The body of every refusal.
    var refusal = ""

    func respond(
        to request: borrowing Request, as pending: PendingResponse, at instant: Instant, into response: inout Response
    ) -> Answering {
        let seen = RequestCase.Accepted(
            method: request.head.method, path: latin(request.path.array), query: latin(request.query.array),
            authority: latin(request.authority.array), keepsAlive: request.head.keepsAlive,
            body: latin(request.body.array))
        requests.append(seen)
        clients.append(request.client)
        if request.path.begins(with: "/later") {
            tickets.append(pending)
            // Nothing of it may leave.
            response.status = 500
            response.body.append("too early")
            return .later
        }
        if request.path.begins(with: "/big") {
            // Numbers itself, so that an answer that is lost or out of order shows.
            response.body.append(request.path)
            for _ in 0..<10_000 { response.body.append(UInt8(ascii: ".")) }
        } else {
            response.body.append(text: "\(seen.method) \(seen.path) \(seen.query) \(seen.authority) ")
            response.body.append(request.body)
        }
        return .done
    }

    func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool {
        guard request.path.equals("/refused") else { return false }
        response.status = 404
        response.body.append(text: refusal)
        return true
    }

    func respond(
        to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
        into response: inout Response
    ) {
        errors.append(error.kind)
        response.body.append(text: refusal)
        response.status =
            switch error.kind {
            case .malformed: 400
            case .uriTooLong: 414
            case .headersTooLarge: 431
            case .bodyTooLarge: 413
            case .timeout: 408
            case .overloaded: 503
            }
    }
}

func latin(_ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
}

/// A connection with its owner: it sends what is written, and goes on after `.drain`.
final class Conversation {
    let handler = RecordingHandler()
    private(set) var sent: [UInt8] = []
    private(set) var next = ServerConnection.Next.read
    private(set) var drains = 0
    private var connection: ServerConnection
    private var context: ServerConnection.Context

    init(
        limits: Limits = RequestCase.limits, at milliseconds: Int64 = 0, refusing refusal: String = "",
        from client: ClientAddress = .none, behind proxies: TrustedProxies = .none
    ) {
        handler.refusal = refusal
        context = ServerConnection.Context(handler: handler, proxies: proxies)
        context.date = Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8)
        context.instant = Instant(unixSeconds: 0, monotonic: milliseconds)
        connection = ServerConnection(limits: limits, at: context.instant, client: client, token: 7)
    }

    var isOver: Bool { next == .close || next == .linger }
    var isIdle: Bool { connection.isIdle }
    var deadline: Int64 { connection.deadline }
    var progress: Int64 { connection.progress }
    var held: Int { connection.held }
    var pending: PendingResponse? { connection.pendingResponse }
    var text: String { latin(sent) }
    /// What was sent but for interim answers, which depend on where the request was cut.
    var finalText: String { text.split(separator: continued, omittingEmptySubsequences: false).joined() }

    var isLast: Bool {
        get { context.isLast }
        set { context.isLast = newValue }
    }

    var date: String {
        get { latin(context.date) }
        set { context.date = octets(newValue) }
    }

    func receive(_ bytes: ArraySlice<UInt8>, at milliseconds: Int64 = 0) {
        guard !isOver else { return }
        context.instant = Instant(unixSeconds: 0, monotonic: milliseconds)
        next = connection.receive(bytes.span, in: &context)
        goOn()
    }

    /// Has the answer that comes later say `text`.
    func finish(_ text: String, at milliseconds: Int64 = 0) {
        context.instant = Instant(unixSeconds: 0, monotonic: milliseconds)
        context.response.reset()
        context.response.body.append(text: text)
        next = connection.finish(in: &context)
        goOn()
    }

    private func goOn() {
        send()
        while next == .drain {
            drains += 1
            let nothing: [UInt8] = []
            next = connection.receive(nothing.span, in: &context)
            send()
        }
    }

    func receive(_ text: String, at milliseconds: Int64 = 0) { receive(octets(text)[...], at: milliseconds) }

    func expire(at milliseconds: Int64) {
        context.instant = Instant(unixSeconds: 0, monotonic: milliseconds)
        connection.expire(in: &context)
        send()
    }

    private func send() {
        sent += context.out.array
        context.out.reset()
    }
}

let continued = "HTTP/1.1 100 Continue\r\n\r\n"
