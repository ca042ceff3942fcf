import Bytes
import CSystem
import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How connections are taken.
extension EventLoop {
    /// Takes those who wait, and leaves the next to other loops.
    func acceptBatch(from listener: ListeningSocket, token: UInt64) {
        accept(from: listener, atMost: EventLoop.acceptBatch)
        if settings.workers > 1, acceptsFrom == nil { transport.giveWay(listener: listener.descriptor, token: token) }
    }

    func accept(from listener: ListeningSocket, atMost limit: Int) {
        for _ in 0..<limit {
            var address = InlineArray<16, UInt8>(repeating: 0)
            let descriptor = accept(from: listener.descriptor, &address)
            if descriptor >= 0 {
                take(descriptor, from: listener, by: listener.address.path == nil ? ClientAddress(address) : .none)
            } else if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
                pauseAccepting()
                return
            } else if errno != EINTR && errno != ECONNABORTED {
                return
            }
        }
    }

    /// - Parameter address: gets the client's.
    /// - Returns: the connection's socket; negative and errno when there is none.
    private func accept(from listener: Int32, _ address: inout InlineArray<16, UInt8>) -> Int32 {
        var address = address.mutableSpan
        // Unsafe: it writes 16 bytes, and only within the call.
        return unsafe address.withUnsafeMutableBufferPointer { unsafe cs_accept(listener, $0.baseAddress) }
    }

    private func take(_ descriptor: Int32, from listener: ListeningSocket, by client: ClientAddress) {
        let endpoint = settings.listeners[listener.index]
        let identity = endpoint.isPlain ? nil : settings.identity
        guard identity == nil || endpoint.isReserved || admitsHandshake(of: client) else {
            systemClose(descriptor)
            return
        }
        let limit = endpoint.isReserved ? settings.reservedConnections : settings.limits.connections
        let slot = free.last ?? channels.count
        generation = (generation + 1) & 0x3FFF_FFFF
        let token = generation << 32 | UInt64(slot)
        let id = ConnectionID(loop: number, token: token)
        let entry = open.side(reserved: endpoint.isReserved).enter(
            id, of: client.network, at: context.instant.monotonic, below: limit)
        guard entry != .refused else {
            turnAway(descriptor, isPlain: identity == nil)
            return
        }
        if slot == channels.count { channels.append(nil) } else { free.removeLast() }
        let session = identity.flatMap { TLSSession($0, descriptor, settings.limits) }
        let channel = ServerChannel(
            SocketStream(descriptor, session), token: token, limits: settings.limits, at: context.instant,
            listener: listener.index, client: client)
        if settings.usesProxyProtocol, !endpoint.isReserved, settings.proxies.contains(client) {
            channel.expectProxyHeader(until: context.instant.monotonic + settings.limits.headerTimeout)
        }
        channels[slot] = channel
        alive += 1
        // A client that expects TLS must not get plain HTTP.
        let isPrepared = identity == nil || session != nil
        if !transport.watch(descriptor, token: token) || !isPrepared { close(channel) }
        switch entry {
        case .displacing(let victim): displace(victim, for: id, isForced: true)
        case .replacing(let victim): displace(victim, for: id, isForced: false)
        case .accepted, .refused: break
        }
    }

    /// Out of descriptors or memory: a level-triggered listener would be reported for ever, so it rests for a while.
    private func pauseAccepting() {
        acceptsFrom = context.instant.monotonic + EventLoop.sweepInterval
        for listener in listeners { transport.rest(listener: listener.descriptor) }
    }

    func watchListeners() {
        for (index, listener) in listeners.enumerated() {
            transport.watch(listener: listener.descriptor, token: EventLoop.listenerBit | UInt64(index))
        }
    }

    /// Without TLS the client is told why; to shake hands for that would cost more than to serve it.
    private func turnAway(_ descriptor: Int32, isPlain: Bool) {
        defer { systemClose(descriptor) }
        if isPlain { ServerChannel.turnAway(descriptor, settings.limits, in: &context) }
    }
}
