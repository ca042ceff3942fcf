/// Who waits for what: opaque numbers in the order of their coming, with a bound for each slot, for each client, and for all.
struct Waiters: Sendable {
    private struct Waiter { var token: UInt64, client: UInt64?, slot: Int }

    private let most: Int
    /// For one slot, and of one client.
    private let mostTogether: Int
    private var entries: [Waiter] = []
    private var links = LinkedLists()
    private var free: [Int] = []
    private var indices: [UInt64: Int] = [:]
    /// How many of each client wait.
    private var counts: [UInt64: Int] = [:]

    init(most: Int, perSlot: Int) {
        self.most = max(1, most)
        mostTogether = max(1, perSlot)
    }

    var count: Int { indices.count }
    /// Entries that were ever needed at once.
    var entryCount: Int { entries.count }

    /// Whether there is room for this one; not for one that waits already, who would be answered twice. Where more than
    /// half of the room is taken, for one slot or in all, a client has as much of it as it leaves free, so that there is room for others.
    /// - Parameter client: nil for the service itself.
    func admits(_ token: UInt64, of client: UInt64?, to list: LinkedList) -> Bool {
        let own = client.map { counts[$0, default: 0] } ?? 0
        func hasRoom(_ taken: Int, of room: Int) -> Bool { taken < room && (taken < room / 2 || own < room - taken) }
        return own < mostTogether && hasRoom(list.count, of: mostTogether) && hasRoom(count, of: most)
            && indices[token] == nil
    }

    /// Adds one that `admits` let in.
    mutating func add(_ token: UInt64, of client: UInt64?, for slot: Int, in list: inout LinkedList) {
        let index: Int
        if let left = free.popLast() {
            index = left
            entries[index] = Waiter(token: token, client: client, slot: slot)
        } else {
            index = entries.count
            entries.append(Waiter(token: token, client: client, slot: slot))
            links.add()
        }
        indices[token] = index
        if let client { counts[client, default: 0] += 1 }
        links.append(index, to: &list)
    }

    /// The slot that it waits for; nil when it does not wait.
    func slot(of token: UInt64) -> Int? { indices[token].map { entries[$0].slot } }

    mutating func remove(_ token: UInt64, from list: inout LinkedList) {
        guard let index = indices.removeValue(forKey: token) else { return }
        links.remove(index, from: &list)
        free.append(index)
        guard let client = entries[index].client, let count = counts[client] else { return }
        counts[client] = count > 1 ? count - 1 : nil
    }

    /// Empties a slot's list.
    /// - Returns: who was in it, in the order of their coming.
    mutating func removeAll(from list: inout LinkedList) -> [UInt64] {
        var tokens: [UInt64] = []
        tokens.reserveCapacity(list.count)
        while list.first != LinkedLists.none {
            let token = entries[list.first].token
            tokens.append(token)
            remove(token, from: &list)
        }
        return tokens
    }
}
