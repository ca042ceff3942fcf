import Bytes
import HTTP

/// How connections, their handshakes and what they hold are counted by the addresses of their clients, and ended when all together have more than they may.
extension EventLoop {
    /// Connections that are looked at for one that has made no progress since it was counted, before one is ended that has.
    private static let displacements = 8
    /// Milliseconds in which a usual client has sent its request, and taken its answer.
    private static let usualTime: Int64 = 2000

    func isReserved(_ channel: ServerChannel) -> Bool { settings.listeners[channel.connection.listener].isReserved }

    func id(of channel: ServerChannel) -> ConnectionID { ConnectionID(loop: number, token: channel.token) }

    // MARK: Bytes

    /// Counts what a connection holds by now, and ends those that have to give it up.
    /// - Returns: whether it is none of them.
    @discardableResult
    func countBuffers(of channel: ServerChannel) -> Bool {
        let held = channel.held
        guard held > settings.connectionBuffer else {
            forgetBuffers(of: channel)
            return true
        }
        guard held != channel.counted else { return true }
        channel.counted = held
        let share = AddressShares.Share(amount: held, progress: channel.connection.progress)
        let victims = buffers.count(share, of: id(of: channel), at: channel.network, below: settings.buffers)
        for victim in victims { giveUpBuffers(victim) }
        return !victims.contains { $0.id == id(of: channel) }
    }

    func forgetBuffers(of channel: ServerChannel) {
        guard channel.counted > 0 else { return }
        channel.counted = 0
        buffers.forget(id(of: channel), at: channel.network)
    }

    private func giveUpBuffers(_ victim: AddressShares.Victim) {
        onLoop(of: victim) { loop in
            // It may be over by now, or hold little again.
            guard let channel = loop.channel(victim.id.token), channel.held > loop.settings.connectionBuffer else {
                return
            }
            loop.refuse(channel, because: "the server holds as many unfinished requests as it may")
        }
    }

    // MARK: Handshakes

    /// Counts a handshake that has begun, until it is over, and ends those that have to make room.
    /// - Returns: whether it is none of them.
    func countHandshake(of channel: ServerChannel) -> Bool {
        guard channel.isShakingHands else {
            forgetHandshake(of: channel)
            return true
        }
        guard !channel.isHandshakeCounted else { return true }
        channel.isHandshakeCounted = true
        let victim = open.beginHandshake(
            id(of: channel), of: channel.network, at: context.instant.monotonic, below: settings.handshakes)
        guard let victim else { return true }
        onLoop(of: victim) { loop in
            guard let channel = loop.channel(victim.id.token), channel.isShakingHands else { return }
            loop.close(channel)
        }
        return victim.id != id(of: channel)
    }

    func forgetHandshake(of channel: ServerChannel) {
        guard channel.isHandshakeCounted else { return }
        channel.isHandshakeCounted = false
        open.endHandshake(id(of: channel), of: channel.network)
    }

    // MARK: Places

    /// Ends a connection so that another address has its place, or another connection that has made no progress for longer.
    /// - Parameters:
    ///   - isForced: whether one has to end, be it of use or not.
    ///   - tries: how many more may be looked at.
    func displace(_ victim: AddressShares.Victim, isForced: Bool, tries: Int = displacements) {
        onLoop(of: victim) { loop in
            guard let channel = loop.channel(victim.id.token) else { return }
            let (progress, isReserved) = (channel.connection.progress, loop.isReserved(channel))
            let mayEnd = isForced || loop.isDispensable(channel)
            if tries > 0, progress > victim.progress || !mayEnd {
                let next = loop.open.spare(victim.id, of: channel.network, since: progress, reserved: isReserved)
                if let next { loop.displace(next, isForced: isForced, tries: tries - 1) }
            } else if mayEnd {
                loop.open.displaced(reserved: isReserved)
                loop.makeRoom(by: channel)
            } else {
                loop.open.restore(victim.id, of: channel.network, since: progress, reserved: isReserved)
            }
        }
    }

    /// Whether a connection is of no use at present: it waits for a request, or for longer than a usual client takes for the
    /// rest of one, or for an answer to be taken.
    private func isDispensable(_ channel: ServerChannel) -> Bool {
        let rest = context.instant.monotonic - channel.connection.progress
        // Not whoever has only just come.
        if channel.isIdle { return rest > 0 }
        return channel.isLingering || rest >= EventLoop.usualTime && channel.connection.ticket == nil
    }

    /// Ends a connection at once.
    private func makeRoom(by channel: ServerChannel) {
        // What has arrived and was not read yet is still answered.
        if channel.isIdle { read(channel) }
        guard self.channel(channel.token) === channel else { return }
        if !channel.isIdle {
            refuse(channel, because: "the server has as many connections as it may")
            // To close while the request lies unread would be a reset, which can cost the client the answer.
            if self.channel(channel.token) === channel { read(channel) }
        }
        close(channel)
    }

    /// Has a connection count for whom its proxy has named.
    func move(_ channel: ServerChannel) {
        let proxy = channel.network
        forgetBuffers(of: channel)
        channel.adoptNetwork()
        guard channel.network != proxy else { return }
        open.move(
            id(of: channel), from: proxy, to: channel.network, since: channel.connection.progress,
            reserved: isReserved(channel))
    }

    /// Ends a connection, and says why if the client can be told.
    func refuse(_ channel: ServerChannel, because reason: StaticString) {
        guard channel.unsent.isEmpty, !channel.isLingering, !channel.isOpening else { return cutOff(channel) }
        abandon(channel)
        context.out.reset()
        channel.connection.refuse(RequestError(.overloaded, reason), in: &context)
        channel.next = .linger
        deliver(channel)
    }

    /// What is not taken yet is thrown away.
    func cutOff(_ channel: ServerChannel) {
        channel.renounce()
        close(channel)
    }

    /// Has `body` run on the loop that has the connection: at once if it is this one, else soon.
    private func onLoop(of victim: AddressShares.Victim, _ body: @escaping @Sendable (EventLoop) -> Void) {
        guard victim.id.loop != number else { return body(self) }
        guard siblings.indices.contains(victim.id.loop), let loop = siblings[victim.id.loop].loop else { return }
        loop.post { body(loop) }
    }
}
