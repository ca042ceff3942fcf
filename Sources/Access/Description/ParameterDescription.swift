import Bytes

/// One parameter of a route: what a caller may give, and what is checked before anybody decides about it.
///
/// It is a class so that looking one up for every request copies nothing.
package final class ParameterDescription: Sendable {
    package enum Kind: Sendable {
        /// The name of a grant.
        case grant
        /// A bucket's name.
        case bucket
        /// An object's whole key of at most this many bytes (R13).
        case key(maximumLength: Int)
        /// What keys begin with, of at most this many bytes; stands for all of them.
        case keyPrefix(maximumLength: Int)
        /// A lifetime in seconds, at least so many (R5).
        case lifetime(least: Int64)
        case integer(ClosedRange<Int64>)
        /// Text of at most this many bytes; line breaks are allowed where a protocol has them.
        case text(maximumLength: Int)
        /// Names with values, given one by one as `name:value` for a separator of `:`, in a JSON array of such texts, or as a
        /// JSON object (R3): at most so many, each of at most so many bytes.
        case pairs(separator: UInt8, maximumCount: Int, maximumLength: Int)
    }

    package let name: String
    package let aliases: [String]
    package let kind: Kind
    package let summary: String
    /// The name and the aliases as they stand in a request.
    let nameBytes: [UInt8]
    let aliasBytes: [[UInt8]]

    package init(_ name: String, aliases: [String] = [], _ kind: Kind, _ summary: String) {
        self.name = name
        self.aliases = aliases
        self.kind = kind
        self.summary = summary
        nameBytes = Array(name.utf8)
        aliasBytes = aliases.map { Array($0.utf8) }
    }

    func isCalled(_ text: Span<UInt8>) -> Bool {
        if text.equals(nameBytes) { return true }
        for alias in aliasBytes where text.equals(alias) { return true }
        return false
    }

    package static let grant = ParameterDescription(
        "grant", .grant, "The grant to use, where several would fit.")
    package static let bucket = ParameterDescription(
        "bucket", .bucket, "The bucket; needed only where the grant leaves it open.")
    package static let expires = expires(from: 1)

    /// - Parameter least: the vendor's shortest lifetime, in seconds.
    package static func expires(from least: Int64) -> ParameterDescription {
        ParameterDescription(
            "expires", .lifetime(least: least),
            "For how many seconds the credential should hold; the grant has a standard and a maximum.")
    }
}
