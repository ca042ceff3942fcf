/// Finds the name that was probably meant: the known one with the fewest edits to the given one.
package enum NearestName {
    /// The nearest of `known`, or nil when none is near enough to be worth naming (more than a third of its letters off).
    package static func of(_ name: String, among known: [String]) -> String? {
        let given = Array(name.utf8.prefix(64))
        // Names differ in as many letters at least as one of them is longer.
        let near = known.filter { abs($0.utf8.count - given.count) <= allowance(given.count, $0.utf8.count) }
        let ranked = near.map { (name: $0, edits: edits(from: given, to: Array($0.utf8))) }
        guard let best = ranked.min(by: { ($0.edits, $0.name) < ($1.edits, $1.name) }) else { return nil }
        return best.edits <= allowance(given.count, best.name.utf8.count) ? best.name : nil
    }

    /// The most edits between two names of these lengths.
    private static func allowance(_ one: Int, _ other: Int) -> Int { max(1, max(one, other) / 3) }

    /// Optimal string alignment distance: insertions, deletions, substitutions, and neighbours exchanged; upper and lower
    /// case count as equal.
    private static func edits(from a: [UInt8], to b: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                let same = a[i].lowercasedASCII == b[j].lowercasedASCII
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (same ? 0 : 1))
                if i > 0, j > 0, a[i].lowercasedASCII == b[j - 1].lowercasedASCII,
                    a[i - 1].lowercasedASCII == b[j].lowercasedASCII
                {
                    best = min(best, before[j - 1] + 1)
                }
                row.append(best)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
