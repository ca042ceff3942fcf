import Bytes

/// Names, numbered from 0 in the order in which they came. It is a hash table with open addressing, and a look-up allocates
/// nothing.
struct NameTable: Sendable {
    private var names: [[UInt8]] = []
    /// Numbers of names, or -1; at most half of the slots are taken, and there are as many as a power of two.
    private var slots: [Int32] = [-1, -1]

    /// The number of a name; nil for one that is not there. Of equal names, it is the first's.
    func number(of name: Span<UInt8>) -> Int32? {
        let slot = slot(of: name)
        return slots[slot] < 0 ? nil : slots[slot]
    }

    /// Adds a name, unless it is there.
    /// - Returns: its number.
    mutating func insert(_ name: [UInt8]) -> Int32 {
        if names.count * 2 >= slots.count { grow() }
        let slot = slot(of: name.span)
        if slots[slot] >= 0 { return slots[slot] }
        slots[slot] = Int32(names.count)
        names.append(name)
        return slots[slot]
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: slots.count * 2)
        for (number, name) in names.enumerated() { slots[slot(of: name.span)] = Int32(number) }
    }

    /// Where a name is, or would be.
    private func slot(of name: Span<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(name)
        var slot = hasher.finalize() & (slots.count - 1)
        while slots[slot] >= 0, !name.equals(names[Int(slots[slot])]) { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }
}
