import HTTP
import Synchronization

/// The connections of all loops, those of reserved listeners apart from all others, and how many there have been.
package final class OpenConnections: Sendable {
    /// What has been counted of one kind of listener.
    package struct Counts: Sendable {
        package let open: Int
        /// Those that were ended at the limit to make room for another address.
        package let displaced: UInt64
        package let accepted, refused: UInt64
    }

    /// What comes of a client that connects.
    enum Entry: Sendable, Equatable {
        case accepted
        /// There was no room left, so that a connection of the address with most has to end.
        case displacing(AddressShares.Victim)
        /// There was no room left, and every address has one connection but the newcomer's, which has none: a connection has
        /// to end that is of no use at present. If none is found, the newcomer has to end.
        case replacing(AddressShares.Victim)
        /// There is no room.
        case refused
    }

    /// The connections of one kind of listener.
    final class Group: Sendable {
        private let shares = Guarded(AddressShares())
        private let accepted = Atomic<UInt64>(0)
        private let displaced = Atomic<UInt64>(0)
        private let refused = Atomic<UInt64>(0)

        /// Counts one more. Beyond `limit`, the address with most connections gives one up, unless the newcomer's own address
        /// would have as many. For the first connection of an address, one that is of no use at present may have to end.
        /// A connection that has to end is not counted any more.
        /// - Parameter address: the network that it is of.
        func enter(_ id: ConnectionID, of address: ClientAddress, at now: Int64, below limit: Int) -> Entry {
            let entry = shares.withLock { shares -> Entry in
                var entry = Entry.accepted
                if shares.total >= limit {
                    let own = shares.amount(of: address)
                    let isDisplacing = shares.greatest > own + 1
                    guard isDisplacing || own == 0, let victim = shares.takeFirst() else { return .refused }
                    entry = isDisplacing ? .displacing(victim) : .replacing(victim)
                }
                shares.set(id, of: address, to: AddressShares.Share(amount: 1, progress: now))
                return entry
            }
            if entry == .refused {
                countRefused()
            } else {
                accepted.add(1, ordering: .relaxed)
            }
            return entry
        }

        /// Counts a connection again that was to end.
        func restore(_ id: ConnectionID, of address: ClientAddress, since progress: Int64) {
            shares.withLock { $0.set(id, of: address, to: AddressShares.Share(amount: 1, progress: progress)) }
        }

        /// Counts a connection again that was to end, and chooses another to end instead; or the same one, if it
        /// still comes first.
        func spare(_ id: ConnectionID, of address: ClientAddress, since progress: Int64) -> AddressShares.Victim? {
            shares.withLock {
                $0.set(id, of: address, to: AddressShares.Share(amount: 1, progress: progress))
                return $0.takeFirst()
            }
        }

        /// A proxy has named whom the connection is from.
        func move(_ id: ConnectionID, from proxy: ClientAddress, to client: ClientAddress, since progress: Int64) {
            shares.withLock {
                $0.set(id, of: proxy, to: nil)
                $0.set(id, of: client, to: AddressShares.Share(amount: 1, progress: progress))
            }
        }

        func leave(_ id: ConnectionID, of address: ClientAddress) {
            shares.withLock { $0.set(id, of: address, to: nil) }
        }

        /// A connection was ended to make room for another address.
        func countDisplaced() { displaced.add(1, ordering: .relaxed) }

        /// There was no room for a client.
        func countRefused() { refused.add(1, ordering: .relaxed) }

        var counts: Counts {
            Counts(
                open: shares.withLock { $0.total }, displaced: displaced.load(ordering: .relaxed),
                accepted: accepted.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed))
        }
    }

    private let others = Group()
    private let reserved = Group()
    private let handshakesUnderWay = Guarded(AddressShares())
    private let handshakes = Atomic<UInt64>(0)
    private let failedHandshakes = Atomic<UInt64>(0)
    private let endedHandshakes = Atomic<UInt64>(0)
    private let endedBuffers = Atomic<UInt64>(0)

    func side(reserved isReserved: Bool) -> Group { isReserved ? reserved : others }

    package func counts(reserved isReserved: Bool) -> Counts { side(reserved: isReserved).counts }

    // MARK: Handshakes

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

    /// Handshakes that are counted as under way.
    var countedHandshakes: Int { handshakesUnderWay.withLock { $0.total } }

    /// A client has shaken hands, or has failed to.
    func shookHands(_ succeeded: Bool) {
        if succeeded {
            handshakes.add(1, ordering: .relaxed)
        } else {
            failedHandshakes.add(1, ordering: .relaxed)
        }
    }

    /// TLS handshakes that have ended.
    package var handshakeFigures: (succeeded: UInt64, failed: UInt64) {
        (handshakes.load(ordering: .relaxed), failedHandshakes.load(ordering: .relaxed))
    }

    // MARK: Limits

    /// A connection was ended since more handshakes were under way than there may be.
    func countEndedHandshake() { endedHandshakes.add(1, ordering: .relaxed) }

    /// A connection was ended since all together held more bytes than they may.
    func countEndedBuffer() { endedBuffers.add(1, ordering: .relaxed) }

    /// Connections that were ended because of the limits for handshakes and for bytes that connections hold.
    package var endedFigures: (handshakes: UInt64, buffers: UInt64) {
        (endedHandshakes.load(ordering: .relaxed), endedBuffers.load(ordering: .relaxed))
    }
}
