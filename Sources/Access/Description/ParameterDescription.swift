import Bytes

/// What a parameter of a route is called, what a caller may give, and what is checked before anybody decides about it; made by
/// the `Parameter` that declares it.
///
/// It is a class so that looking one up for every request copies nothing, and so that one is told from another at once.
package final class ParameterDescription: Sendable {
    package enum Kind: Sendable {
        case grant
        case bucket
        case key(maximumLength: Int)
        case keyPrefix(maximumLength: Int)
        /// What a key ends in, which the grant's prefix, or the extension in the grant's key, makes whole.
        case keyName(maximumLength: Int)
        case fileExtension
        case lifetime(least: Int64)
        case integer(ClosedRange<Int64>)
        case text(maximumLength: Int)
        case pairs(separator: UInt8, maximumCount: Int, maximumLength: Int)
        /// The text of a JSON value as it is written, its white space included.
        case json(maximumLength: Int)
        /// Anything, which nothing depends on.
        case ignored

        /// Whether a value of it in a JSON object is kept as it stands there.
        var isWhole: Bool {
            switch self {
            case .json, .ignored: true
            default: false
            }
        }
    }

    /// Whether its value is one text.
    package var isText: Bool {
        switch kind {
        case .grant, .bucket, .key, .keyPrefix, .keyName, .fileExtension, .text: true
        case .lifetime, .integer, .pairs, .json, .ignored: false
        }
    }

    package let name: String
    package let aliases: [String]
    package let kind: Kind
    /// The text that stands for one that is not given; empty when none does.
    let standard: [UInt8]
    package let summary: String
    /// The name as it stands in a request.
    let nameBytes: [UInt8]

    init(name: String, aliases: [String] = [], kind: Kind, standard: [UInt8] = [], summary: String) {
        self.name = name
        self.aliases = aliases
        self.kind = kind
        self.standard = standard
        self.summary = summary
        nameBytes = Array(name.utf8)
    }
}
