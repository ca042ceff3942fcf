import CSystem

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why a listening socket could not be opened.
package struct ListenError: Error, CustomStringConvertible {
    let address: SocketAddress
    let reason: String
    package var description: String { "cannot listen on \(address): \(reason)" }
}

/// A socket that takes connections for one address. Every event loop has a descriptor of it. The process that
/// started this one may have handed over more sockets of one address than there are loops.
struct ListeningSocket {
    // Unsafe: options are locals that the system reads or writes within the call.

    let descriptor: Int32
    let address: SocketAddress
    /// The index of its address among those that the server listens on.
    let index: Int
    /// Whether the process that started this one may hold it, too.
    let isShared: Bool
    /// Whether another descriptor of the same socket is the first one.
    private(set) var isCopy = false

    /// Connections that may wait to be taken.
    static let backlog = 4096

    private init(_ descriptor: Int32, _ address: SocketAddress, index: Int, isShared: Bool = false) {
        self.descriptor = descriptor
        self.address = address
        self.index = index
        self.isShared = isShared
    }

    /// Opens one socket, and has `count` descriptors of it; all or none. The socket has no SO_REUSEPORT: with that, any process of
    /// the same user could bind the same port at any later time, and would get a share of the connections. To clear the option
    /// after `listen` does not help, since Linux remembers it with the port.
    static func open(
        _ address: SocketAddress, index: Int, count: Int
    ) throws(ListenError) -> [ListeningSocket] {
        let descriptor = try socket(for: address)
        do throws(ListenError) {
            if address.path == nil {
                try bind(descriptor, to: address)
            } else {
                try SocketFile.bind(descriptor, to: address)
            }
            guard listen(descriptor, Int32(backlog)) == 0 else { throw refusal(of: address) }
            let bound = address.path == nil ? SocketAddress(boundBy: descriptor) : address
            guard let bound else { throw ListenError(address: address, reason: systemMessage()) }
            return try spread([ListeningSocket(descriptor, bound, index: index)], over: count)
        } catch {
            systemClose(descriptor)
            throw error
        }
    }

    /// Takes the sockets of an address out of those that were handed over when the process was started.
    /// - Returns: at least `count`, or none.
    static func take(
        _ address: SocketAddress, index: Int, count: Int, from handed: inout [Int32]
    ) throws(ListenError) -> [ListeningSocket] {
        var own: [ListeningSocket] = []
        for descriptor in handed {
            guard let bound = SocketAddress(boundBy: descriptor), address.equals(bound) else { continue }
            own.append(ListeningSocket(descriptor, bound, index: index, isShared: true))
        }
        handed.removeAll { descriptor in own.contains { $0.descriptor == descriptor } }
        do throws(ListenError) {
            for socket in own { try prepare(socket) }
            return try spread(own, over: count)
        } catch {
            for socket in own { systemClose(socket.descriptor) }
            throw error
        }
    }

    /// Copies descriptors until there is one for each of `count` loops. A failure leaves `sockets` open, and no copy.
    private static func spread(
        _ sockets: [ListeningSocket], over count: Int
    ) throws(ListenError) -> [ListeningSocket] {
        guard !sockets.isEmpty else { return [] }
        var all = sockets
        while all.count < count {
            var copy = sockets[all.count % sockets.count]
            let descriptor = fcntl(copy.descriptor, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else {
                let reason = systemMessage()
                for socket in all where socket.isCopy { systemClose(socket.descriptor) }
                throw ListenError(address: copy.address, reason: reason)
            }
            copy = ListeningSocket(descriptor, copy.address, index: copy.index, isShared: copy.isShared)
            copy.isCopy = true
            all.append(copy)
        }
        return all
    }

    /// Takes no new connections before the socket is closed: a client that connected in between would be reset. A socket that
    /// other processes hold must go on.
    /// - Returns: whether only clients whose handshake has begun can still connect.
    func holdOff() -> Bool { !isShared && address.path == nil && cs_hold_off(descriptor) == 0 }

    /// What sockets that are opened here have from the beginning.
    private static func prepare(_ socket: ListeningSocket) throws(ListenError) {
        var on: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(socket.descriptor, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) == 0, on != 0 else {
            throw ListenError(address: socket.address, reason: "the socket that was handed over does not listen")
        }
        guard !isOpenToOthers(socket.descriptor) else {
            throw ListenError(
                address: socket.address,
                reason: "the socket that was handed over has SO_REUSEPORT, and another process of this user could take "
                    + "its connections; open it without SO_REUSEPORT, or as another user")
        }
        _ = fcntl(socket.descriptor, F_SETFL, fcntl(socket.descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC)
        if socket.address.path == nil {
            unsafe setsockopt(socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        }
    }

    /// A socket of the address's family that never waits.
    private static func socket(for address: SocketAddress) throws(ListenError) -> Int32 {
        let descriptor = systemSocket(address.family)
        guard descriptor >= 0 else { throw ListenError(address: address, reason: systemMessage()) }
        return descriptor
    }

    /// Whether another process of this process's user could bind the same port: it needs SO_REUSEPORT on both sockets, and the
    /// same user for both.
    private static func isOpenToOthers(_ descriptor: Int32) -> Bool {
        var isReusable: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        var info = stat()
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &isReusable, &size) == 0, isReusable != 0 else {
            return false
        }
        return unsafe fstat(descriptor, &info) != 0 || info.st_uid == geteuid()
    }

    private static func bind(_ descriptor: Int32, to address: SocketAddress) throws(ListenError) {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if address.family == AF_INET6 { unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        // Accepted sockets inherit it: an answer leaves at once instead of waiting for the client's acknowledgement.
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        // Likewise: of what a client does not take, the system keeps no more than this.
        var unsent: Int32 = 128 * 1024
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsent, size)
        guard systemBind(descriptor, to: address) == 0 else { throw refusal(of: address) }
    }

    /// Why the system does not let the process have an address; `errno` says it.
    private static func refusal(of address: SocketAddress) -> ListenError {
        ListenError(address: address, reason: errno == EADDRINUSE ? "another process listens there" : systemMessage())
    }
}
