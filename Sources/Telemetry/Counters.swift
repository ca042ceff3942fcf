import Synchronization

/// Counts that one thread adds to and any thread reads. There is one writer, so that adding takes neither a lock nor a bus
/// lock: a load and a store.
@safe package final class Counters: Sendable {
    package let count: Int
    // Unsafe: each is atomic; the pointer never changes.
    private nonisolated(unsafe) let cells: UnsafeMutablePointer<Atomic<UInt64>>

    package init(_ count: Int) {
        self.count = max(0, count)
        unsafe cells = .allocate(capacity: max(1, count))
        for place in 0..<self.count { unsafe (cells + place).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe cells.deinitialize(count: count)
        unsafe cells.deallocate()
    }

    /// Adds to the count at a place; one that there is not is left alone. On the writer's thread.
    package func add(_ amount: UInt64 = 1, at place: Int) {
        guard place >= 0, place < count else { return }
        let sum = unsafe cells[place].load(ordering: .relaxed) &+ amount
        unsafe cells[place].store(sum, ordering: .relaxed)
    }

    /// From any thread.
    package subscript(place: Int) -> UInt64 {
        guard place >= 0, place < count else { return 0 }
        return unsafe cells[place].load(ordering: .relaxed)
    }
}
