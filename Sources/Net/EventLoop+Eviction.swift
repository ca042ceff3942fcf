import Bytes
import HTTP

/// How connections, their handshakes and what they hold are counted by the addresses of their clients, and ended when all together have more than they may.
extension EventLoop {
    /// Connections that are looked at, after the first, for one that has made no progress since it was counted and is of no use.
    private static let displacements = 8
    /// Milliseconds in which a usual client has sent its request, and taken its answer.
    private static let usualTime: Int64 = 2000

    /// What its connections are counted with.
    func side(of channel: ServerChannel) -> OpenConnections.Group {
        open.side(reserved: settings.listeners[channel.connection.listener].isReserved)
    }

    func id(of channel: ServerChannel) -> ConnectionID { ConnectionID(loop: number, token: channel.token) }

    // MARK: Bytes

    /// Counts what a connection holds by now, and ends those that have to give it up.
    /// - Returns: whether it is none of them.
    @discardableResult
    func countBuffers(of channel: ServerChannel) -> Bool {
        let held = channel.held
        guard held > settings.limits.connectionBuffer else {
            forgetBuffers(of: channel)
            return true
        }
        let share = AddressShares.Share(amount: held, progress: channel.connection.progress)
        if let counted = channel.counted, counted.amount == held, counted.progress == share.progress { return true }
        channel.counted = share
        let victims = buffers.count(share, of: id(of: channel), at: channel.network, below: settings.limits.buffers)
        for victim in victims { giveUpBuffers(victim) }
        return !victims.contains { $0.id == id(of: channel) }
    }

    func forgetBuffers(of channel: ServerChannel) {
        guard channel.counted != nil else { return }
        channel.counted = nil
        buffers.forget(id(of: channel), at: channel.network)
    }

    private func giveUpBuffers(_ victim: AddressShares.Victim) {
        onLoop(of: victim.id) { loop in
            // It may be over by now, or hold little again.
            guard let channel = loop.channel(victim.id.token), channel.held > loop.settings.limits.connectionBuffer
            else {
                return
            }
            loop.open.countEndedBuffer()
            loop.refuse(channel, because: "the server holds as many unfinished requests as it may")
        }
    }

    // MARK: Handshakes

    /// Counts a handshake that has begun, until it is over, and ends those that have to make room.
    /// - Returns: whether it is none of them.
    func countHandshake(of channel: ServerChannel) -> Bool {
        // Before the proxy has named the client, no handshake can have begun.
        guard channel.isShakingHands, !channel.awaitsProxyHeader else {
            forgetHandshake(of: channel)
            return true
        }
        guard !channel.isHandshakeCounted else { return true }
        channel.isHandshakeCounted = true
        let victim = open.beginHandshake(
            id(of: channel), of: channel.network, at: context.instant.monotonic, below: settings.limits.handshakes)
        guard let victim else { return true }
        onLoop(of: victim.id) { loop in
            guard let channel = loop.channel(victim.id.token), channel.isShakingHands else { return }
            loop.open.countEndedHandshake()
            loop.close(channel)
        }
        return victim.id != id(of: channel)
    }

    /// Whether a client may begin a handshake. A trusted proxy speaks for others.
    func admitsHandshake(of client: ClientAddress) -> Bool {
        settings.proxies.contains(client) || context.handler.admitsHandshake(of: client, at: context.instant)
    }

    /// A handshake was for nothing.
    func wasteHandshake(of channel: ServerChannel) {
        let client = channel.connection.client
        guard !settings.listeners[channel.connection.listener].isReserved, !settings.proxies.contains(client) else {
            return
        }
        context.handler.wasteHandshake(of: client, at: context.instant)
    }

    func forgetHandshake(of channel: ServerChannel) {
        guard channel.isHandshakeCounted else { return }
        channel.isHandshakeCounted = false
        open.endHandshake(id(of: channel), of: channel.network)
    }

    // MARK: Room for connections

