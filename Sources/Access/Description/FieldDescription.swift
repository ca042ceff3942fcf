/// What a key of the configuration is called, what may stand there, what it means. The reader of the configuration works from
/// these, and its documentation is compared with them; each is made by the `Field` that declares it.
///
/// It is a class so that a list of them is looked through without copying any.
package final class FieldDescription: Sendable {
    package enum Kind: Sendable {
        case string
        case vendorText
        case choice([String])
        case boolean
        case integer(ClosedRange<Int64>)
        /// In milliseconds.
        case duration(ClosedRange<Int64>)
        /// In bytes.
        case size(ClosedRange<Int64>)
        /// In whole days.
        case days(ClosedRange<Int64>)
        case rate
        case secret
        case time
        case template
        case strings
        case object([FieldDescription])
        case objects([FieldDescription])
        case json(maximumLength: Int)
        case members
    }

    package let name: String
    package let nameBytes: [UInt8]
    package let kind: Kind
    package let isRequired: Bool
    /// What holds when the key is not given; nil when there is no such value.
    package let standard: FieldValues.Value?
    /// What is read when it is not given: `standard`, or an object with every standard, unless it must hold something.
    package let absent: FieldValues.Value?
    /// Whether callers who may use a grant of it are told (`GET /grants`).
    package let isTold: Bool
    /// What can change it where no reload can; nil where a reload can. Of an object: whether it is there.
    package let fixity: Fixity?
    /// When it will go; nil where it stays.
    package let deprecation: Deprecation?
    /// One sentence for the documentation.
    package let summary: String

    /// What can change a key that no reload can.
    package enum Fixity: Sendable {
        /// A new process of the service, also one that takes over (SIGUSR2).
        case forProcess
        /// A new process, when no other one runs: two must not have different values.
        case forService
    }

    /// What holds where a key is not given.
    enum Absence {
        /// It has no value.
        case nothing
        /// It is an error.
        case refused
        case standard(FieldValues.Value)
    }

    init(
        name: String, kind: Kind, without absence: Absence = .nothing, isTold: Bool = false, fixity: Fixity? = nil,
        summary: String
    ) {
        self.name = name
        nameBytes = Array(name.utf8)
        self.kind = kind
        isRequired = if case .refused = absence { true } else { false }
        standard = if case .standard(let value) = absence { value } else { nil }
        absent = standard ?? FieldDescription.absentObject(of: kind)
        self.isTold = isTold
        self.fixity = fixity
        deprecation = nil
        self.summary = summary
    }

    /// The same, of which it is said that it will go.
    init(_ other: FieldDescription, _ deprecation: Deprecation) {
        name = other.name
        nameBytes = other.nameBytes
        kind = other.kind
        isRequired = other.isRequired
        standard = other.standard
        absent = other.absent
        isTold = other.isTold
        fixity = other.fixity
        self.deprecation = deprecation
        summary = other.summary
    }

    private static func absentObject(of kind: Kind) -> FieldValues.Value? {
        guard case .object(let fields) = kind, !fields.contains(where: \.isRequired) else { return nil }
        var values = FieldValues()
        for field in fields { values[field] = field.absent }
        return .object(values)
    }
}
