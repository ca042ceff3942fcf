import HTTP
import Synchronization

/// The connections of all loops, those of reserved listeners apart from all others, and how many there have been.
package final class OpenConnections: Sendable {
    /// What has been counted of one kind of listener.
    package struct Figures: Sendable {
        package let open: Int
        /// Those that were ended so that another address had a place.
        package let displaced: UInt64
        package let accepted, refused: UInt64
    }

    /// What comes of a client that connects.
    enum Entry: Sendable, Equatable {
        case accepted
        /// There was no place left, so that a connection of the address with most has to end.
        case displacing(AddressShares.Victim)
        /// There was no place left, and every address has one connection but the newcomer's, which has none: a connection has
        /// to end that is of no use at present, if there is one.
        case replacing(AddressShares.Victim)
        /// There is no place.
        case refused
    }

    private struct Side: ~Copyable {
        let places = Guarded(AddressShares())
        let accepted = Atomic<UInt64>(0)
        let displaced = Atomic<UInt64>(0)
        let refused = Atomic<UInt64>(0)

        func enter(_ id: ConnectionID, of address: ClientAddress, at now: Int64, below limit: Int) -> Entry {
            let entry = places.withLock { places -> Entry in
                var entry = Entry.accepted
                if places.total >= limit {
                    let own = places.amount(of: address)
                    let isDisplacing = places.greatest > own + 1
                    // Where nobody was of no use, there is already one more than there may be.
                    guard isDisplacing || own == 0 && places.total == limit, let victim = places.takeFirst() else {
                        return .refused
                    }
                    entry = isDisplacing ? .displacing(victim) : .replacing(victim)
                }
                places.set(id, of: address, to: AddressShares.Share(amount: 1, progress: now))
                return entry
            }
            if entry == .refused {
                refused.add(1, ordering: .relaxed)
            } else {
                accepted.add(1, ordering: .relaxed)
            }
            return entry
        }

        var figures: Figures {
            Figures(
                open: places.withLock { $0.total }, displaced: displaced.load(ordering: .relaxed),
                accepted: accepted.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed))
        }
    }

    private let others = Side()
    private let reserved = Side()
    private let handshakesUnderWay = Guarded(AddressShares())
    private let handshakes = Atomic<UInt64>(0)
    private let failedHandshakes = Atomic<UInt64>(0)

    /// Counts one more. Beyond `limit`, the address with most connections gives one up, unless the newcomer's own address would
    /// have as many. The first connection of an address may also have the place of one that is of no use at present. One that has
    /// to give up its place is not counted any more.
    /// - Parameter address: the network that it is of.
    func enter(
        _ id: ConnectionID, of address: ClientAddress, at now: Int64, below limit: Int, reserved isReserved: Bool
    ) -> Entry {
        isReserved
            ? reserved.enter(id, of: address, at: now, below: limit)
            : others.enter(id, of: address, at: now, below: limit)
    }

    /// Counts a connection again that has to give up its place, since it has made progress meanwhile, and has another give up
    /// its place instead; or itself, if it still comes first.
    func spare(
        _ id: ConnectionID, of address: ClientAddress, since progress: Int64, reserved isReserved: Bool
    ) -> AddressShares.Victim? {
        places(isReserved).withLock {
            $0.set(id, of: address, to: AddressShares.Share(amount: 1, progress: progress))
            return $0.takeFirst()
        }
    }

    /// A connection was ended so that another address had its place.
    func displaced(reserved isReserved: Bool) {
        if isReserved {
            reserved.displaced.add(1, ordering: .relaxed)
        } else {
            others.displaced.add(1, ordering: .relaxed)
        }
    }

    /// Counts a connection again that need not give up its place after all.
    func restore(_ id: ConnectionID, of address: ClientAddress, since progress: Int64, reserved isReserved: Bool) {
        places(isReserved).withLock {
            $0.set(id, of: address, to: AddressShares.Share(amount: 1, progress: progress))
        }
    }

    /// A proxy has named whom the connection is from.
    func move(
        _ id: ConnectionID, from proxy: ClientAddress, to client: ClientAddress, since progress: Int64,
        reserved isReserved: Bool
    ) {
        places(isReserved).withLock {
            $0.set(id, of: proxy, to: nil)
            $0.set(id, of: client, to: AddressShares.Share(amount: 1, progress: progress))
        }
    }

    func leave(_ id: ConnectionID, of address: ClientAddress, reserved isReserved: Bool) {
        places(isReserved).withLock { $0.set(id, of: address, to: nil) }
    }

    private func places(_ isReserved: Bool) -> Guarded<AddressShares> { isReserved ? reserved.places : others.places }

    /// Counts a TLS handshake that is under way.
    /// - Returns: the connection that has to end since there are more than `limit`, which is not counted any more.
    func beginHandshake(
        _ id: ConnectionID, of address: ClientAddress, at now: Int64, below limit: Int
    ) -> AddressShares.Victim? {
        handshakesUnderWay.withLock {
            $0.set(id, of: address, to: AddressShares.Share(amount: 1, progress: now))
            return $0.total > limit ? $0.takeFirst() : nil
        }
    }

    func endHandshake(_ id: ConnectionID, of address: ClientAddress) {
        handshakesUnderWay.withLock { $0.set(id, of: address, to: nil) }
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
