/// One of the lists of a `Links`: in order, the first being the oldest.
struct Chain: Sendable {
    fileprivate(set) var first = Links.none
    fileprivate var last = Links.none
    fileprivate(set) var count = 0
}

/// Doubly linked lists over the places of one array, so that joining and leaving anywhere is one step. A place is in one of
/// them at most.
struct Links: Sendable {
    /// Stands for no place.
    static let none = -1

    private var before: [Int] = []
    private var after: [Int] = []

    mutating func addPlace() {
        before.append(Links.none)
        after.append(Links.none)
    }

    func next(after place: Int) -> Int { after[place] }

    /// Puts a place that is in no list at the end of this one.
    mutating func append(_ place: Int, to chain: inout Chain) {
        before[place] = chain.last
        after[place] = Links.none
        if chain.last == Links.none { chain.first = place } else { after[chain.last] = place }
        chain.last = place
        chain.count += 1
    }

    /// Takes a place out of the list that it is in.
    mutating func remove(_ place: Int, from chain: inout Chain) {
        if before[place] == Links.none { chain.first = after[place] } else { after[before[place]] = after[place] }
        if after[place] == Links.none { chain.last = before[place] } else { before[after[place]] = before[place] }
        before[place] = Links.none
        after[place] = Links.none
        chain.count -= 1
    }
}
