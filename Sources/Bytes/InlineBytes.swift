/// Up to `capacity` bytes held in place, so that keeping a short name or a key allocates nothing.
package struct InlineBytes<let capacity: Int>: Sendable {
    private var storage = InlineArray<capacity, UInt8>(repeating: 0)
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { storage.span.extracting(0..<count) }
    }

    package mutating func reset() { count = 0 }

    /// - Returns: false, with nothing appended, when there is no room.
    package mutating func append(_ more: Span<UInt8>) -> Bool {
        guard more.count <= capacity - count else { return false }
        for index in more.indices { storage[count + index] = more[index] }
        count += more.count
        return true
    }

    package mutating func append(_ byte: UInt8) -> Bool {
        guard count < capacity else { return false }
        storage[count] = byte
        count += 1
        return true
    }
}
