/// The verdicts of the grants on one ask, put together. Neither their order nor a verdict that is added twice changes the result.
struct Tally {
    /// The number of the grant that fits; of several, the first that was added.
    private(set) var winner: Int32?
    private(set) var isAmbiguous = false
    /// The longest lifetime of the grants that refuse nothing but the lifetime asked for.
    private(set) var longest: Int64?
    /// The missing parameter of the last grant that refuses nothing else.
    private(set) var missing: (parameter: String, number: Int32)?
    /// The objection of the grant that came nearest; of several such grants, that of the last.
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