    /// Ends a connection to make room for another address, or has another end that has made no progress for longer. Where
    /// none is found that may end, the newcomer ends.
    /// - Parameters:
    ///   - newcomer: the connection that room is made for.
    ///   - isForced: whether one has to end, be it of use or not.
    ///   - tries: how many more may be looked at.
    func displace(
        _ victim: AddressShares.Victim, for newcomer: ConnectionID, isForced: Bool, tries: Int = displacements
    ) {
        onLoop(of: victim.id) { loop in
            guard let channel = loop.channel(victim.id.token) else { return }
            let side = loop.side(of: channel)
            let mayEnd = isForced || victim.id != newcomer && loop.isDispensable(channel)
            // One that is of use counts as if it made progress now, so that the next look is at another.
            let progress = mayEnd ? channel.connection.progress : loop.context.instant.monotonic
            if mayEnd, tries == 0 || progress <= victim.progress {
                side.countDisplaced()
                loop.makeRoom(by: channel)
            } else if tries > 0, victim.id != newcomer {
                let next = side.spare(victim.id, of: channel.network, since: progress)
                if let next { loop.displace(next, for: newcomer, isForced: isForced, tries: tries - 1) }
            } else {
                side.restore(victim.id, of: channel.network, since: progress)
                loop.turnAway(newcomer)
            }
        }
    }

    /// Ends a connection that has come last, and for which no room was found.
    private func turnAway(_ newcomer: ConnectionID) {
        onLoop(of: newcomer) { loop in
            guard let channel = loop.channel(newcomer.token) else { return }
            loop.side(of: channel).countRefused()
            loop.turnAway(channel)
        }
    }

    /// Whether a connection is of no use at present: it waits for a request, or for longer than a usual client takes for the
    /// rest of one, or for an answer to be taken.
    private func isDispensable(_ channel: ServerChannel) -> Bool {
        let rest = context.instant.monotonic - channel.connection.progress
        // An idle connection that has only just been accepted, or answered, is kept.
        if channel.isIdle { return rest > 0 }
        return channel.isLingering || rest >= EventLoop.usualTime && channel.connection.pendingResponse == nil
    }

    /// Ends a connection at once.
    private func makeRoom(by channel: ServerChannel) {
        // What has arrived and was not read yet is still answered.
        if channel.isIdle { read(channel) }
        guard self.channel(channel.token) === channel else { return }
        if channel.isIdle { close(channel) } else { turnAway(channel) }
    }

    /// Ends a connection at once, and says why if the client can be told.
    private func turnAway(_ channel: ServerChannel) {
        refuse(channel, because: "the server has as many connections as it may")
        // To close while the request lies unread would be a reset, which can cost the client the answer.
        if self.channel(channel.token) === channel { read(channel) }
        close(channel)
    }

    /// Has a connection count for whom its proxy has named.
    func move(_ channel: ServerChannel) {
        let proxy = channel.network
        forgetBuffers(of: channel)
        forgetHandshake(of: channel)
        channel.adoptNetwork()
        guard channel.network != proxy else { return }
        side(of: channel).move(
            id(of: channel), from: proxy, to: channel.network, since: channel.connection.progress)
    }

    /// Ends a connection, and says why if the client can be told.
    func refuse(_ channel: ServerChannel, because reason: StaticString) {
        guard channel.unsent.isEmpty, !channel.isLingering, !channel.isShakingHands else { return cutOff(channel) }
        abandon(channel)
        context.out.reset()
        channel.connection.refuse(RequestError(.overloaded, reason), in: &context)
        channel.next = .linger
        deliver(channel)
    }

    /// Answers that the client has not taken yet are thrown away.
    func cutOff(_ channel: ServerChannel) {
        channel.renounce()
        close(channel)
    }

    /// Has `body` run on the loop that has the connection: at once if it is this one, else soon.
    private func onLoop(of id: ConnectionID, _ body: @escaping @Sendable (EventLoop) -> Void) {
        guard id.loop != number else { return body(self) }
        guard siblings.indices.contains(id.loop), let loop = siblings[id.loop].loop else { return }
        loop.post { body(loop) }
    }
}
