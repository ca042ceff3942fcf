/// What is asked of a request before a grant admits it, in the order in which it is judged.
package enum Clause: String, Sendable, CaseIterable, Comparable {
    /// Whether the caller is one of the grant's.
    case callers
    /// Whether the caller's claims are those that it asks for (`where`).
    case conditions = "where"
    /// Whether it is the grant that the caller names.
    case name = "grant"
    /// Whether the ticket that the caller uses is for it.
    case ticket
    /// Whether the grant is switched on.
    case enabled
    /// Whether it holds already.
    case notBefore
    /// Whether it has not ended.
    case notAfter
    /// Whether the caller asks from one of its addresses.
    case addresses
    /// Whether the request can be read from what is asked.
    case request
    case bucket
    case key
    /// The rules that hold for the key that would be signed, and the fields that the grant's route has.
    case fields
    /// Whether no more seconds are asked for than may be.
    case lifetime

    private var position: Int { Clause.allCases.firstIndex(of: self) ?? 0 }

    package static func < (one: Clause, other: Clause) -> Bool { one.position < other.position }
}
