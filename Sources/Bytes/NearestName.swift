/// Finds the name that was probably meant: the known one with the fewest edits to the given one.
package enum NearestName {
    /// The longest name, in bytes, that is compared.
    private static let longest = 64

    /// The nearest of `known`, or nil when none is near enough to be worth naming (more than a third of its letters off).
    package static func of(_ name: String, among known: [String]) -> String? {
        of(Array(name.utf8).span, among: known.map { Array($0.utf8) })?.text
    }

    /// The same for bytes; nothing is allocated.
    package static func of(_ name: Span<UInt8>, among known: [[UInt8]]) -> [UInt8]? {
        guard name.count <= longest else { return nil }
        var nearest: (name: [UInt8], edits: Int)?
        for candidate in known where candidate.count <= longest {
            let allowed = max(1, max(name.count, candidate.count) / 3)
            // Names differ in as many letters at least as one of them is longer.
            guard abs(name.count - candidate.count) <= allowed,
                let edits = edits(from: name, to: candidate.span, atMost: allowed)
            else { continue }
            if let nearest, (nearest.edits, 0) < (edits, candidate.precedes(nearest.name) ? 0 : 1) { continue }
            nearest = (candidate, edits)
        }
        return nearest?.name
    }

    /// Optimal string alignment distance: insertions, deletions, substitutions, and neighbours exchanged; upper and lower
    /// case count as equal.
    /// - Returns: nil for more than are allowed.
    private static func edits(from a: Span<UInt8>, to b: Span<UInt8>, atMost allowed: Int) -> Int? {
        typealias Row = InlineArray<65, Int>
        var before = Row(repeating: 0)
        var last = Row { $0 }
        for i in a.indices {
            var row = Row(repeating: i + 1)
            var fewest = i + 1
            for j in b.indices {
                let same = a[i].lowercasedASCII == b[j].lowercasedASCII
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (same ? 0 : 1))
                if i > 0, j > 0, a[i].lowercasedASCII == b[j - 1].lowercasedASCII,
                    a[i - 1].lowercasedASCII == b[j].lowercasedASCII
                {
                    best = min(best, before[j - 1] + 1)
                }
                row[j + 1] = best
                fewest = min(fewest, best)
            }
            // No later row has fewer: to exchange neighbours costs one more than the row before this one has.
            guard fewest <= allowed else { return nil }
            (before, last) = (last, row)
        }
        return last[b.count] <= allowed ? last[b.count] : nil
    }
}
