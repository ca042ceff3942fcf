import Access
import Crypto

/// A key that counts from the service's start to its end, and what stands there.
package struct RestartOnlySetting: Sendable, Equatable {
    let path: String
    private let value: Value

    private enum Value: Equatable {
        case texts([[UInt8]])
        case secret(Secret)

        static func == (a: Value, b: Value) -> Bool {
            switch (a, b) {
            case (.texts(let a), .texts(let b)): a == b
            case (.secret(let a), .secret(let b)): a.constantTimeEquals(b)
            default: false
            }
        }
    }

    /// All that values hold of them, in the order of their descriptions.
    static func all(
        in values: FieldValues, by descriptions: [FieldDescription], below path: String = ""
    ) -> [RestartOnlySetting] {
        descriptions.flatMap { field -> [RestartOnlySetting] in
            let own = field.isFixed ? [RestartOnlySetting(path: path + field.name, value: value(values[field]))] : []
            guard case .object(let fields) = field.kind else { return own }
            // One that is not there has the same keys, without values: lists of two configurations are compared in pairs.
            let inner = if case .object(let inner)? = values[field] { inner } else { FieldValues() }
            return own + all(in: inner, by: fields, below: path + field.name + ".")
        }
    }

    /// What tells a value from another; an object only from none.
    private static func value(_ value: FieldValues.Value?) -> Value {
        switch value {
        case nil: .texts([])
        case .string(let text)?: .texts([text])
        case .strings(let list)?: .texts(list)
        case .boolean(let flag)?: .texts([Array("\(flag)".utf8)])
        case .integer(let number)?: .texts([Array("\(number)".utf8)])
        case .secret(let secret)?: .secret(secret)
        case .rate?, .template?, .object?, .objects?, .json?, .members?: .texts([[]])
        }
    }
}

extension Configuration {
    /// The keys in which it differs from the one that the service was started with, although they cannot change meanwhile.
    package func keysFixedOtherwise(than started: [RestartOnlySetting]) -> [String] {
        zip(fixed, started).filter { $0 != $1 }.map(\.0.path)
    }
}
