import Bytes

/// What the operator has last said of something: that nothing is issued of it, or that it is free again.
package struct Brake: Sendable, Equatable {
    /// What is stopped. The raw values stand in files, in the audit and in commands.
    package enum Kind: String, CaseIterable, Sendable {
        /// What a grant gives.
        case grant
        /// What a caller gets, as `deny` names it; of `ticket:ID`, what the ticket gets.
        case caller
        /// What is made with a credential.
        case credential
        /// What callers get by tokens of an issuer.
        case issuer
        /// Everything.
        case all
    }

    /// What it is about. Names are compared as bytes.
    package struct Subject: Sendable, Hashable {
        package let kind: Kind
        /// Empty for `all`.
        package let name: [UInt8]

        package init(_ kind: Kind, _ name: [UInt8] = []) {
            self.kind = kind
            self.name = name
        }

        /// The kind, and the name behind it.
        package var text: String { name.isEmpty ? kind.rawValue : "\(kind.rawValue) \(name.text)" }

        fileprivate func precedes(_ other: Subject) -> Bool {
            kind == other.kind ? name.precedes(other.name) : kind.rawValue < other.kind.rawValue
        }
    }

    package let subject: Subject
    /// Why, in the operator's words.
    package let reason: [UInt8]
    /// Who has said so.
    package let by: [UInt8]
    /// When it was said, in milliseconds since 1970.
    package let at: Int64
    /// When it ends by itself, in milliseconds since 1970; nil where it does not, and for a release.
    package let until: Int64?
    /// Whether it sets free what an earlier one has stopped. A release is kept, so that no older copy of a list brings the brake back.
    package let isReleased: Bool

    /// A brake, or a release.
    package init(
        _ subject: Subject, because reason: [UInt8], by author: [UInt8], at moment: Int64, until end: Int64? = nil,
        isReleased: Bool = false
    ) {
        self.subject = subject
        self.reason = reason
        by = author
        at = moment
        until = isReleased ? nil : end
        self.isReleased = isReleased
    }

    /// Whether it stops anything: to the end of the second in which it ends.
    /// - Parameter now: seconds since 1970.
    package func isInForce(at now: Int64) -> Bool {
        !isReleased && until.map { $0 > 0 && now <= ($0 - 1) / 1000 } ?? true
    }

    /// Whether nobody needs to know of it any more: it was released, or has ended, so long ago that no older copy can still be about.
    /// - Parameter now: seconds since 1970.
    func isForgotten(at now: Int64) -> Bool {
        guard let end = isReleased ? at : until else { return false }
        return end / 1000 + Brake.memory < now
    }

    /// How long a release, and a brake that has ended, is kept: 30 days, in seconds.
    package static let memory: Int64 = 30 * 86_400

    /// Whether it holds where two are of the same subject: the later one, and of the same moment the one that stops more. That is a brake
    /// rather than a release, then the one that ends later. Of those alike, the bytes of author and reason decide.
    func outranks(_ other: Brake) -> Bool {
        if at != other.at { return at > other.at }
        if isReleased != other.isReleased { return other.isReleased }
        let (end, otherEnd) = (until ?? .max, other.until ?? .max)
        if end != otherEnd { return end > otherEnd }
        return by == other.by ? other.reason.precedes(reason) : other.by.precedes(by)
    }

    /// Whether it stays rather than another of any subject, where not all can.
    func staysRather(than other: Brake) -> Bool {
        if outranks(other) { return true }
        return !other.outranks(self) && subject.precedes(other.subject)
    }

    /// The order in a list.
    func precedes(_ other: Brake) -> Bool { subject.precedes(other.subject) }
}
