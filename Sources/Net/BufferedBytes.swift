import HTTP

/// What connections hold, over all loops: bytes of requests that have not come whole, and of answers that are not sent. Only
/// those connections are counted that hold more than a connection may always hold (`Server.Settings.connectionBuffer`).
final class BufferedBytes: Sendable {
    private let shares = Guarded(AddressShares())

    /// Counts what a connection holds by now.
    /// - Parameters:
    ///   - address: its network.
    ///   - limit: bytes that all of them may hold together.
    /// - Returns: the connections that have to end, because all together hold more; they are not counted any more.
    func count(
        _ share: AddressShares.Share, of id: ConnectionID, at address: ClientAddress, below limit: Int
    ) -> [AddressShares.Victim] {
        shares.withLock {
            $0.set(id, of: address, to: share)
            var victims: [AddressShares.Victim] = []
            while $0.total > limit, let victim = $0.takeFirst() { victims.append(victim) }
            return victims
        }
    }

    /// It holds no more than it may always hold.
    func forget(_ id: ConnectionID, at address: ClientAddress) {
        shares.withLock { $0.set(id, of: address, to: nil) }
    }
}
