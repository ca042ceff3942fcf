/// Finds what somebody may have meant: the known name with the fewest edits to the given one.
package enum NearestName {
    /// The nearest of `known`, or nil when none is near enough to be worth naming (more than a third of its letters off).
    package static func of(_ name: String, among known: [String]) -> String? {
        let given = Array(name.utf8.prefix(64))
        let ranked = known.map { (name: $0, edits: edits(from: given, to: Array($0.utf8))) }
        guard let best = ranked.min(by: { ($0.edits, $0.name) < ($1.edits, $1.name) }) else { return nil }
        return best.edits <= max(1, max(given.count, best.name.utf8.count) / 3) ? best.name : nil
    }

    /// Levenshtein's distance, upper and lower case counted as equal.
    private static func edits(from a: [UInt8], to b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for i in a.indices {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let same = a[i].lowercasedASCII == b[j].lowercasedASCII
                let best = min(min(row[j], row[j + 1]) + 1, diagonal + (same ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = best
            }
        }
        return row[b.count]
    }
}
