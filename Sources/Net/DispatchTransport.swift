import Dispatch

/// Readiness by Dispatch: a source for each socket, all on the loop's serial queue.
final class DispatchTransport: Transport {
    private let queue = DispatchQueue(label: "countersign.loop", qos: .userInitiated)
    private let finished = DispatchSemaphore(value: 0)
    // Touched on the queue only, but for `run`, which sets the loop before anything is watched.
    private var loop: EventLoop?
    private var watched: [Int32: WatchedSocket] = [:]
    private var timer: (any DispatchSourceTimer)?

    func watch(_ descriptor: Int32, token: UInt64) -> Bool {
        guard let loop else { return false }
        watched[descriptor] = WatchedSocket(descriptor, token, queue, loop)
        return true
    }

    func change(_ descriptor: Int32, token: UInt64, to interest: Interest) {
        watched[descriptor]?.interest = interest
    }

    func close(_ descriptor: Int32) {
        watched.removeValue(forKey: descriptor)?.close()
    }

    func wake() {
        queue.async { [self] in
            guard let loop else { return }
            loop.perform { loop.woken() }
            stopIfFinished(loop)
        }
    }

    func run(_ loop: EventLoop) {
        queue.sync {
            self.loop = loop
            loop.perform { loop.opened() }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let interval = DispatchTimeInterval.milliseconds(Int(EventLoop.sweepInterval))
            timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(50))
            timer.setEventHandler { @Sendable [self] in
                loop.perform {}
                stopIfFinished(loop)
            }
            timer.resume()
            self.timer = timer
        }
        finished.wait()
        queue.sync {
            self.timer?.cancel()
            self.loop = nil
        }
    }

    private func stopIfFinished(_ loop: EventLoop) {
        guard loop.isFinished, timer?.isCancelled == false else { return }
        timer?.cancel()
        finished.signal()
    }
}

// All state is confined to the serial queue.
extension DispatchTransport: @unchecked Sendable {}

/// The Dispatch sources of one socket.
private final class WatchedSocket {
    private let descriptor: Int32
    private let reads: any DispatchSourceRead
    private let writes: any DispatchSourceWrite
    private var isReading = true
    private var isWriting = false

    init(_ descriptor: Int32, _ token: UInt64, _ queue: DispatchQueue, _ loop: EventLoop) {
        self.descriptor = descriptor
        reads = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        writes = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        reads.setEventHandler { @Sendable in loop.perform { loop.readable(token) } }
        writes.setEventHandler { @Sendable in loop.perform { loop.writable(token) } }
        // A descriptor may be closed only when Dispatch has let go of it in both sources.
        let release = DispatchGroup()
        release.enter()
        release.enter()
        reads.setCancelHandler { @Sendable in release.leave() }
        writes.setCancelHandler { @Sendable in release.leave() }
        release.notify(queue: queue) { @Sendable in systemClose(descriptor) }
        reads.resume()
    }

    var interest: Interest {
        get { isReading ? .read : isWriting ? .write : .nothing }
        set {
            set(&isReading, to: newValue == .read, reads)
            set(&isWriting, to: newValue == .write, writes)
        }
    }

    /// A suspended source never reports its cancellation, so both run for their last moment.
    func close() {
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
