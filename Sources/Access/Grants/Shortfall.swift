/// How much earlier the caller's own credential ends than the token that it asks for.
package struct Shortfall: Sendable, Equatable {
    /// What would let the caller have the token.
    package enum Remedy: Sendable, Equatable {
        /// Only by a credential that has no end.
        case endlessCredential
        /// By asking for less time.
        case earlierEnd
        /// By a grant with `outliveCaller: true`.
        case outliveCaller
        /// By asking for fewer seconds, where the credential has the least that the vendor gives, or by such a grant.
        case lesserLifetime(least: Int64)
    }

    /// Seconds that the caller's own credential has left.
    package let left: Int64
    /// Seconds that what is asked for would hold; nil if it never ends.
    package let needed: Int64?
    package let remedy: Remedy
}
