import Bytes
import Crypto

/// What the configuration says for a list of keys, checked for type and bounds. It is read by the `Field`s that declare them.
package struct FieldValues: Sendable {
    package indirect enum Value: Sendable {
        case string([UInt8])
        case boolean(Bool)
        /// Also sizes in bytes, durations in milliseconds and times in seconds since 1970.
        case integer(Int64)
        case rate(Rate)
        case strings([[UInt8]])
        case secret(Secret)
        case template(KeyTemplate)
        case object(FieldValues)
        case objects([FieldValues])
        /// JSON without white space.
        case json([UInt8])
        /// Members whose names the user gives, in order.
        case members([JSONMember])
    }

    private var values: [String: Value] = [:]

    package init() {}

    package subscript(description: FieldDescription) -> Value? {
        get { values[description.name] }
        set { values[description.name] = newValue }
    }
}

/// Shows no value: they may be those of a credential.
extension FieldValues: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<fields>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What is wrong with a field of the configuration beyond its type: where, why, and what would be right.
package struct FieldProblem: Error, Sendable {
    /// The path below the object being read, such as `policy.fsizeLimit`.
    package let path: String
    package let reason: String

    package init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }
}
