import Bytes
import Crypto

/// What the configuration says for a list of field descriptions, checked for type and bounds.
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

    package subscript(name: String) -> Value? {
        get { values[name] }
        set { values[name] = newValue }
    }

    package func string(_ name: String) -> [UInt8]? { if case .string(let text)? = values[name] { text } else { nil } }
    package func boolean(_ name: String) -> Bool? { if case .boolean(let flag)? = values[name] { flag } else { nil } }
    package func integer(_ name: String) -> Int64? {
        if case .integer(let value)? = values[name] { value } else { nil }
    }
    package func secret(_ name: String) -> Secret? {
        if case .secret(let secret)? = values[name] { secret } else { nil }
    }
    package func rate(_ name: String) -> Rate? { if case .rate(let rate)? = values[name] { rate } else { nil } }
    package func strings(_ name: String) -> [[UInt8]]? {
        if case .strings(let list)? = values[name] { list } else { nil }
    }

    package func template(_ name: String) -> KeyTemplate? {
        if case .template(let template)? = values[name] { template } else { nil }
    }

    package func object(_ name: String) -> FieldValues? {
        if case .object(let fields)? = values[name] { fields } else { nil }
    }

    package func objects(_ name: String) -> [FieldValues]? {
        if case .objects(let list)? = values[name] { list } else { nil }
    }

    package func json(_ name: String) -> [UInt8]? { if case .json(let text)? = values[name] { text } else { nil } }

    package func members(_ name: String) -> [JSONMember]? {
        if case .members(let members)? = values[name] { members } else { nil }
    }
}

/// Whoever keeps the values of a credential shows none of them.
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
