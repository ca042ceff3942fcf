/// What a key of the configuration is called, what may stand there, what it means. The reader of the configuration works from
/// these, and its documentation is compared with them; each is made by the `Field` that declares it.
package struct FieldDescription: Sendable {
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
    package let kind: Kind
    package private(set) var isRequired = false
    /// What holds when the key is not given; nil when there is no such value.
    package private(set) var standard: FieldValues.Value?
    /// Whether callers who may use a grant of it are told (`GET /grants`).
    package private(set) var isTold = false
    /// Whether it counts from the service's start to its end, so that no reload can change it; of an object, whether it is
    /// there.
    package private(set) var isFixed = false
    /// One sentence for the documentation.
    package let summary: String
}
