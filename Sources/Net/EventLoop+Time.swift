import Bytes
import HTTP

/// Connections whose time is over.
extension EventLoop {
    func sweep() {
        let now = context.instant.monotonic
        let isOver = stopDeadline.map { now >= $0 } ?? false
        clients.sweep(at: now)
        context.handler.tick(at: context.instant)
        if isOver { context.handler.end() }
        // They have come in time.
        sendLateAnswers()
        if let start = acceptsFrom, now >= start {
            acceptsFrom = nil
            watchListeners()
        }
        let isIdleOver = idleEnd.map { now >= $0 } ?? false
        // Work on one connection may end others.
        for slot in channels.indices {
            guard let channel = channels[slot] else { continue }
            if isOver {
                close(channel)
            } else if isIdleOver || channel.connection.isLast && !channel.isShakingHands, channel.isIdle {
                closeIdle(channel)
            } else if now >= channel.deadline {
                expire(channel)
            }
        }
    }

    /// What has arrived and was not read yet is still answered.
    private func closeIdle(_ channel: ServerChannel) {
        read(channel)
        if channel.isIdle { close(channel) }
    }

    private func expire(_ channel: ServerChannel) {
        guard !channel.isStuck(at: context.instant) else { return cutOff(channel) }
        guard context.instant.monotonic >= channel.deadline else { return }
        guard !channel.isLingering, !channel.isOpening else { return close(channel) }
        abandon(channel)
        context.out.reset()
        channel.connection.expire(in: &context)
        channel.next = context.out.isEmpty ? .close : .linger
        deliver(channel)
    }
}
