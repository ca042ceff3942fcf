import Bytes
import Crypto

/// What the configuration says for a list of keys, checked for type and bounds. It is read by the `Field`s that declare them.
@usableFromInline package struct FieldValues: Sendable {
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

    /// No two of one name. There are so few that looking through them is quicker than hashing.
    private var values: [(name: [UInt8], value: Value)] = []

    @usableFromInline package init() {}

    /// - Parameter capacity: how many keys it has room for.
    package init(capacity: Int) { values.reserveCapacity(capacity) }

    package var isEmpty: Bool { values.isEmpty }

    package subscript(description: FieldDescription) -> Value? {
        get { self[description.nameBytes] }
        set { self[description.nameBytes] = newValue }
    }

    private func index(of name: [UInt8]) -> Int? {
        for index in values.indices where values[index].name == name { return index }
        return nil
    }

    private subscript(name: [UInt8]) -> Value? {
        get { index(of: name).map { values[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): values[index].value = value
            case (let index?, nil): values.remove(at: index)
            case (nil, let value?): values.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// Takes away what stands at a path such as `policy.fsizeLimit`.
    /// - Returns: whether anything stood there.
    package mutating func remove(_ path: String) -> Bool {
        guard let dot = path.firstIndex(of: ".") else {
            let name = Array(text: path)
            defer { self[name] = nil }
            return index(of: name) != nil
        }
        let name = Array(text: path[..<dot])
        guard case .object(var inner)? = self[name], inner.remove(String(path[path.index(after: dot)...])) else {
            return false
        }
        self[name] = .object(inner)
        return true
    }

    /// The templates that name the caller, those in its objects too, with their paths.
    package func callerTemplates(below path: String) -> [(path: String, template: KeyTemplate)] {
        var found: [(path: String, template: KeyTemplate)] = []
        for (name, value) in values {
            switch value {
            case .object(let object) where !object.isEmpty:
                found += object.callerTemplates(below: path + "." + name.text)
            case .template(let template) where template.namesCaller || template.namesSource:
                found.append((path + "." + name.text, template))
            default: continue
            }
        }
        return found
    }
}

/// Shows no value: they may be those of a credential.
extension FieldValues: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    @usableFromInline package var description: String { "<fields>" }
    @usableFromInline package var debugDescription: String { description }
    @usableFromInline package var customMirror: Mirror { Mirror(self, children: [:]) }
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
