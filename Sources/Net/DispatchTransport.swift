import Dispatch

/// Readiness by Dispatch: a source for each socket, all on the loop's serial queue.
final class DispatchTransport: Transport {
    private let queue = DispatchQueue(label: "countersign.loop", qos: .userInitiated)
    private let finished = DispatchSemaphore(value: 0)
    /// The sockets that Dispatch has not let go of.
    private let held = DispatchGroup()
    // Touched on the queue only.
    private var loop: EventLoop?
    private var watched: [Int32: WatchedSocket] = [:]

    func watch(_ descriptor: Int32, token: UInt64) -> Bool {
        watched[descriptor] = WatchedSocket(
            descriptor, token, queue, held,
            readable: { @Sendable [self] in
                perform { loop in
                    // Dispatch tells of a hang-up once, however much is still to be read before it.
                    let hasEnded = watched[descriptor]?.hasEnded ?? true
                    while loop.readable(token), hasEnded {}
                }
            },
            writable: { @Sendable [self] in perform { $0.writable(token) } })
        return true
    }

    func change(_ descriptor: Int32, token: UInt64, to interest: Interest) {
        watched[descriptor]?.wait(for: interest)
    }

    func watch(listener descriptor: Int32, token: UInt64) {
        if let socket = watched[descriptor] { socket.wait(for: .read) } else { _ = watch(descriptor, token: token) }
    }

    func rest(listener descriptor: Int32) { watched[descriptor]?.wait(for: .nothing) }

    func close(_ descriptor: Int32, last: @escaping @Sendable () -> Void) {
        watched.removeValue(forKey: descriptor)?.close { @Sendable [self] in perform { _ in last() } }
    }

    func wake() {
        queue.async { [self] in perform { $0.woken() } }
    }

    func run(_ loop: EventLoop) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = DispatchTimeInterval.milliseconds(Int(EventLoop.sweepInterval))
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(50))
        timer.setEventHandler { @Sendable [self] in
            perform { loop in
                // Linux: Dispatch never reports a socket that was reset while it began to be waited for to send; to send
                // finds that out. Of one for which nothing is waited for it reports nothing anywhere.
                for socket in watched.values {
                    if socket.isWriting {
                        loop.writable(socket.token)
                    } else if socket.isResting, ClientSocket.error(of: socket.descriptor) != 0 {
                        loop.readable(socket.token, hasHungUp: true)
                    }
                }
            }
        }
        timer.activate()
        queue.sync {
            self.loop = loop
            perform { $0.opened() }
        }
        finished.wait()
        timer.cancel()
        held.wait()
    }

    /// Runs `body` as one batch of events. After the last one nothing leads from here to the loop any more.
    private func perform(_ body: (EventLoop) -> Void) {
        guard let loop else { return }
        loop.perform { body(loop) }
        // What else there is to do, Dispatch does not tell.
        if loop.awaitsPause { loop.pause() }
        guard loop.isFinished else { return }
        self.loop = nil
        finished.signal()
    }
}

// Unsafe: all state is confined to the serial queue.
extension DispatchTransport: @unchecked Sendable {}

/// The Dispatch sources of one socket.
private final class WatchedSocket {
    let token: UInt64
    let descriptor: Int32
    private let queue: DispatchQueue
    private let held: DispatchGroup
    /// Both sources, until Dispatch has let go of the descriptor.
    private let release = DispatchGroup()
    private let reads: any DispatchSourceRead
    private let writes: any DispatchSourceWrite
    private var isReading = true
    private(set) var isWriting = false

    /// - Parameter held: left when the descriptor is closed.
    init(
        _ descriptor: Int32, _ token: UInt64, _ queue: DispatchQueue, _ held: DispatchGroup,
        readable: @escaping @Sendable () -> Void, writable: @escaping @Sendable () -> Void
    ) {
        self.token = token
        reads = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        writes = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        reads.setEventHandler(handler: readable)
        writes.setEventHandler(handler: writable)
        self.descriptor = descriptor
        self.queue = queue
        self.held = held
        release.enter()
        release.enter()
        let release = release
        reads.setCancelHandler { @Sendable in release.leave() }
        writes.setCancelHandler { @Sendable in release.leave() }
        held.enter()
        reads.resume()
    }

    /// Whether nothing is waited for.
    var isResting: Bool { !isReading && !isWriting }

    /// Whether no bytes were waiting when Dispatch saw that it could be read; known while that is handled.
    var hasEnded: Bool { reads.data == 0 }

    func wait(for interest: Interest) {
        set(&isReading, to: interest == .read, reads)
        set(&isWriting, to: interest == .write, writes)
    }

    /// - Parameter last: runs right before the descriptor is closed.
    func close(last: @escaping @Sendable () -> Void) {
        // A descriptor may be closed only when Dispatch has let go of it in both sources.
        release.notify(queue: queue) { @Sendable [descriptor, held] in
            last()
            systemClose(descriptor)
            held.leave()
        }
        // A suspended source never reports its cancellation, so both run for their last moment.
        reads.cancel()
        writes.cancel()
        if !isReading { reads.resume() }
        if !isWriting { writes.resume() }
    }

    private func set(_ state: inout Bool, to wanted: Bool, _ source: any DispatchSourceProtocol) {
        guard state != wanted else { return }
        state = wanted
        if wanted { source.resume() } else { source.suspend() }
    }
}
