import Bytes
import CSystem
import HTTP
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One core's share of the server: its connections, its buffers. Nothing in it is shared but the listening sockets, the count of
/// connections and the wish to stop.
///
/// Everything but `stop` runs where the transport runs the loop: on one thread, or on one serial queue.
final class EventLoop {
    /// Milliseconds between two looks for clients whose time is over.
    static let sweepInterval: Int64 = 250

    /// The loop's own client of other servers.
    let clients: ClientPool
    let transport: any Transport
    /// Its index among the server's loops.
    let number: Int
    /// The server's loops, this one among them, by number; set before any of them runs.
    var siblings: [Sibling] = []
    var settings: Server.Settings
    let open: OpenConnections
    private let answers: LateAnswers
    let buffers: BufferedBytes
    private let isStopping = Atomic(false)
    private let hasSuccessor = Atomic(false)
    var listeners: [ListeningSocket]
    var channels: [ServerChannel?] = []
    var free: [Int] = []
    var alive = 0
    var generation: UInt64 = 0
    var context: ServerConnection.Context
    /// Connections that go on in the next pass although nothing is reported: TLS holds bytes of them, or others had their turn
    /// first.
    private var due: [UInt64] = []
    private var input = [UInt8](repeating: 0, count: 64 * 1024)
    var lastSweep: Int64 = 0
    var acceptsFrom: Int64?
    var stopDeadline: Int64?
    /// When connections that wait for a request are closed, once the loop has been asked to stop.
    var idleEnd: Int64?
    /// Listening sockets that are being closed.
    private var closing = 0

    /// A client that does not know yet that the server stops may be sending a request at this moment: its time to arrive.
    private static let idleGrace: Int64 = 300
    /// Microseconds that TCP's handshakes under way have then; nobody is served meanwhile.
    private static let handshakeGrace: UInt32 = 20_000

    // A connection's token has neither this bit nor `ClientPool.tokenBit`.
    static let listenerBit: UInt64 = 1 << 63
    /// Connections taken in one go, so that those who connect do not keep those who are connected waiting, and other loops get some.
    static let acceptBatch = 16

    /// What a loop is made of, and nobody shares.
    struct Part {
        let transport: any Transport
        let access: LoopAccess
        let handler: any RequestHandler
    }

    /// A loop of the same server; nil when it is gone.
    struct Sibling {
        weak let loop: EventLoop?
    }

    init(
        _ number: Int, _ part: Part, _ settings: Server.Settings, _ listeners: [ListeningSocket],
        _ buffers: BufferedBytes
    ) {
        self.number = number
        transport = part.transport
        clients = part.access.clients
        answers = part.access.answers
        self.settings = settings
        self.listeners = listeners
        self.open = part.access.connections
        self.buffers = buffers
        context = ServerConnection.Context(handler: part.handler, proxies: settings.proxies)
    }

    // Only a loop that never ran has any.
    deinit { for listener in listeners { systemClose(listener.descriptor) } }

    /// Serves until `stop`, and returns when all is finished.
    func run() {
        transport.run(self)
        clients.mailbox.close()
    }

    /// Has `work` run at the end of the loop's pass or in one of the next; from any thread. Dropped when the loop is over.
    func post(_ work: @escaping @Sendable () -> Void) { clients.mailbox.post(work) }

    /// Takes limits, proxies and identity of other settings, for those who connect from now on. On the loop's thread.
    func renew(_ settings: Server.Settings) {
        let earlier = self.settings.identity
        self.settings = settings
        // A loop that has served TLS never serves without it.
        self.settings.identity = settings.identity ?? earlier
        context.proxies = settings.proxies
        guard let earlier, self.settings.identity?.accepts(clientsOf: earlier) == false else { return }
        // A client that has shown a certificate, or is about to, must connect again and show it anew.
        for channel in channels {
            guard let channel, channel.isShakingHands || channel.connection.certificate != nil else { continue }
            channel.connection.isLast = true
        }
    }

    /// Asks the loop to take no more connections, to finish what it has, and to end; from any thread.
    /// - Parameter isSucceeded: whether another process has the listening sockets and goes on.
    func stop(succeeded isSucceeded: Bool = false) {
        if isSucceeded { hasSuccessor.store(true, ordering: .releasing) }
        isStopping.store(true, ordering: .releasing)
        transport.wake()
    }

    /// Whether it has been asked to stop; from any thread.
    var hasBeenStopped: Bool { isStopping.load(ordering: .acquiring) }

    /// Whether it has stopped and holds no socket, and nobody elsewhere waits for what it is asking other servers, or has
    /// waited long enough.
    var isFinished: Bool {
        guard let stopDeadline, alive == 0, closing == 0 else { return false }
        return !context.handler.isWaiting || context.instant.monotonic >= stopDeadline
    }

    /// Milliseconds that are left for ending; after `run`.
    var timeLeft: Int64 { stopDeadline.map { max(0, $0 - SystemClock.now().monotonic) } ?? 0 }

