/// The names of an object that is being read, each once.
///
/// A few are compared one by one, many through a set, so that no object takes quadratic time.
struct JSONNames {
    private var few = InlineArray<8, JSONSlice>(repeating: .read(0..<0))
    private var count = 0
    private var many: Set<[UInt8]> = []

    /// Takes a name that `reader` has just read.
    /// - Returns: whether it is a new one.
    mutating func insert(_ name: JSONSlice, of reader: borrowing JSONReader) -> Bool {
        let text = reader.text(name)
        guard count >= few.count else {
            for index in 0..<count where reader.text(few[index]).equals(text) { return false }
            few[count] = name
            count += 1
            return true
        }
        if many.isEmpty { for index in few.indices { many.insert(reader.text(few[index]).array) } }
        // Whenever it grows, all names are hashed again.
        if many.count == many.capacity { many.reserveCapacity(many.count * 8) }
        return many.insert(text.array).inserted
    }
}
