import HTTP
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The HTTP server: an event loop with its own thread for each worker, and a descriptor of every listening socket.
package final class Server: Sendable {
    /// An address that is listened on, and for whom.
    package struct Listener: Sendable {
        package let address: SocketAddress
        /// Whether it is for those who run the server: it has connections of its own, so that they get in when everybody
        /// else has taken all that there are.
        package var isReserved = false
        /// Whether clients speak plain HTTP here, whatever the server shows elsewhere.
        package var isPlain = false

        package init(_ address: SocketAddress) { self.address = address }
    }

    package struct Settings: Sendable {
        package var listeners: [Listener]
        /// The number of event loops, at least one.
        package var workers: Int
        package var transport = TransportKind.standard
        package var limits = Limits()
        /// The connections that may be open at once at listeners that are reserved.
        package var reservedConnections = Limits.reservedConnections
        /// Descriptors of listening sockets that another process has opened; each must be of one of the addresses.
        package var handed: [Int32] = []
        /// The proxies that are believed when they name a client.
        package var proxies = TrustedProxies.none
        /// Whether these proxies begin their connections with the PROXY protocol.
        package var usesProxyProtocol = false
        /// The certificate that clients are shown; nil without TLS.
        package var identity: TLSIdentity?

        package init(addresses: [SocketAddress], workers: Int) {
            listeners = addresses.map { Listener($0) }
            self.workers = workers
        }
    }

    /// The addresses it listens on, with the ports that the system chose where none was given.
    package let addresses: [SocketAddress]
    /// One descriptor of each listening socket, open until it stops.
    package let sockets: [Int32]
    private let loops: [EventLoop]
    /// Files of the Unix sockets that this process has opened; the process that opened another removes its file.
    private let files: [SocketFile]
    /// Whether another process goes on listening by these files.
    private let leavesFiles = Atomic(false)

    package enum Failure: Error, CustomStringConvertible {
        case listening(ListenError)
        case transport(TransportError)
        case handler(any Error)

        package var description: String {
            switch self {
            case .listening(let error): error.description
            case .transport(let error): error.reason
            case .handler(let error): "\(error)"
            }
        }
    }

    package convenience init(_ settings: Settings, makeHandler: () throws -> any RequestHandler) throws(Failure) {
        try self.init(settings, resolver: Resolver()) { _ in try makeHandler() }
    }

    /// Opens the listening sockets; clients can connect from now on, and are answered by `run`.
    /// - Parameters:
    ///   - resolver: finds the addresses of the servers that handlers ask.
    ///   - makeHandler: called once for each loop, before any thread is started.
    package init(
        _ settings: Settings, resolver: Resolver, makeHandler: (LoopAccess) throws -> any RequestHandler
    ) throws(Failure) {
        let workers = max(1, settings.workers)
        let open = OpenConnections()
        var parts: [EventLoop.Part] = []
        for _ in 0..<workers {
            let transport: any Transport
            do throws(TransportError) { transport = try settings.transport.make() } catch { throw .transport(error) }
            let clients = ClientPool(transport, Mailbox(waking: transport), resolver)
            let access = LoopAccess(clients, open)
            do {
                parts.append(EventLoop.Part(transport: transport, access: access, handler: try makeHandler(access)))
            } catch { throw .handler(error) }
        }
        // The sockets come last, so that nothing can fail and leave them open.
        var sockets: [[ListeningSocket]] = []
        var handed = settings.handed
        var files: [SocketFile] = []
        do throws(ListenError) {
            for (index, listener) in settings.listeners.enumerated() {
                let taken = try ListeningSocket.take(listener.address, index: index, count: workers, from: &handed)
                guard taken.isEmpty else {
                    sockets.append(taken)
                    continue
                }
                sockets.append(try ListeningSocket.open(listener.address, index: index, count: workers))
                if let file = SocketFile(listener.address) { files.append(file) }
            }
            if let address = handed.lazy.compactMap({ SocketAddress(boundBy: $0) }).first {
                throw ListenError(
                    address: address, reason: "a socket of it was handed over, and it is not to be listened on")
            }
        } catch {
            for socket in sockets.joined() { systemClose(socket.descriptor) }
            for file in files { file.remove() }
            throw .listening(error)
        }
        addresses = sockets.compactMap { $0.first?.address }
        self.sockets = sockets.joined().filter { !$0.isCopy }.map(\.descriptor)
        self.files = files
        let buffers = BufferedBytes()
        loops = parts.enumerated().map { worker, part in
            EventLoop(
                worker, part, settings,
                sockets.flatMap { sockets in
                    // Of those that were handed over there may be more than loops.
                    stride(from: worker, to: sockets.count, by: workers).map { sockets[$0] }
                }, buffers)
        }
        for loop in loops { loop.siblings = loops.map { EventLoop.Sibling(loop: $0) } }
    }

    /// Answers clients, each loop on a thread of its own, and returns after `stop` when all is finished.
    /// - Parameter whenServing: called when every loop has its thread, on the calling one.
    package func run(_ whenServing: () -> Void = {}) {
        var threads: [SystemThread] = []
        for loop in loops.dropFirst() {
            if let thread = SystemThread({ loop.run() }) {
                threads.append(thread)
            } else {
                // No thread for it: it must not be told of connections that nobody answers. The others go on.
                loop.stop(succeeded: true)
                loop.run()
            }
        }
        whenServing()
        loops.first?.run()
        for thread in threads { thread.join() }
        removeFiles()
    }

    /// Whether it has been told to stop.
    package var isStopping: Bool { loops.contains { $0.hasBeenStopped } }

    /// Milliseconds that are left of `drainTimeout`; after `run`.
    package var timeLeft: Int64 { loops.map(\.timeLeft).min() ?? 0 }

    // Of a server that never ran, too.
    deinit { removeFiles() }

    private func removeFiles() {
        guard !leavesFiles.load(ordering: .acquiring) else { return }
        for file in files { file.remove() }
    }

    /// Has other limits, and shows another identity if there is one, for those who connect from now on; connections that there
    /// are keep theirs, but those with a certificate of the client's end soon where others judge such certificates. Addresses, workers and transport stay. From any thread.
    package func renew(_ settings: Settings) {
        for loop in loops { loop.post { [loop] in loop.renew(settings) } }
    }

    /// Takes no more connections, lets the requests under way finish within `drainTimeout`, and ends; from any thread.
    /// - Parameter isSucceeded: whether another process has the listening sockets and goes on.
    package func stop(succeeded isSucceeded: Bool = false) {
        if isSucceeded { leavesFiles.store(true, ordering: .releasing) }
        for loop in loops { loop.stop(succeeded: isSucceeded) }
    }
}
