import Access
import Bytes
import Configuration
import HTTP
import Providers

/// Operations of the service that every provider has: a row takes a line.
extension Row {
    /// The policy's decision about an ask.
    static func deciding(_ name: String, _ route: String, _ query: String, apiKey: String? = nil) -> Row {
        Row(name) { bench in
            let policy = try bench.fixture().configuration.policy
            let caller = try bench.fixture().caller(apiKey)
            let asked = try Asked(route, query)
            return {
                switch policy.decide(asked.ask, on: asked.route, by: caller, at: Fixture.now, in: &bench.policy) {
                case .permitted(let permit): permit.end(in: &bench.policy)
                case .denied(let denial): throw RowError("\(denial)")
                }
            }
        }
    }

    /// What a provider does to issue what a permit is for.
    static func issuing(_ name: String, _ route: String, _ query: String) -> Row {
        Row(name) { bench in
            let permitted = try bench.fixture().permitted(route, query)
            let grant = permitted.permit.grant
            let key = try bench.fixture().key(of: grant)
            guard let issuer = try bench.fixture().configuration.issuers[grant.index].signer else {
                throw RowError("\(route) signs nothing")
            }
            return {
                bench.out.reset()
                try issuer.issue(
                    permitted.asked.ask, under: permitted.permit, with: key, at: Fixture.now, into: &bench.out,
                    using: &bench.scratch)
            }
        }
    }

    /// All that happens to a request whose head has been read, up to the answer; without the head's own writing.
    /// - Parameter at: the moments of the requests, in turn.
    static func answering(
        _ name: String, _ request: String, status: Int = 200, at instants: [Instant] = [Fixture.now],
        _ prepare: @escaping @Sendable (Workbench) throws -> Void = { _ in }
    ) -> Row {
        Row(name) { bench in
            try prepare(bench)
            let handler = try bench.fixture().handler
            let bytes = Array(text: request)
            guard let head = try RequestParser(limits: Limits()).parse(bytes.span) else {
                throw RowError("the request has no end")
            }
            let pending = PendingResponse(connection: 0, number: 0)
            var turn = 0
            return {
                let request = Request(
                    head, in: bytes.span, body: bytes.span.extracting(head.length..<bytes.count), listener: 0)
                turn = turn + 1 == instants.count ? 0 : turn + 1
                bench.response.reset()
                let answering = handler.respond(to: request, as: pending, at: instants[turn], into: &bench.response)
                guard case .done = answering, bench.response.status == status else {
                    throw RowError("answered \(bench.response.status): \(bench.response.body.array.text)")
                }
            }
        }
    }

    /// All that a request costs beside the system's calls: its bytes in, the answer's bytes out.
    static func serving(
        _ name: String, _ request: String, _ prepare: @escaping @Sendable (Workbench) throws -> Void = { _ in }
    ) -> Row {
        Row(name) { bench in
            try prepare(bench)
            let line = Line(to: try bench.fixture().handler)
            let bytes = Array(text: request)
            return { try line.send(bytes) }
        }
    }

    /// A connection without a socket.
    private final class Line {
        private var connection = ServerConnection(limits: Limits(), at: Fixture.now)
        private var context: ServerConnection.Context

        init(to handler: any RequestHandler) {
            context = ServerConnection.Context(handler: handler)
            context.instant = Fixture.now
            context.date = HTTPDate.write(Fixture.seconds)
        }

        func send(_ bytes: [UInt8]) throws {
            context.out.reset()
            guard connection.receive(bytes.span, in: &context) == .read,
                context.out.bytes.begins(with: "HTTP/1.1 200 ")
            else { throw RowError(context.out.array.text) }
        }
    }
}
