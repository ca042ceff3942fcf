import Bytes

/// A decision of the policy with every clause that was judged, for operators. It may hold parts of the request, so its reports
/// escape it.
package struct Explanation: Sendable {
    /// What came of one clause of one grant.
    package struct Finding: Sendable {
        package enum Outcome: String, Sendable {
            case holds, fails
            /// An earlier clause did not hold.
            case open
        }

        package let clause: Clause
        /// What exactly it is about, such as `claims.scope`.
        package let subject: String
        package let outcome: Outcome
        /// What the request or its caller says; nil for nothing.
        package let asked: [UInt8]?
        /// What the grant says; nil where it has no say, or several fields of it have one.
        package let granted: [UInt8]?
        /// Why it does not hold; empty where it does.
        package let reason: String
    }

    /// One of the route's grants.
    package struct Judged: Sendable {
        package let grant: Grant
        package let findings: [Finding]

        /// Whether every clause holds.
        package var fits: Bool { findings.allSatisfy { $0.outcome == .holds } }
    }

    /// Something that says when what is issued ends.
    package struct Bound: Sendable {
        package let limit: Permit.Limit
        /// Seconds from the request on.
        package let seconds: Int64
    }

    /// What is permitted.
    package struct Permitted: Sendable {
        package let grant: Grant
        package let bucket, key: [UInt8]
        package let extent: Permit.Extent
        /// Seconds since 1970; nil for what never ends.
        package let expiresAt: Int64?
        package let lifetime: Int64
        package let limitedBy: Permit.Limit
        /// All that bound the lifetime; the least of them won.
        package let bounds: [Bound]
    }

    package enum Outcome: Sendable {
        case permitted(Permitted)
        case denied(Denial)
    }

    package let outcome: Outcome
    /// In the order of the configuration.
    package let grants: [Judged]
}
