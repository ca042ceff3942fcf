/// Who enforces a clause of a grant when the issued credential is used (R18).
package struct Enforcement: Sendable {
    package enum Keeper: String, Sendable {
        /// The vendor, which refuses a request that breaks the clause.
        case vendor
        /// This service, before or instead of the vendor.
        case service
        /// Nobody can enforce it.
        case nobody
    }

    package let keeper: Keeper
    /// What the clause is about, such as `key`.
    package let subject: String
    /// How it is enforced, or why it cannot be.
    package let means: String

    package init(_ keeper: Keeper, _ subject: String, _ means: String) {
        self.keeper = keeper
        self.subject = subject
        self.means = means
    }

    /// What is signed may be used again and again until it ends.
    package static let reuse = Enforcement(.nobody, "uses", "how often it is used before it ends is not limited")
}
