import HTTP

/// One connection to another server, from looking for the address to the close; it serves one exchange after another.
///
/// Its pool tells it when the socket is ready and what time it is, and each time it goes as far as it can without waiting.
/// Events that come for nothing do no harm.
final class ClientConnection {
    enum Step {
        /// Nothing more can be done before the socket is ready.
        case waiting
        case answered(ExchangeAnswer, isReusable: Bool)
        /// The connection is of no use any more.
        case failed(ExchangeError)
    }

    /// An exchange, and what its caller is called back by.
    struct PendingExchange {
        let number: UInt64
        let exchange: Exchange
        let completion: (Result<ExchangeAnswer, ExchangeError>) -> Void
        /// Whether a kept connection has failed it already.
        var isRetry = false
    }

    private enum Stage { case resolving, connecting, handshaking, sending, receiving, idle }

    /// How it goes on within one call.
    private enum Progress { case onward, pause(Interest), over(Step) }

    let token: UInt64
    let origin: Origin
    /// The exchange that is under way; nil while idle.
    private(set) var pending: PendingExchange?
    /// The address that it is connected to.
    private(set) var address: SocketAddress?
    /// Whether the last call of `advance` brought bytes, so that there may be more.
    private(set) var hasReceived = false

    private let transport: any Transport
    private let resumption: TLSResumption?
    private var stage = Stage.resolving
    private var stream: SocketStream?
    private var interest = Interest.read
    private var addresses: ArraySlice<SocketAddress> = []
    /// Why the first address did not do; the system puts the best one first.
    private var failure: String?
    /// Of several addresses each has its share of the time.
    private var addressDeadline = Int64.max
    private var idleDeadline = Int64.max
    private var reader = ResponseReader(limit: 0)
    private var sent = 0
    private var isReused = false
    private var hasAnswerBegun = false

    /// Reads of one event, so that a peer that sends much does not keep the others waiting.
    private static let readBatch = 8

    init(
        _ origin: Origin, _ pending: PendingExchange, token: UInt64, over transport: any Transport,
        resuming: TLSResumption?
    ) {
        self.origin = origin
        self.pending = pending
        self.token = token
        self.transport = transport
        resumption = resuming
    }

    var isResolving: Bool { if case .resolving = stage { true } else { false } }

    /// Monotonic milliseconds at which `expire` is due.
    var deadline: Int64 {
        switch stage {
        case .idle: idleDeadline
        case .connecting: min(addressDeadline, pending?.exchange.deadline ?? 0)
        case .resolving, .handshaking, .sending, .receiving: pending?.exchange.deadline ?? 0
        }
    }

    /// Whether an exchange that failed so may be tried on another connection: only when this one had been kept, and nothing
    /// of an answer came, so that the peer has most likely closed it before it saw the request.
    func mayBeRetried(after error: ExchangeError) -> Bool {
        guard isReused, !hasAnswerBegun, let pending, !pending.isRetry, pending.exchange.isRepeatable else {
            return false
        }
        return switch error {
        case .closed, .tls: true
        default: false
        }
    }

    /// Its address was found, or given.
    func connect(to addresses: [SocketAddress], at now: Int64, _ input: inout [UInt8]) -> Step {
        self.addresses = addresses[...]
        return connectNext(at: now, after: nil, &input)
    }

    /// Takes another exchange, when idle.
    func send(_ pending: PendingExchange, at now: Int64, _ input: inout [UInt8]) -> Step {
        self.pending = pending
        isReused = true
        beginSending()
        return advance(at: now, &input)
    }

    /// The pool keeps it until `deadline`, or until the peer closes it.
    func rest(until deadline: Int64) {
        pending = nil
        stage = .idle
        idleDeadline = deadline
        reader = ResponseReader(limit: 0)
        want(.read)
    }

    /// What a later connection with the same origin can begin with.
    var remainder: TLSResumption? { stream?.resumption }

    /// Its deadline has passed.
    func expire(at now: Int64, _ input: inout [UInt8]) -> Step {
        if case .connecting = stage, let pending, now < pending.exchange.deadline, !addresses.isEmpty {
            return connectNext(at: now, after: "no answer in time", &input)
        }
        return .failed(.timeout(phase))
    }

    /// Gives the socket back; the pending exchange, if any, is its pool's to complete.
    func close() {
        guard let stream else { return }
        stream.finish()
        self.stream = nil
        transport.close(stream.descriptor)
    }

    // MARK: Steps

    /// Goes as far as it can.
    func advance(at now: Int64, _ input: inout [UInt8]) -> Step {
        hasReceived = false
        while true {
            if let pending, now >= pending.exchange.deadline { return .failed(.timeout(phase)) }
            let progress =
                switch stage {
                case .resolving: Progress.over(.waiting)
                case .connecting: finishConnecting(at: now, &input)
                case .handshaking: shakeHands()
                case .sending: sendMore()
                case .receiving: receiveMore(&input)
                case .idle: noticeEnd(&input)
                }
            switch progress {
            case .onward: break
            case .pause(let interest):
                want(interest)
                return .waiting
            case .over(let step): return step
            }
        }
    }

