/// The way an event loop learns which sockets are ready. It is chosen at start and is all that differs between systems.
/// `allCases` are those of this one.
package enum TransportKind: String, Sendable, CaseIterable {
    /// Linux: one `epoll_wait` for a batch of events, nothing per connection.
    case epoll
    /// A Dispatch source for each socket: everywhere that Dispatch is.
    case dispatch

    #if os(Linux) && !DISPATCH_ONLY
        package static let standard = TransportKind.epoll
        package static let allCases: [TransportKind] = [.epoll, .dispatch]
    #else
        package static let standard = TransportKind.dispatch
        package static let allCases: [TransportKind] = [.dispatch]
    #endif

    func make() throws(TransportError) -> any Transport {
        switch self {
        case .epoll:
            #if os(Linux) && !DISPATCH_ONLY
                return try EpollTransport()
            #else
                throw TransportError(reason: "there is no epoll here; use the transport \"dispatch\"")
            #endif
        case .dispatch: return DispatchTransport()
        }
    }
}

package struct TransportError: Error {
    package let reason: String
}

/// What a socket is waited for.
enum Interest { case read, write, nothing }

/// The seam between an event loop and the system. All but `wake` is called on the loop's own thread or queue, and that is
/// where it calls the loop. A socket that breaks is reported even if nothing is waited for; with Dispatch, some time later.
protocol Transport: AnyObject {
    /// Begins to report `descriptor` to the loop as `token`, level-triggered, while it can be read.
    func watch(_ descriptor: Int32, token: UInt64) -> Bool
    func change(_ descriptor: Int32, token: UInt64, to interest: Interest)
    /// Begins to report a listening socket, of which other loops have descriptors, while connections wait; or goes on after `rest`.
    func watch(listener descriptor: Int32, token: UInt64)
    /// Ends the reports of a listening socket.
    func rest(listener descriptor: Int32)
    /// Lets the other loops be told of the next connections first, where the system tells one loop alone.
    func giveWay(listener descriptor: Int32, token: UInt64)
    /// Stops reporting, then closes; `last` runs right before that, which may be later.
    func close(_ descriptor: Int32, last: @escaping @Sendable () -> Void)
    /// Has `loop.woken` called soon; from any thread.
    func wake()
    /// Drives the loop until it says that it is finished.
    func run(_ loop: EventLoop)
}

extension Transport {
    func close(_ descriptor: Int32) { close(descriptor) {} }

    func giveWay(listener descriptor: Int32, token: UInt64) {}
}