    /// Milliseconds that the transport may wait for an event; -1 for as long as it likes.
    var patience: Int32 {
        let (handler, now) = (context.handler, context.instant.monotonic)
        let isResting = alive == 0 && acceptsFrom == nil && clients.isEmpty && !handler.isWaiting
        guard let next = isResting ? handler.nextTick : now else { return -1 }
        return Int32(clamping: max(EventLoop.sweepInterval, max(next, now) - now))
    }

    // MARK: What the transport calls

    func opened() {
        watchListeners()
        // `stop` may have come before there was anything to wake.
        woken()
    }

    /// Runs `body` as one batch of events.
    func perform(_ body: () -> Void) {
        begin()
        body()
        end()
    }

    /// Before a batch of events: what time is it?
    func begin() {
        let instant = SystemClock.now()
        if instant.unixSeconds != context.instant.unixSeconds || context.date.isEmpty {
            context.date = HTTPDate.write(instant.unixSeconds)
        }
        context.instant = instant
    }

    /// After a batch of events: whose time is over, and whose answer has come?
    func end() {
        if context.instant.monotonic - lastSweep >= EventLoop.sweepInterval {
            lastSweep = context.instant.monotonic
            sweep()
        }
        // What has come meanwhile need not wait until the system tells of it.
        clients.mailbox.deliver()
        sendLateAnswers()
        context.handler.rest(since: context.instant)
        // Nobody is left for whom an exchange could still be made.
        if isFinished { clients.cancelAll() }
    }

    /// Whether it is to be told (`pause`) when there are no more events at once.
    var awaitsPause: Bool { context.handler.awaitsPause }

    func pause() { context.handler.pause() }

    func woken() {
        clients.mailbox.deliver()
        let tokens = due
        due = []
        for token in tokens { goOn(token) }
        guard hasBeenStopped, stopDeadline == nil else { return }
        stopDeadline = context.instant.monotonic + settings.limits.drainTimeout
        context.isLast = true
        // Exchanges go on, since requests under way may wait for them.
        clients.retire()
        idleEnd = context.instant.monotonic + min(EventLoop.idleGrace, settings.limits.drainTimeout)
        closing = listeners.count
        // A descriptor that is closed may be another's by now.
        let ending = listeners
        listeners = []
        if !hasSuccessor.load(ordering: .acquiring) {
            let areHeldOff = ending.map { $0.holdOff() }
            // Whose handshake has begun is still taken.
            if areHeldOff.contains(true) { usleep(EventLoop.handshakeGrace) }
        }
        for listener in ending {
            // Others have descriptors of it, so that closing this one does not end the reports.
            transport.rest(listener: listener.descriptor)
            // Connections that came before this are still served.
            transport.close(listener.descriptor) { @Sendable [self] in
                accept(from: listener, atMost: ListeningSocket.backlog)
                closing -= 1
            }
        }
    }

    /// - Parameter hasHungUp: whether the socket is broken.
    /// - Returns: whether bytes came from a client, so that there may be more.
    @discardableResult
    func readable(_ token: UInt64, hasHungUp: Bool = false) -> Bool {
        if token & EventLoop.listenerBit != 0 {
            let index = Int(token & ~EventLoop.listenerBit)
            if index < listeners.count { acceptBatch(from: listeners[index], token: token) }
        } else if token & ClientPool.tokenBit != 0 {
            return clients.readable(token)
        } else if let channel = channel(token) {
            // A hang-up is told even of a socket that waits to send, and is found there by sending.
            guard channel.unsent.isEmpty else {
                writable(token)
                return false
            }
            guard channel.next != .park, channel.next != .drain else {
                // It would be told again and again.
                if hasHungUp { close(channel) } else { wait(for: .nothing, channel) }
                return false
            }
            return read(channel)
        }
        return false
    }

    func writable(_ token: UInt64) {
        guard token & ClientPool.tokenBit == 0 else { return clients.writable(token) }
        guard let channel = channel(token), channel.interest == .write else { return }
        // TLS itself may want to send before it can read.
        guard !channel.unsent.isEmpty else {
            read(channel)
            return
        }
        switch channel.sendRest() {
        case .partial: break
        case .failed: close(channel)
        case .complete:
            context.out.reset()
            deliver(channel)
        }
    }

    // MARK: Connections

