/// One key of the configuration: what it is called, what may stand there, what it means. The reader of the configuration works
/// from these, and its documentation is compared with them; there is no second list.
package struct FieldDescription: Sendable {
    package enum Kind: Sendable {
        /// Text of at least one character, without control characters.
        case string
        /// The same, with places `${…}` that the vendor fills in.
        case vendorText
        /// One of a few words.
        case choice([String])
        case boolean
        /// A whole number within bounds.
        case integer(ClosedRange<Int64>)
        /// Such as "90s", "15m", "1h", "7d"; kept in milliseconds.
        case duration(ClosedRange<Int64>)
        /// Such as "8KiB" or a number of bytes.
        case size(ClosedRange<Int64>)
        /// Such as "60/min"; null for none.
        case rate
        /// Text, `{ env: "NAME" }` or `{ file: "PATH" }`.
        case secret
        /// A point in time such as "2027-01-01T00:00:00Z"; kept in seconds since 1970.
        case time
        /// A key, prefix or name with `${…}` in it (R14).
        case template
        /// A list of texts, or one text for a list of one.
        case strings
        /// An object with these keys.
        case object([FieldDescription])
        /// A list of objects with these keys.
        case objects([FieldDescription])
        /// A JSON object of any members, at most so many bytes without white space; kept as such a text.
        case json(maximumLength: Int)
        /// An object whose keys are names given by the user; what each holds is described elsewhere.
        case members
    }

    package let name: String
    package let kind: Kind
    package let isRequired: Bool
    /// What holds when the key is not given, as it would be written in JSON; nil when there is no such value.
    package let standard: String?
    /// Whether callers who may use a grant of it are told (`GET /grants`).
    package let isTold: Bool
    /// Whether it counts from the service's start to its end, so that no reload can change it; of an object, whether it is
    /// there.
    package let isFixed: Bool
    /// One sentence for the documentation.
    package let summary: String

    package init(
        _ name: String, _ kind: Kind, required: Bool = false, standard: String? = nil, told: Bool = false,
        fixed: Bool = false, _ summary: String
    ) {
        self.name = name
        self.kind = kind
        self.isRequired = required
        self.standard = standard
        isTold = told
        isFixed = fixed
        self.summary = summary
    }
}
