/// One of the lists of a `LinkedLists`: in order, the first being the oldest.
struct LinkedList: Sendable {
    fileprivate(set) var first = LinkedLists.none
    fileprivate var last = LinkedLists.none
    fileprivate(set) var count = 0
}

/// Doubly linked lists over the indices of one array, so that joining and leaving anywhere is one step. An index is in one of
/// them at most.
struct LinkedLists: Sendable {
    /// Stands for no index.
    static let none = -1

    private var before: [Int] = []
    private var after: [Int] = []

    mutating func add() {
        before.append(LinkedLists.none)
        after.append(LinkedLists.none)
    }

    func next(after index: Int) -> Int { after[index] }

    /// Puts an index that is in no list at the end of this one.
    mutating func append(_ index: Int, to list: inout LinkedList) {
        before[index] = list.last
        after[index] = LinkedLists.none
        if list.last == LinkedLists.none { list.first = index } else { after[list.last] = index }
        list.last = index
        list.count += 1
    }

    /// Takes an index out of the list that it is in.
    mutating func remove(_ index: Int, from list: inout LinkedList) {
        if before[index] == LinkedLists.none { list.first = after[index] } else { after[before[index]] = after[index] }
        if after[index] == LinkedLists.none { list.last = before[index] } else { before[after[index]] = before[index] }
        before[index] = LinkedLists.none
        after[index] = LinkedLists.none
        list.count -= 1
    }
}
