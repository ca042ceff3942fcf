/// Who sees to it that something a grant says still holds when what was issued is used (R18).
package struct Enforcement: Sendable {
    package enum Keeper: String, Sendable {
        /// The vendor refuses whatever is otherwise.
        case vendor
        /// This service, which does it or looks at it itself.
        case service
        /// It cannot be held to.
        case nobody
    }

    package let keeper: Keeper
    /// What is held to, such as `key`.
    package let subject: String
    /// By what, or why not.
    package let means: String

    package init(_ keeper: Keeper, _ subject: String, _ means: String) {
        self.keeper = keeper
        self.subject = subject
        self.means = means
    }

    /// What is signed may be used again and again until it ends.
    package static let reuse = Enforcement(.nobody, "uses", "how often it is used before it ends is not limited")
}
