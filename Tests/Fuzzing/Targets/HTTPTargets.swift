import Bytes
import HTTP

extension FuzzTarget {
    /// However the bytes are cut, the same requests are found in them, and the same answers given.
    static let request = FuzzTarget(name: "request") { bytes in
        // What is wrong with a line need not be told before its end has come.
        let ended = bytes + [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        let conversations = cuts(of: ended).map { pieces in
            let conversation = Conversation()
            for piece in pieces { conversation.receive(piece) }
            return conversation
        }
        for other in conversations.dropFirst() {
            try require(
                conversations[0].isSame(as: other), "\(conversations[0].handler.events), or \(other.handler.events)")
        }
        try require(conversations[0].handler.errors <= 1, "more than one error is answered")
    }

    /// However the bytes are cut, the same answer is read from them.
    static let response = FuzzTarget(name: "response") { bytes in
        let isHead = bytes.first == UInt8(ascii: "h")
        let answer = isHead ? Array(bytes.dropFirst()) : bytes
        let outcomes = cuts(of: answer).map { ResponseOutcome($0, isHead: isHead) }
        for other in outcomes.dropFirst() { try require(outcomes[0] == other, "\(outcomes[0]), or \(other)") }
    }

    /// However the bytes are cut, the same content is taken from them, and as many.
    static let chunks = FuzzTarget(name: "chunks") { bytes in
        let outcomes = cuts(of: bytes).map { ChunkOutcome($0) }
        for other in outcomes.dropFirst() { try require(outcomes[0] == other, "\(outcomes[0]), or \(other)") }
        try require(outcomes[0].content.count <= ChunkOutcome.limits.body, "more content than the limit")
    }
}

/// Writes down what it is asked, and answers with a number.
private final class Recorder: RequestHandler {
    private(set) var events: [[UInt8]] = []
    private(set) var errors = 0

    func respond(
        to request: borrowing Request, as pending: PendingResponse, at instant: Instant, into response: inout Response
    ) -> Answering {
        events.append(
            request.path.array + request.query.array + request.authority.array + request.fieldLines.array
                + request.body.array)
        response.body.append(decimal: events.count)
        return .done
    }

    func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool { false }

    func respond(
        to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
        into response: inout Response
    ) {
        errors += 1
        response.status = 400
        response.add("X-Reason", error.reason)
    }
}

/// A connection, and its owner who sends what is written.
private final class Conversation {
    let handler = Recorder()
    private var sent: [UInt8] = []
    private var next = ServerConnection.Next.read
    private var connection: ServerConnection
    private var context: ServerConnection.Context

    init() {
        var limits = Limits()
        limits.requestLine = 256
        limits.headers = 1024
        limits.headerCount = 16
        limits.body = 512
        context = ServerConnection.Context(handler: handler)
        context.date = Array("Fri, 15 Jan 2027 08:00:00 GMT".utf8)
        connection = ServerConnection(limits: limits, at: context.instant)
    }

    func receive(_ bytes: ArraySlice<UInt8>) {
        guard !isOver else { return }
        next = connection.receive(bytes.span, in: &context)
        send()
        while next == .drain {
            let nothing: [UInt8] = []
            next = connection.receive(nothing.span, in: &context)
            send()
        }
    }

    private func send() {
        sent += context.out.array
        context.out.reset()
    }

    private var isOver: Bool { next == .close || next == .linger }

    /// Interim answers depend on where a request was cut, and so does whether more came behind the last one.
    func isSame(as other: Conversation) -> Bool {
        handler.events == other.handler.events && handler.errors == other.handler.errors && isOver == other.isOver
            && Conversation.final(sent) == Conversation.final(other.sent)
    }

    private static func final(_ text: [UInt8]) -> String {
        String(decoding: text, as: UTF8.self).split(
            separator: "HTTP/1.1 100 Continue\r\n\r\n", omittingEmptySubsequences: false
        ).joined()
    }
}

private struct ResponseOutcome: Equatable {
    private var status = 0
    private var fields: [[UInt8]] = []
    private var body: [UInt8] = []
    private var keepsAlive = false
    private var fault: ResponseReader.Fault.Kind?

    init(_ pieces: [ArraySlice<UInt8>], isHead: Bool) {
        var reader = ResponseReader(limit: 512, isHead: isHead)
        do throws(ResponseReader.Fault) {
            for piece in pieces { try reader.receive(piece.span) }
            try reader.close()
        } catch {
            fault = error.kind
            return
        }
        (status, body, keepsAlive) = (reader.status, reader.body, reader.keepsAlive)
        fields = reader.fields.flatMap { [$0.name, $0.value] }
    }
}

private struct ChunkOutcome: Equatable {
    static let limits = {
        var limits = Limits()
        limits.body = 512
        return limits
    }()

    private(set) var content: [UInt8] = []
    private var taken = 0
    private var isDone = false
    private var error: RequestError.Kind?

    init(_ pieces: [ArraySlice<UInt8>]) {
        var decoder = ChunkDecoder()
        var pending: [UInt8] = []
        do throws(RequestError) {
            for piece in pieces {
                pending += piece
                let used = try decoder.advance(over: pending.span, limits: ChunkOutcome.limits)
                pending.removeFirst(used)
                taken += used
            }
        } catch {
            self.error = error.kind
            taken = 0
            return
        }
        (content, isDone) = (decoder.content, decoder.isDone)
    }
}
