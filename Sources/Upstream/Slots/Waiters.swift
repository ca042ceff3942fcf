/// Who waits for what: opaque numbers in the order of their coming, with a bound for each slot and for all.
struct Waiters: Sendable {
    private struct Seat { var token: UInt64, slot: Int }

    private let most: Int
    private let mostPerSlot: Int
    private var seats: [Seat] = []
    private var links = Links()
    private var free: [Int] = []
    private var places: [UInt64: Int] = [:]

    init(most: Int, perSlot: Int) {
        self.most = max(1, most)
        mostPerSlot = max(1, perSlot)
    }

    var count: Int { places.count }
    /// Seats that were ever needed at once.
    var seatCount: Int { seats.count }

    /// Whether there is room for this one; not for one that waits already, who would be answered twice.
    func admits(_ token: UInt64, to chain: Chain) -> Bool {
        count < most && chain.count < mostPerSlot && places[token] == nil
    }

    /// Seats one that `admits` let in.
    mutating func seat(_ token: UInt64, for slot: Int, in chain: inout Chain) {
        let place: Int
        if let left = free.popLast() {
            place = left
            seats[place] = Seat(token: token, slot: slot)
        } else {
            place = seats.count
            seats.append(Seat(token: token, slot: slot))
            links.addPlace()
        }
        places[token] = place
        links.append(place, to: &chain)
    }

    /// The slot that it waits for; nil when it does not wait.
    func slot(of token: UInt64) -> Int? { places[token].map { seats[$0].slot } }

    mutating func remove(_ token: UInt64, from chain: inout Chain) {
        guard let place = places.removeValue(forKey: token) else { return }
        links.remove(place, from: &chain)
        free.append(place)
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
