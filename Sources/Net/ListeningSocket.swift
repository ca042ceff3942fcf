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

/// Sockets that take connections for one address: one for each event loop, among which the kernel spreads them. A Unix socket is
/// one, of which each loop has a descriptor; of those that were handed over there may be more than loops, or fewer of which
/// several loops have a descriptor.
struct ListeningSocket {
    // Unsafe: options are locals that the system reads or writes within the call.

    let descriptor: Int32
    let address: SocketAddress
    /// The place of its address among those that the server listens on.
    let index: Int
    /// Whether whoever started the process may hold it, too.
    var isShared = false

    /// Connections that may wait to be taken.
    static let backlog = 4096

    /// Opens `count` sockets on the same address; all or none.
    static func open(
        _ address: SocketAddress, index: Int, count: Int
    ) throws(ListenError) -> [ListeningSocket] {
        guard address.path == nil else { return try openLocal(address, index: index, count: count) }
        // SO_REUSEPORT would let a second service of the same user take half of the connections; a first try without it
        // finds that out.
        if address.port != 0 { systemClose(try bind(address, sharing: false)) }
        var sockets: [ListeningSocket] = []
        do throws(ListenError) {
            for _ in 0..<count {
                let descriptor = try bind(sockets.first?.address ?? address, sharing: true)
                guard listen(descriptor, Int32(backlog)) == 0, let bound = SocketAddress(boundBy: descriptor) else {
                    let reason = systemMessage()
                    systemClose(descriptor)
                    throw ListenError(address: address, reason: reason)
                }
                sockets.append(ListeningSocket(descriptor: descriptor, address: bound, index: index))
            }
        } catch {
            for socket in sockets { systemClose(socket.descriptor) }
            throw error
        }
        return sockets
    }

    /// Takes those of an address out of what was handed over by whoever started the process.
    /// - Returns: at least `count`, or none.
    static func take(
        _ address: SocketAddress, index: Int, count: Int, from handed: inout [Int32]
    ) throws(ListenError) -> [ListeningSocket] {
        var sockets: [ListeningSocket] = []
        for descriptor in handed {
            guard let bound = SocketAddress(boundBy: descriptor), address.equals(bound) else { continue }
            sockets.append(ListeningSocket(descriptor: descriptor, address: bound, index: index, isShared: true))
        }
        let own = sockets
        handed.removeAll { descriptor in own.contains { $0.descriptor == descriptor } }
        do throws(ListenError) {
            for socket in own { try prepare(socket) }
            for place in 0..<(own.isEmpty ? 0 : max(0, count - own.count)) {
                let copy = fcntl(own[place % own.count].descriptor, F_DUPFD_CLOEXEC, 0)
                guard copy >= 0 else { throw ListenError(address: address, reason: systemMessage()) }
                sockets.append(
                    ListeningSocket(descriptor: copy, address: own[0].address, index: index, isShared: true))
            }
        } catch {
            for socket in sockets { systemClose(socket.descriptor) }
            throw error
        }
        return sockets
    }

    /// What `SocketFile` has made, as often as there are loops.
    private static func openLocal(
        _ address: SocketAddress, index: Int, count: Int
    ) throws(ListenError) -> [ListeningSocket] {
        let descriptor = try socket(for: address)
        var sockets = [ListeningSocket(descriptor: descriptor, address: address, index: index)]
        do throws(ListenError) {
            try SocketFile.bind(descriptor, to: address)
            guard listen(descriptor, Int32(backlog)) == 0 else {
                throw ListenError(address: address, reason: systemMessage())
            }
            for _ in 1..<max(1, count) {
                let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                guard copy >= 0 else { throw ListenError(address: address, reason: systemMessage()) }
                sockets.append(ListeningSocket(descriptor: copy, address: address, index: index))
            }
        } catch {
            for socket in sockets { systemClose(socket.descriptor) }
            throw error
        }
        return sockets
    }

    /// Before the last are taken and it is closed: whoever came in between would be reset. A socket that others hold must go on.
    /// - Returns: whether nobody comes any more but those whose handshake has begun.
    func holdOff() -> Bool { !isShared && address.path == nil && cs_hold_off(descriptor) == 0 }

    /// What sockets that are opened here have from the beginning.
    private static func prepare(_ socket: ListeningSocket) throws(ListenError) {
        var on: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(socket.descriptor, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) == 0, on != 0 else {
            throw ListenError(address: socket.address, reason: "the socket that was handed over does not listen")
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

    private static func bind(_ address: SocketAddress, sharing: Bool) throws(ListenError) -> Int32 {
        let descriptor = try socket(for: address)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if sharing { unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, size) }
        if address.family == AF_INET6 { unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        // Accepted sockets inherit it: an answer leaves at once instead of waiting for the client's acknowledgement.
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        // Likewise: of what a client does not take, the system keeps no more than this.
        var unsent: Int32 = 128 * 1024
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsent, size)
        let result = systemBind(descriptor, to: address)
        guard result == 0 else {
            let reason = errno == EADDRINUSE ? "another process listens there" : systemMessage()
            systemClose(descriptor)
            throw ListenError(address: address, reason: reason)
        }
        return descriptor
    }
}
