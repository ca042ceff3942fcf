import Bytes

/// Names, numbered from 0 in the order in which they came. It is a hash table with open addressing, and a look-up allocates
/// nothing.
struct NameTable: Sendable {
    private struct Slot {
        /// The lower half of the name's hash, so that few other names are compared with it, and none is hashed again.
        var hash: UInt32
        /// The name's number, or -1.
        var number: Int32

        static let free = Slot(hash: 0, number: -1)
    }

    private var names: [[UInt8]] = []
    /// At most half of them are taken, and there are as many as a power of two.
    private var slots = [Slot.free, .free]

    /// - Parameter capacity: how many names it has room for from the start.
    init(capacity: Int = 1) {
        while slots.count < 2 * capacity { slots += slots }
    }

    /// The number of a name; nil for one that is not there. Of equal names, it is the first's.
    func number(of name: Span<UInt8>) -> Int32? {
        let number = slots[slot(of: name, NameTable.hash(of: name))].number
        return number < 0 ? nil : number
    }

    /// Adds a name, unless it is there.
    /// - Returns: its number.
    mutating func insert(_ name: [UInt8]) -> Int32 {
        if names.count * 2 >= slots.count { grow() }
        let hash = NameTable.hash(of: name.span)
        let slot = slot(of: name.span, hash)
        if slots[slot].number >= 0 { return slots[slot].number }
        slots[slot] = Slot(hash: hash, number: Int32(names.count))
        names.append(name)
        return slots[slot].number
    }

    private mutating func grow() {
        let taken = slots.filter { $0.number >= 0 }
        slots = [Slot](repeating: .free, count: slots.count * 2)
        for slot in taken {
            var index = first(of: slot.hash)
            while slots[index].number >= 0 { index = next(to: index) }
            slots[index] = slot
        }
    }

    /// Where a name is, or would be.
    private func slot(of name: Span<UInt8>, _ hash: UInt32) -> Int {
        var index = first(of: hash)
        while slots[index].number >= 0 {
            if slots[index].hash == hash, name.equals(names[Int(slots[index].number)]) { break }
            index = next(to: index)
        }
        return index
    }

    private func first(of hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }

    private func next(to index: Int) -> Int { (index + 1) & (slots.count - 1) }

    private static func hash(of name: Span<UInt8>) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(name)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