    /// - Returns: whether bytes came.
    @discardableResult
    func read(_ channel: ServerChannel) -> Bool {
        let isShakingHands = channel.isShakingHands
        let awaitsProxyHeader = channel.awaitsProxyHeader
        var room = input.mutableSpan
        let transfer = channel.receive(into: &room)
        if awaitsProxyHeader, !channel.awaitsProxyHeader {
            move(channel)
            guard !channel.isShakingHands || admitsHandshake(of: channel.connection.client) else {
                close(channel)
                return false
            }
        }
        if isShakingHands, !countHandshake(of: channel) { return false }
        if isShakingHands, !channel.isShakingHands {
            open.shookHands(true)
            if channel.connection.isLast {
                guard channel.connection.certificate == nil else {
                    close(channel)
                    return false
                }
                channel.connection.isLast = false
            }
        }
        switch transfer {
        case .moved(let count):
            // Read and forgotten, so that the refusal is not lost to a reset (RFC 9112 section 9.6).
            if channel.isLingering { return true }
            answer(input.span.extracting(0..<count), of: channel)
            deliver(channel)
            return true
        case .wait(let interest): wait(for: interest, channel)
        case .failed(.tls): lingerOn(channel)
        case .ended, .failed(.lost): close(channel)
        }
        return false
    }

    private func answer(_ bytes: Span<UInt8>, of channel: ServerChannel) {
        context.out.reset()
        channel.next = channel.connection.receive(bytes, in: &context)
        if let pending = channel.connection.pendingResponse { answers.expect(pending) }
    }

    /// Sends what the connection wrote, and goes on as it wants.
    func deliver(_ channel: ServerChannel) {
        switch channel.send(context.out.bytes, at: context.instant) {
        case .partial: wait(for: .write, channel)
        case .failed: close(channel)
        case .complete: proceed(channel)
        }
    }

    /// What was put off to this pass.
    private func goOn(_ token: UInt64) {
        guard let channel = channel(token), channel.unsent.isEmpty, channel.next == .drain else {
            return _ = readable(token)
        }
        answer(Span(), of: channel)
        deliver(channel)
    }

    private func putOff(_ channel: ServerChannel) {
        due.append(channel.token)
        transport.wake()
    }

    /// Everything is sent.
    private func proceed(_ channel: ServerChannel) {
        switch channel.next {
        case .close: close(channel)
        case .read: wait(for: .read, channel)
        case .drain:
            wait(for: .nothing, channel)
            putOff(channel)
        case .park:
            guard let answer = channel.lateAnswer else { return park(channel) }
            channel.lateAnswer = nil
            swap(&context.response, &answer.response)
            answers.reuse(answer)
            context.out.reset()
            channel.next = channel.connection.finish(in: &context)
            deliver(channel)
        case .linger: lingerOn(channel)
        }
    }

    /// Reads nothing until the answer has come. Few clients send more before that, so the socket is watched as before; one that
    /// does send is not watched from then on.
    private func park(_ channel: ServerChannel) {
        guard channel.interest == .write else { return _ = countBuffers(of: channel) }
        wait(for: .nothing, channel)
    }

    private func lingerOn(_ channel: ServerChannel) {
        channel.linger(from: context.instant)
        wait(for: .read, channel)
    }

    private func wait(for interest: Interest, _ channel: ServerChannel) {
        guard countBuffers(of: channel) else { return }
        if interest == .read, channel.hasMore { putOff(channel) }
        guard interest != channel.interest else { return }
        channel.interest = interest
        transport.change(channel.descriptor, token: channel.token, to: interest)
    }

    /// Sends what was finished, and goes on with the requests that waited behind it, which may get more finished.
    func sendLateAnswers() {
        var finished = answers.takeFinished()
        while !finished.isEmpty {
            for answer in finished {
                guard let channel = channel(answer.pending.connection),
                    channel.connection.pendingResponse == answer.pending
                else {
                    continue
                }
                channel.lateAnswer = answer
                if channel.unsent.isEmpty { proceed(channel) } else { countBuffers(of: channel) }
            }
            finished = answers.takeFinished()
        }
    }

    func close(_ channel: ServerChannel) {
        let slot = index(of: channel)
        guard channels[slot] === channel else { return }
        channels[slot] = nil
        free.append(slot)
        alive -= 1
        if channel.isShakingHands { open.shookHands(false) }
        if channel.isHandshakeWasted { wasteHandshake(of: channel) }
        side(of: channel).leave(id(of: channel), of: channel.network)
        forgetBuffers(of: channel)
        forgetHandshake(of: channel)
        channel.finish()
        transport.close(channel.descriptor)
        abandon(channel)
    }

    func abandon(_ channel: ServerChannel) {
        guard let pending = channel.connection.pendingResponse, answers.abandon(pending) else { return }
        context.handler.abandon(pending)
    }

    private func index(of channel: ServerChannel) -> Int { Int(channel.token & 0xFFFF_FFFF) }

    /// The channel of an event, unless it was closed while the event was on its way.
    func channel(_ token: UInt64) -> ServerChannel? {
        let slot = Int(token & 0xFFFF_FFFF)
        guard slot < channels.count, let channel = channels[slot], channel.token == token else { return nil }
        return channel
    }
}

// Unsafe: confined to its transport's thread or queue; `stop` touches an atomic and the transport's own wake-up only.
extension EventLoop: @unchecked Sendable {}
