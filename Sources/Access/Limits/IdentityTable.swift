/// What is kept of an identity that is counted.
protocol IdentitySlot: Sendable {
    init(identity: UInt64)
    var identity: UInt64 { get }
    /// Of the slots that an identity may have, the one of the least worth gives way.
    var worth: Int64 { get }
}

/// Slots for the identities that are counted, in memory that is taken once, for the first of them. An identity may have one of eight;
/// where all of them are others', the one of the least worth gives way.
struct IdentityTable<Slot: IdentitySlot>: ~Copyable, Sendable {
    /// Empty until the first identity is counted: most services have no rates.
    private var slots: [Slot] = []
    private let count: Int
    private let mask: UInt64

    /// The slots that an identity may have; they are looked through one by one.
    private static var ways: Int { 8 }

    /// - Parameter capacity: how many identities are told apart at a time; rounded up to a power of two.
    init(capacity: Int) {
        var sets = 1
        while sets * Self.ways < capacity, sets < 1 << 24 { sets *= 2 }
        count = sets * Self.ways
        mask = UInt64(sets - 1)
    }

    /// Bytes that the slots take once an identity is counted.
    var size: Int { count * MemoryLayout<Slot>.stride }

    /// The identity's slot; nil where it has none.
    subscript(identity: UInt64) -> Slot? {
        if slots.isEmpty { return nil }
        let slot = slots[index(of: identity)]
        return slot.identity == identity ? slot : nil
    }

    /// Changes the identity's slot, a new one where it has none.
    mutating func change<Result>(_ identity: UInt64, _ body: (inout Slot) -> Result) -> Result {
        if slots.isEmpty { slots = [Slot](repeating: Slot(identity: 0), count: count) }
        let index = index(of: identity)
        if slots[index].identity != identity { slots[index] = Slot(identity: identity) }
        return body(&slots[index])
    }

    /// Changes the identity's slot, if it has one.
    mutating func changeIfThere<Result>(_ identity: UInt64, _ body: (inout Slot) -> Result) -> Result? {
        if slots.isEmpty { return nil }
        let index = index(of: identity)
        return slots[index].identity == identity ? body(&slots[index]) : nil
    }

    /// Where the identity's slot is, or will be.
    private func index(of identity: UInt64) -> Int {
        let first = Int(identity & mask) * Self.ways
        var least = first
        for index in first..<first + Self.ways {
            if slots[index].identity == identity { return index }
            if slots[index].worth < slots[least].worth { least = index }
        }
        return least
    }
}
