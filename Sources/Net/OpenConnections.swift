import Synchronization

/// The connections of all loops, those of reserved listeners apart from all others, and how many there have been.
package final class OpenConnections: Sendable {
    /// What has been counted of one kind of listener.
    package struct Figures: Sendable {
        package let open: Int
        package let accepted, refused: UInt64
    }

    private struct Side: ~Copyable {
        let open = Atomic(0)
        let accepted = Atomic<UInt64>(0)
        let refused = Atomic<UInt64>(0)

        func enter(below limit: Int) -> Bool {
            guard open.add(1, ordering: .relaxed).newValue <= limit else {
                open.subtract(1, ordering: .relaxed)
                refused.add(1, ordering: .relaxed)
                return false
            }
            accepted.add(1, ordering: .relaxed)
            return true
        }

        var figures: Figures {
            Figures(
                open: open.load(ordering: .relaxed), accepted: accepted.load(ordering: .relaxed),
                refused: refused.load(ordering: .relaxed))
        }
    }

    private let others = Side()
    private let reserved = Side()
    private let handshakes = Atomic<UInt64>(0)
    private let failedHandshakes = Atomic<UInt64>(0)

    /// Counts one more, unless there are `limit` already.
    func enter(below limit: Int, reserved isReserved: Bool) -> Bool {
        isReserved ? reserved.enter(below: limit) : others.enter(below: limit)
    }

    func leave(reserved isReserved: Bool) {
        if isReserved {
            reserved.open.subtract(1, ordering: .relaxed)
        } else {
            others.open.subtract(1, ordering: .relaxed)
        }
    }

    /// A client has shaken hands, or has failed to.
    func shookHands(_ succeeded: Bool) {
        if succeeded {
            handshakes.add(1, ordering: .relaxed)
        } else {
            failedHandshakes.add(1, ordering: .relaxed)
        }
    }

    package func figures(reserved isReserved: Bool) -> Figures { isReserved ? reserved.figures : others.figures }

    /// TLS handshakes that have ended.
    package var handshakeFigures: (succeeded: UInt64, failed: UInt64) {
        (handshakes.load(ordering: .relaxed), failedHandshakes.load(ordering: .relaxed))
    }
}
