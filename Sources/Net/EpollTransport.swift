#if os(Linux) && !DISPATCH_ONLY
    import CSystem
    import Glibc

    /// Readiness by epoll: one system call for a batch of events, and none per request.
    final class EpollTransport: Transport {
        // Unsafe: the system reads and writes locals of the known size within the call.

        private let epoll: Int32
        private let wakeup: Int32
        private static let wakeToken = UInt64.max
        private static let batch = 256

        init() throws(TransportError) {
            epoll = cs_epoll_create()
            wakeup = cs_eventfd()
            // Every wake-up is told once, so that nobody has to read the counter; it has room for all that there can be.
            let events = EPOLLIN.rawValue | EPOLLET.rawValue
            guard epoll >= 0, wakeup >= 0, control(EPOLL_CTL_ADD, wakeup, events, EpollTransport.wakeToken) else {
                throw TransportError(reason: "cannot make an event loop: \(systemMessage())")
            }
        }

        deinit {
            systemClose(epoll)
            systemClose(wakeup)
        }

        func watch(_ descriptor: Int32, token: UInt64) -> Bool {
            control(EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue, token)
        }

        func change(_ descriptor: Int32, token: UInt64, to interest: Interest) {
            let events: UInt32 =
                switch interest {
                case .read: EPOLLIN.rawValue
                case .write: EPOLLOUT.rawValue
                case .nothing: 0
                }
            // It cannot fail for a descriptor that is being watched.
            _ = control(EPOLL_CTL_MOD, descriptor, events, token)
        }

        /// Of all loops that wait, the system wakes the one whose descriptor was added first (EPOLLEXCLUSIVE).
        func watch(listener descriptor: Int32, token: UInt64) {
            _ = control(EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue, token)
        }

        /// EPOLL_CTL_MOD is not for what was added with EPOLLEXCLUSIVE.
        func rest(listener descriptor: Int32) { _ = control(EPOLL_CTL_DEL, descriptor, 0, 0) }

        /// Without this, one loop would get all connections for as long as it keeps up with them.
        func giveWay(listener descriptor: Int32, token: UInt64) {
            rest(listener: descriptor)
            watch(listener: descriptor, token: token)
        }

        /// Closing takes the descriptor out of the epoll set, since no other process holds it.
        func close(_ descriptor: Int32, last: @escaping @Sendable () -> Void) {
            last()
            systemClose(descriptor)
        }

        func wake() { eventfd_write(wakeup, 1) }

        func run(_ loop: EventLoop) {
            loop.perform { loop.opened() }
            var events = unsafe [epoll_event](repeating: epoll_event(), count: EpollTransport.batch)
            while !loop.isFinished {
                let awaitsPause = loop.awaitsPause
                let patience = awaitsPause ? 0 : loop.patience
                let count = unsafe epoll_wait(epoll, &events, Int32(EpollTransport.batch), patience)
                if awaitsPause, count == 0 {
                    loop.pause()
                    continue
                }
                loop.begin()
                for index in 0..<max(0, Int(count)) {
                    let event = unsafe events[index]
                    if unsafe event.data.u64 == EpollTransport.wakeToken {
                        loop.woken()
                    } else if unsafe event.events & ~EPOLLOUT.rawValue != 0 {
                        // Errors and hang-ups are told whatever is waited for, and are found by reading.
                        let hangUp = EPOLLERR.rawValue | EPOLLHUP.rawValue
                        unsafe loop.readable(event.data.u64, hasHungUp: event.events & hangUp != 0)
                    } else {
                        unsafe loop.writable(event.data.u64)
                    }
                }
                loop.end()
            }
        }

        private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ token: UInt64) -> Bool {
            cs_epoll_control(epoll, operation, descriptor, events, token) == 0
        }
    }
#endif