    private var phase: ExchangeError.Phase {
        switch stage {
        case .resolving: .resolving
        case .connecting: .connecting
        case .handshaking: .handshaking
        case .sending: .sending
        case .receiving, .idle: hasAnswerBegun ? .receiving : .waiting
        }
    }

    private func connectNext(at now: Int64, after reason: String?, _ input: inout [UInt8]) -> Step {
        abandonSocket()
        stage = .connecting
        failure = failure ?? reason
        while let next = addresses.popFirst() {
            guard let pending, now < pending.exchange.deadline else { return .failed(.timeout(.connecting)) }
            addressDeadline = now + (pending.exchange.deadline - now) / Int64(addresses.count + 1)
            do throws(ClientSocket.Failure) {
                let descriptor = try ClientSocket.open(next)
                guard transport.watch(descriptor, token: token) else {
                    failure = failure ?? systemMessage()
                    systemClose(descriptor)
                    continue
                }
                stream = SocketStream(descriptor)
                interest = .read
                address = next
                return advance(at: now, &input)
            } catch {
                failure = failure ?? error.reason
            }
        }
        return .failed(.connect(reason: failure ?? "the host has no address"))
    }

    private func abandonSocket() {
        guard let stream else { return }
        self.stream = nil
        transport.close(stream.descriptor)
    }

    private func finishConnecting(at now: Int64, _ input: inout [UInt8]) -> Progress {
        guard let descriptor = stream?.descriptor else { return .over(.waiting) }
        do throws(ClientSocket.Failure) {
            guard try ClientSocket.isConnected(descriptor) else { return .pause(.write) }
        } catch {
            return .over(connectNext(at: now, after: error.reason, &input))
        }
        guard let trust = origin.trust else {
            beginSending()
            return .onward
        }
        guard let session = TLSSession(origin, trust, descriptor, resuming: resumption, at: now) else {
            return .over(.failed(.tls(.failed(reason: "OpenSSL cannot begin a session"))))
        }
        stream?.secure(with: session)
        stage = .handshaking
        return .onward
    }

    private func shakeHands() -> Progress {
        guard let stream else { return .over(.waiting) }
        stream.beginTurn()
        switch stream.handshake() {
        case .moved:
            beginSending()
            return .onward
        case .wait(let interest): return .pause(interest)
        case .ended: return .over(.failed(.closed(.handshaking)))
        case .failed(let fault): return .over(.failed(error(fault)))
        }
    }

    private func beginSending() {
        guard let exchange = pending?.exchange else { return }
        stage = .sending
        sent = 0
        hasAnswerBegun = false
        reader = ResponseReader(limit: exchange.answerLimit, isHead: exchange.isHead)
    }

    private func sendMore() -> Progress {
        guard let stream, let request = pending?.exchange.request else { return .over(.waiting) }
        while sent < request.count {
            switch stream.write(request.span.extracting(sent...)) {
            case .moved(let count): sent += count
            case .wait(let interest): return .pause(interest)
            case .ended: return .over(.failed(.closed(.sending)))
            case .failed(let fault): return .over(.failed(error(fault)))
            }
        }
        stage = .receiving
        return .onward
    }

    private func receiveMore(_ input: inout [UInt8]) -> Progress {
        guard let stream else { return .over(.waiting) }
        for _ in 0..<ClientConnection.readBatch {
            do throws(ResponseReader.Fault) {
                switch stream.read(into: &input) {
                case .moved(let count):
                    hasReceived = true
                    hasAnswerBegun = true
                    try reader.receive(input.span.extracting(0..<count))
                    if reader.isComplete { return .over(.answered(answer(), isReusable: reader.keepsAlive)) }
                case .ended:
                    try reader.close()
                    return .over(.answered(answer(), isReusable: false))
                case .wait(let interest): return .pause(interest)
                case .failed(let fault): return .over(.failed(error(fault)))
                }
            } catch {
                return .over(.failed(self.error(error)))
            }
        }
        return .pause(.read)
    }

    /// An idle connection has nothing to say but its end; TLS has messages of its own.
    private func noticeEnd(_ input: inout [UInt8]) -> Progress {
        guard let stream else { return .over(.failed(.closed(.waiting))) }
        if case .wait(let interest) = stream.read(into: &input) {
            return .pause(interest)
        }
        return .over(.failed(.closed(.waiting)))
    }

    private func answer() -> ExchangeAnswer {
        ExchangeAnswer(status: reader.status, fields: reader.fields, body: reader.body)
    }

    private func error(_ fault: StreamFault) -> ExchangeError {
        switch fault {
        case .lost: .closed(phase)
        case .tls(let fault): .tls(fault)
        }
    }

    private func error(_ fault: ResponseReader.Fault) -> ExchangeError {
        switch fault.kind {
        case .endedEarly: .closed(phase)
        case .tooLarge: .tooLarge(reason: fault.reason.description)
        case .malformed: .malformed(reason: fault.reason.description)
        }
    }

    private func want(_ interest: Interest) {
        guard interest != self.interest, let stream else { return }
        self.interest = interest
        transport.change(stream.descriptor, token: token, to: interest)
    }
}
