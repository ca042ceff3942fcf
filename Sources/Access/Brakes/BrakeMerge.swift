import Bytes

/// The union of two lists within a number of entries and the length of a text. Released and expired entries leave first, the oldest of them
/// first. If even the active brakes do not fit, the list stops everything.
package struct BrakeMerge {
    package let list: BrakeList
    /// Active brakes that did not fit. If there are any, `list` stops everything.
    package let lost: [Brake]

    /// - Parameters:
    ///   - most: entries that may stay, without the one for `all`.
    ///   - now: seconds since 1970.
    package init(_ one: BrakeList, _ other: BrakeList, keeping most: Int, at now: Int64) {
        let union = one == other ? one : BrakeList(one.brakes + other.brakes)
        guard union.counted > most || union.length > BrakeList.maximumLength - Brake.longestStopOfAll else {
            (list, lost) = (union, [])
            return
        }
        let ranked = union.brakes.filter { $0.subject.kind != .all }.map { ($0, $0.isInForce(at: now)) }
            .sorted { $0.1 == $1.1 ? $0.0.staysRather(than: $1.0) : $0.1 }
        let kept = BrakeList.fitting(ranked.lazy.map(\.0).prefix(most))
        lost = ranked.dropFirst(kept.count).filter(\.1).map(\.0)
        var all = union[Brake.Subject(.all)]
        if !lost.isEmpty { all = Brake.stopOfAll(after: all, among: union.brakes) }
        list = BrakeList(kept + [all].compactMap { $0 })
    }
}

extension Brake {
    /// The author of the brake on everything that a full list makes.
    package static let fullList = Array(text: "brake.entries (full)")

    /// The brake on everything that takes the place of active brakes without room. It has no end, so only an operator releases it.
    /// - Parameters:
    ///   - known: the entry for `all`, if any.
    ///   - brakes: all entries, of which the latest gives the time if there is no entry for `all`.
    fileprivate static func stopOfAll(after known: Brake?, among brakes: [Brake]) -> Brake {
        if let known, known.by == fullList, !known.isReleased, known.until == nil { return known }
        let moment = known.map { $0.at + 1 } ?? brakes.map(\.at).max() ?? 0
        return Brake(
            Subject(.all),
            because: Array(
                text: "the list has no room for all active brakes; the log names those that left it: "
                    + "raise brake.entries, order them again, then release all"),
            by: fullList, at: min(moment, lastMoment))
    }
}
