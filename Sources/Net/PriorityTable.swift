/// Keys with a priority each, of which the one with the greatest priority is found at once: a binary heap that knows the index
/// of each key in it.
struct PriorityTable<Key: Hashable & Sendable, Priority: Comparable & Sendable>: Sendable {
    private var heap: [Entry] = []
    private var indices: [Key: Int] = [:]

    struct Entry: Sendable {
        let key: Key
        fileprivate(set) var priority: Priority
    }

    var isEmpty: Bool { heap.isEmpty }

    /// The key with the greatest priority; any of them if there are several.
    var first: Entry? { heap.first }

    /// The priority of a key; nil when the table does not have it.
    subscript(key: Key) -> Priority? {
        get { indices[key].map { heap[$0].priority } }
        set {
            switch (indices[key], newValue) {
            case (let index?, let priority?):
                heap[index].priority = priority
                settle(index)
            case (nil, let priority?):
                indices[key] = heap.count
                heap.append(Entry(key: key, priority: priority))
                rise(heap.count - 1)
            case (let index?, nil):
                swap(index, heap.count - 1)
                heap.removeLast()
                indices[key] = nil
                if index < heap.count { settle(index) }
            case (nil, nil): break
            }
        }
    }

    /// Moves an entry to where its priority belongs.
    private mutating func settle(_ index: Int) {
        rise(index)
        sink(index)
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[parent].priority < heap[index].priority else { return }
            swap(index, parent)
            index = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var greatest = index
            for child in 2 * index + 1...2 * index + 2
            where child < heap.count && heap[greatest].priority < heap[child].priority { greatest = child }
            guard greatest != index else { return }
            swap(index, greatest)
            index = greatest
        }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        guard one != other else { return }
        heap.swapAt(one, other)
        indices[heap[one].key] = one
        indices[heap[other].key] = other
    }
}
