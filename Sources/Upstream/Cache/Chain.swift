/// One of the lists of a `Links`: in order, the first being the oldest.
struct Chain: Sendable {
    fileprivate(set) var first = Links.none
    fileprivate var last = Links.none
    fileprivate(set) var count = 0
}

/// Doubly linked lists over the indices of one array, so that joining and leaving anywhere is one step. An index is in one of
/// them at most.
struct Links: Sendable {
    /// Stands for no index.
    static let none = -1

    private var before: [Int] = []
    private var after: [Int] = []

    mutating func add() {
        before.append(Links.none)
        after.append(Links.none)
    }

    func next(after index: Int) -> Int { after[index] }

    /// Puts an index that is in no list at the end of this one.
    mutating func append(_ index: Int, to chain: inout Chain) {
        before[index] = chain.last
        after[index] = Links.none
        if chain.last == Links.none { chain.first = index } else { after[chain.last] = index }
        chain.last = index
        chain.count += 1
    }

    /// Takes an index out of the list that it is in.
    mutating func remove(_ index: Int, from chain: inout Chain) {
        if before[index] == Links.none { chain.first = after[index] } else { after[before[index]] = after[index] }
        if after[index] == Links.none { chain.last = before[index] } else { before[after[index]] = before[index] }
        before[index] = Links.none
        after[index] = Links.none
        chain.count -= 1
    }
}
