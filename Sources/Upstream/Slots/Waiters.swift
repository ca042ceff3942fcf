/// Who waits for what: opaque numbers in the order of their coming, with a bound for each slot, for each client, and for all.
struct Waiters: Sendable {
    private struct Seat { var token: UInt64, client: UInt64?, slot: Int }

    private let most: Int
    /// For one slot, and of one client.
    private let mostTogether: Int
    private var seats: [Seat] = []
    private var links = Links()
    private var free: [Int] = []
    private var places: [UInt64: Int] = [:]
    /// How many seats each client has that has one.
    private var counts: [UInt64: Int] = [:]

    init(most: Int, perSlot: Int) {
        self.most = max(1, most)
        mostTogether = max(1, perSlot)
    }

    var count: Int { places.count }
    /// Seats that were ever needed at once.
    var seatCount: Int { seats.count }

    /// Whether there is room for this one; not for one that waits already, who would be answered twice.
    /// - Parameter client: nil for the service itself.
    func admits(_ token: UInt64, of client: UInt64?, to chain: Chain) -> Bool {
        count < most && chain.count < mostTogether && places[token] == nil
            && client.map { counts[$0, default: 0] < mostTogether } ?? true
    }

    /// Seats one that `admits` let in.
    mutating func seat(_ token: UInt64, of client: UInt64?, for slot: Int, in chain: inout Chain) {
        let place: Int
        if let left = free.popLast() {
            place = left
            seats[place] = Seat(token: token, client: client, slot: slot)
        } else {
            place = seats.count
            seats.append(Seat(token: token, client: client, slot: slot))
            links.addPlace()
        }
        places[token] = place
        if let client { counts[client, default: 0] += 1 }
        links.append(place, to: &chain)
    }

    /// The slot that it waits for; nil when it does not wait.
    func slot(of token: UInt64) -> Int? { places[token].map { seats[$0].slot } }

    mutating func remove(_ token: UInt64, from chain: inout Chain) {
        guard let place = places.removeValue(forKey: token) else { return }
        links.remove(place, from: &chain)
        free.append(place)
        guard let client = seats[place].client, let count = counts[client] else { return }
        counts[client] = count > 1 ? count - 1 : nil
    }

    /// Empties a slot's list.
    /// - Returns: who was in it, in the order of their coming.
    mutating func removeAll(from chain: inout Chain) -> [UInt64] {
        var tokens: [UInt64] = []
        tokens.reserveCapacity(chain.count)
        while chain.first != Links.none {
            let token = seats[chain.first].token
            tokens.append(token)
            remove(token, from: &chain)
        }
        return tokens
    }
}
