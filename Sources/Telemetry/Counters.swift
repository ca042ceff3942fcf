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
        for index in 0..<self.count { unsafe (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe cells.deinitialize(count: count)
        unsafe cells.deallocate()
    }

    /// Adds to the count at an index; does nothing where there is none. On the writer's thread.
    package func add(_ amount: UInt64 = 1, at index: Int) {
        guard index >= 0, index < count else { return }
        let sum = unsafe cells[index].load(ordering: .relaxed) &+ amount
        unsafe cells[index].store(sum, ordering: .relaxed)
    }

    /// From any thread.
    package subscript(index: Int) -> UInt64 {
        guard index >= 0, index < count else { return 0 }
        return unsafe cells[index].load(ordering: .relaxed)
    }
}
