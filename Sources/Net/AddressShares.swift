import HTTP

/// A connection, among those of all loops.
struct ConnectionID: Sendable, Hashable {
    /// The number of its loop.
    let loop: Int
    /// What its loop knows it by.
    let token: UInt64
}

/// How much of something that all clients share each connection has, and each address; and which connection gives it up first
/// when there is too little.
///
/// First comes the address that has most in all (of IPv6 the whole /64); of those alike, the one whose own first connection has made
/// no progress for longest. Of its connections, the one that has most comes first,
/// to the next power of two; and of those alike, the one that has made no progress for longest.
struct AddressShares: Sendable {
    /// What one connection has.
    struct Share: Sendable, Comparable {
        let amount: Int
        /// When it last made progress, in monotonic milliseconds.
        let progress: Int64

        static func < (one: Share, other: Share) -> Bool {
            one.size == other.size ? one.progress > other.progress : one.size < other.size
        }

        static func == (one: Share, other: Share) -> Bool { one.size == other.size && one.progress == other.progress }

        /// The bits that the amount takes.
        private var size: Int { Int.bitWidth - amount.leadingZeroBitCount }
    }

    /// A connection that is to give up what it has.
    struct Victim: Sendable, Equatable {
        let id: ConnectionID
        /// What was known of its progress.
        let progress: Int64
    }

    /// What one address has.
    private struct Standing: Comparable {
        let amount: Int
        /// That of its connection that is the first to give up what it has.
        let progress: Int64

        static func < (one: Standing, other: Standing) -> Bool {
            one.amount == other.amount ? one.progress > other.progress : one.amount < other.amount
        }
    }

    /// What all connections have together.
    private(set) var total = 0
    private var addresses = PriorityTable<ClientAddress, Standing>()
    private var connections: [ClientAddress: PriorityTable<ConnectionID, Share>] = [:]

    /// What the address has that has most.
    var greatest: Int { addresses.first?.priority.amount ?? 0 }

    /// What all connections of an address have together.
    func amount(of address: ClientAddress) -> Int { addresses[address]?.amount ?? 0 }

    /// Says what a connection has from now on; nil for nothing.
    /// - Parameter address: the network that it is of; always the same for the same connection.
    mutating func set(_ id: ConnectionID, of address: ClientAddress, to share: Share?) {
        let before = connections[address]?[id]?.amount ?? 0
        if share != nil || before > 0 { connections[address, default: PriorityTable()][id] = share }
        let growth = (share?.amount ?? 0) - before
        total += growth
        guard let first = connections[address]?.first else {
            connections[address] = nil
            addresses[address] = nil
            return
        }
        addresses[address] = Standing(amount: amount(of: address) + growth, progress: first.priority.progress)
    }

    /// Takes what it has from the connection that is the first to give it up.
    mutating func takeFirst() -> Victim? {
        guard let address = addresses.first?.key, let first = connections[address]?.first else { return nil }
        set(first.key, of: address, to: nil)
        return Victim(id: first.key, progress: first.priority.progress)
    }
}
