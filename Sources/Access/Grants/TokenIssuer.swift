import Bytes
import Crypto

/// A grant's vendor half: it knows what the grant's fields of its route mean, and how the vendor wants it signed. It is made
/// once, when the configuration is compiled, and does no input or output.
package protocol TokenIssuer: Sendable {
    /// What in the ask the grant's own clauses do not admit; nil when they admit all of it. Bucket and key are not its matter.
    func objection(to ask: borrowing Ask) -> Objection?

    /// The name that the caller has with the vendor, rendered into the permit (R14); nil for none.
    var vendorName: KeyTemplate? { get }

    /// What the end of the caller's own credential means for what is issued.
    var callersEnd: CallersEnd { get }

    /// Whether what is issued holds for ever; nobody gets it whose own credential ends.
    var neverEnds: Bool { get }

    /// Writes what is issued: members of a JSON object without its braces, or, if `ask.wantsText`, the bare token.
    ///
    /// Without a permit there is no token, and only `Policy` makes permits.
    /// - Parameter scratch: room to work in; its content before and after means nothing.
    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at moment: borrowing Moment,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError)
}

extension TokenIssuer {
    package var vendorName: KeyTemplate? { nil }
    package var callersEnd: CallersEnd { .shortens }
    package var neverEnds: Bool { false }
}

/// What it means that the caller's own credential ends before what is issued would.
package enum CallersEnd: Sendable {
    /// What is issued ends with it (R5).
    case shortens
    /// Nothing is issued (R17).
    case denies
    /// Nothing.
    case ignored
}

/// Why something permitted could not be issued; the request failed, it was not denied.
package enum IssueError: Error {
    case crypto(CryptoError)
    /// The vendor's format cannot hold a time so late.
    case deadlineTooLate
    /// The ask was not read by its route.
    case nothingToSign
    /// What would be signed could be read in two ways, or is not what it is to be signed as; says what would be right.
    case unsignable(StaticString)
}

/// A clause of a grant that does not admit what is asked.
package struct Objection: Sendable {
    /// The clause's stable name, such as `verb` or `keyPrefix`.
    package let clause: StaticString
    /// Why, and what would be right; nothing of the ask's values.
    package let reason: StaticString

    package init(_ clause: StaticString, _ reason: StaticString) {
        self.clause = clause
        self.reason = reason
    }
}
