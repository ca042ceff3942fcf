/// What the verdicts of the grants on one ask come to. The order in which they are added makes no difference, nor does one that is
/// added again.
struct Tally {
    /// The number of the grant that fits; of several, the first that was added.
    private(set) var winner: Int32?
    private(set) var isAmbiguous = false
    /// The most seconds that grants give which fit but for the lifetime.
    private(set) var longest: Int64?
    /// What the last grant needs that fits but for a parameter.
    private(set) var missing: (parameter: String, number: Int32)?
    /// That of the grant that came nearest; of several such, of the last.
    private(set) var objection: (objection: Objection, clause: Clause, number: Int32)?

    /// - Returns: whether the grant is the first that fits.
    mutating func add(_ verdict: Policy.Verdict, of grant: Grant, _ number: Int32) -> Bool {
        switch verdict {
        case .fits:
            if winner == nil {
                winner = number
                return true
            }
            if winner != number { isAmbiguous = true }
        case .foreign, .obscure: break
        case .missing(let parameter, _):
            if missing.map({ $0.number < number }) ?? true { missing = (parameter, number) }
        case .lifetimeTooLong: longest = max(longest ?? 0, grant.lifetimes.longest)
        case .objects(let found, let clause):
            if let nearest = objection, (clause, number) <= (nearest.clause, nearest.number) { break }
            objection = (found, clause, number)
        }
        return false
    }

    /// Whether some grant got as far as a clause.
    func reaches(_ clause: Clause) -> Bool {
        winner != nil || longest != nil || missing != nil || objection.map { $0.clause >= clause } ?? false
    }
}
