import Access
import Bytes
import Configuration
import Gateway
import HTTP
import Net
import Telemetry

/// One request of a caller that the command line names, answered by the pipeline of a service that listens nowhere.
final class SingleRequest {
    struct Answer {
        private let fieldLines: [UInt8]
        let body: [UInt8]

        init(_ response: borrowing Response) {
            fieldLines = response.fieldLines.array
            body = response.body.array
        }

        /// The answer to a caller that could not be identified.
        init(_ refusal: Refusal) {
            var response = Response()
            refusal.write(into: &response, requestID: Span())
            self.init(response)
        }

        /// The members of its JSON object.
        var members: [JSONMember] {
            guard let value = try? JSONReader.read(body, as: .json), case .object(let members) = value.content else {
                return []
            }
            return members
        }

        /// What a field line says; nil where there is none.
        func field(_ name: String) -> String? {
            for line in fieldLines.text.split(separator: "\r\n") where line.hasPrefix(name + ": ") {
                return String(line.dropFirst(name.utf8.count + 2))
            }
            return nil
        }
    }

    private let head: [UInt8]
    private let body: [UInt8]
    private let caller: Caller
    private let method: IssuingMethod
    /// The address that it seems to come from.
    var client = ClientAddress.none
    /// Whether Redis must know of what it makes.
    var isCounted = false
    private let pending = PendingResponse(connection: 0, number: 1)
    private var handler: LoopHandler?
    private var server: Server?
    private var audit: SharedAudit?
    private var cluster: ClusterMember?
    private var log: LogWriter?
    private var answer: Answer?

    /// - Parameter host: what the service is called by.
    init(
        _ parameters: [(name: [UInt8], value: [UInt8])], of host: String, from caller: Caller, on method: IssuingMethod
    ) {
        var form = ByteWriter()
        for (name, value) in parameters {
            if !form.isEmpty { form.append("&") }
            Percent.encode(name.span, into: &form)
            form.append("=")
            Percent.encode(value.span, into: &form)
        }
        body = form.array
        head = Array(
            text: "POST \(method.path.text) HTTP/1.1\r\nHost: \(host)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\n\r\n")
        self.caller = caller
        self.method = method
    }

    /// Why it could not even be asked.
    struct Failure: Error {
        let reason: String
    }

    /// Asks, and waits for the answer; nobody waits longer than the vendors are waited for.
    func send(to configuration: Configuration) throws(Failure) -> Answer {
        do { server = try makeServer(configuration) } catch {
            throw Failure(reason: "\(error)")
        }
        defer { cluster?.stop() }
        try cluster.map(SingleRequest.join)
        server?.run()
        server = nil
        log?.flush(within: SingleRequest.lastWords)
        guard audit?.close(within: SingleRequest.patience) ?? true else {
            throw Failure(reason: "the audit cannot be written")
        }
        guard let answer else {
            throw Failure(reason: "no request can be made; --host must be a host, and optionally a port")
        }
        return answer
    }

    /// Milliseconds that the disk has for what comes last, and Redis to be heard.
    private static let patience: Int64 = 5000
    /// Milliseconds that the log has to be written.
    private static let lastWords = 1000

    private func makeServer(_ configuration: Configuration) throws -> Server {
        var making = Snapshot.Settings()
        making.areBelieved = false
        // It says, on standard error, why a vendor gave nothing.
        making.log = Log.Settings(level: .warning, format: .text)
        let snapshot = try Snapshot(configuration, making)
        log = snapshot.log.writer
        audit = configuration.audit.map { SharedAudit($0, snapshot.log, by: "command") }
        let identities = configuration.rates.identities
        if isCounted {
            // It has no audit and no brakes to tell: those are the replica's of this name.
            cluster = try configuration.cluster.map { settings in
                try ClusterMember(settings, identities: identities, auditing: nil, braking: nil, snapshot.log)
            }
        }
        let shared =
            cluster.map { ProcessResources(Metrics(), auditing: audit, among: $0) }
            ?? ProcessResources(RateLimiter(identities: identities), Metrics(), auditing: audit)
        var settings = Server.Settings(addresses: [], workers: 1)
        settings.limits.drainTimeout = 0
        let server = try Server(settings, resolver: Resolver()) { loop in
            let handler = try LoopHandler(snapshot, shared, loop)
            self.handler = handler
            let answers = loop.answers
            loop.clients.mailbox.post { self.begin(answers) }
            return handler
        }
        try audit?.open()
        return server
    }

    /// Waits until Redis is heard.
    private static func join(_ cluster: ClusterMember) throws(Failure) {
        do { try cluster.start() } catch { throw Failure(reason: "\(error)") }
        guard let bell = Bell() else { throw Failure(reason: "the system has no pipe") }
        let end = SystemClock.now().monotonic + patience
        while !cluster.standing.isHeard {
            let now = SystemClock.now().monotonic
            guard now < end else {
                throw Failure(reason: "Redis counts the uses, and is not heard: \(cluster.standing.fault ?? "")")
            }
            bell.wait(until: now + 10)
        }
    }

    private func begin(_ answers: LateAnswers) {
        var response = Response()
        let (head, body) = (head, body)
        guard let handler, let parsed = try? RequestParser(limits: Limits()).parse(head.span) else {
            server?.stop()
            return
        }
        let request = Request(parsed, in: head.span, body: body.span, client: client)
        let answering = handler.run(
            method, of: caller, by: request, as: pending, at: SystemClock.now(), into: &response)
        switch answering {
        case .done: finish(with: response)
        case .later: answers.expect(pending) { [self] response in finish(with: response) }
        }
    }

    private func finish(with response: borrowing Response) {
        answer = Answer(response)
        server?.stop()
    }
}

// Unsafe: confined to the loop's thread while the loop runs.
extension SingleRequest: @unchecked Sendable {}
