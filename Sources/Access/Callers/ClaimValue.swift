import Bytes

/// A claim, or one element of a claim that is a list. Values of different types are never equal: `3` is not `"3"`.
package enum ClaimValue: Sendable, Hashable {
    case text([UInt8])
    /// Numbers are compared exactly. So only whole ones of 64 bits count, written without fraction and exponent.
    case integer(Int64)
    case boolean(Bool)

    /// - Returns: nil for what conditions cannot be about: null, other numbers, lists and objects.
    package init?(_ value: JSONValue) {
        switch value.content {
        case .string(let text): self = .text(text)
        case .boolean(let flag): self = .boolean(flag)
        case .number(let number):
            guard let integer = number.integer else { return nil }
            self = .integer(integer)
        case .null, .array, .object: return nil
        }
    }

    /// As it stands in JSON.
    package var content: JSONValue.Content {
        switch self {
        case .text(let text): .string(text)
        case .integer(let number): .number(JSONNumber(number))
        case .boolean(let flag): .boolean(flag)
        }
    }

    /// For people, without quotes.
    var shown: [UInt8] {
        switch self {
        case .text(let text): text
        case .integer(let number): Array(text: "\(number)")
        case .boolean(let flag): Array(text: "\(flag)")
        }
    }
}
