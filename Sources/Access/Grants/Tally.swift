/// The verdicts of the grants on one ask, put together. Neither their order nor a verdict that is added twice changes the result.
struct Tally {
    /// The number of the grant that fits; of several, the first that was added.
    private(set) var winner: Int32?
    /// The numbers of the grants that fit, up to as many as an answer names.
    private var fitting = InlineArray<8, Int32>(repeating: 0)
    /// How many grants an answer names at most.
    static let mostNamed = 8
    private var fittingCount = 0
    /// The longest lifetime of the grants that refuse nothing but the lifetime asked for.
    private(set) var longest: Int64?
    /// The missing parameter of the last grant that refuses nothing else.
    private(set) var missing: (parameter: String, number: Int32)?
    /// The objection of the grant that came nearest: it got farthest, then it takes what is asked for (`Grant.takesTarget`). Of several
    /// such grants, that of the last.
    private(set) var objection: (objection: Objection, clause: Clause, takesTarget: Bool, number: Int32)?

    /// - Returns: whether the grant is the first that fits.
    mutating func add(_ verdict: Policy.Verdict, on ask: borrowing Ask, of grant: Grant, _ number: Int32) -> Bool {
        switch verdict {
        case .fits:
            addFitting(number)
            guard winner == nil else { return false }
            winner = number
            return true
        case .foreign, .obscure: break
        case .missing(let parameter, _):
            if missing.map({ $0.number < number }) ?? true { missing = (parameter, number) }
        case .lifetimeTooLong: longest = max(longest ?? 0, grant.lifetimes.longest)
        case .objects(let found, let clause):
            let takesTarget = grant.takesTarget(of: ask)
            if let nearest = objection,
                (clause, takesTarget ? 1 : 0, number) <= (nearest.clause, nearest.takesTarget ? 1 : 0, nearest.number)
            {
                break
            }
            objection = (found, clause, takesTarget, number)
        }
        return false
    }

    private mutating func addFitting(_ number: Int32) {
        guard !isFull else { return }
        for index in 0..<fittingCount where fitting[index] == number { return }
        fitting[fittingCount] = number
        fittingCount += 1
    }

    var isAmbiguous: Bool { fittingCount > 1 }
    /// Whether so many grants fit that others change nothing.
    var isFull: Bool { fittingCount == fitting.count }
    /// The numbers of the grants that fit, in the order of the configuration.
    var fittingNumbers: [Int32] { (0..<fittingCount).map { fitting[$0] }.sorted() }

    /// Whether some grant got as far as a clause.
    func reaches(_ clause: Clause) -> Bool {
        winner != nil || longest != nil || missing != nil || objection.map { $0.clause >= clause } ?? false
    }
}
