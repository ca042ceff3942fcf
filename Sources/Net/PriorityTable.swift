/// Keys with a priority each, of which the one with the greatest priority is found at once: a binary heap that knows the place
/// of each key in it.
struct PriorityTable<Key: Hashable & Sendable, Priority: Comparable & Sendable>: Sendable {
    private var heap: [Entry] = []
    private var places: [Key: Int] = [:]

    struct Entry: Sendable {
        let key: Key
        fileprivate(set) var priority: Priority
    }

    var isEmpty: Bool { heap.isEmpty }

    /// The key with the greatest priority; any of them if there are several.
    var first: Entry? { heap.first }

    /// The priority of a key; nil when the table does not have it.
    subscript(key: Key) -> Priority? {
        get { places[key].map { heap[$0].priority } }
        set {
            switch (places[key], newValue) {
            case (let place?, let priority?):
                heap[place].priority = priority
                settle(place)
            case (nil, let priority?):
                places[key] = heap.count
                heap.append(Entry(key: key, priority: priority))
                rise(heap.count - 1)
            case (let place?, nil):
                swap(place, heap.count - 1)
                heap.removeLast()
                places[key] = nil
                if place < heap.count { settle(place) }
            case (nil, nil): break
            }
        }
    }

    /// Moves an entry to where its priority belongs.
    private mutating func settle(_ place: Int) {
        rise(place)
        sink(place)
    }

    private mutating func rise(_ start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard heap[parent].priority < heap[place].priority else { return }
            swap(place, parent)
            place = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var greatest = place
            for child in 2 * place + 1...2 * place + 2
            where child < heap.count && heap[greatest].priority < heap[child].priority { greatest = child }
            guard greatest != place else { return }
            swap(place, greatest)
            place = greatest
        }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        guard one != other else { return }
        heap.swapAt(one, other)
        places[heap[one].key] = one
        places[heap[other].key] = other
    }
}
