import Bytes
import Crypto

/// What may stand at a key, and the type in which it is read.
package struct FieldKind<Value: Sendable>: Sendable {
    let form: FieldDescription.Kind
    let read: @Sendable (FieldValues.Value) -> Value?
    let store: @Sendable (Value) -> FieldValues.Value

    package init(
        form: FieldDescription.Kind, read: @escaping @Sendable (FieldValues.Value) -> Value?,
        store: @escaping @Sendable (Value) -> FieldValues.Value
    ) {
        self.form = form
        self.read = read
        self.store = store
    }
}

extension FieldKind where Value == [UInt8] {
    /// Text of at least one character, without control characters.
    package static var string: Self { text(.string) }
    /// The same, with placeholders `${…}` that the vendor fills in.
    package static var vendorText: Self { text(.vendorText) }
    /// One of a few words.
    package static func choice(_ words: [String]) -> Self { text(.choice(words)) }

    /// A JSON object of any members, at most so many bytes without white space; read as such a text.
    package static func json(maximumLength: Int) -> Self {
        Self(
            form: .json(maximumLength: maximumLength), read: { if case .json(let text) = $0 { text } else { nil } },
            store: { .json($0) })
    }

    private static func text(_ form: FieldDescription.Kind) -> Self {
        Self(form: form, read: { if case .string(let text) = $0 { text } else { nil } }, store: { .string($0) })
    }
}

// Here a list of cases of unknown type, and a key path, would be looked up by name at each start.
extension FieldKind where Value: CaseIterable, Value.AllCases == [Value] {
    /// One of the type's cases, by the names that they are given.
    package static func choice(_ type: Value.Type, by name: @escaping @Sendable (Value) -> String) -> Self {
        Self(
            form: .choice(Value.allCases.map(name)),
            read: { stored in
                guard case .string(let text) = stored else { return nil }
                return Value.allCases.first { name($0).utf8.elementsEqual(text) }
            },
            store: { .string(Array(name($0).utf8)) })
    }
}

extension FieldKind where Value: CaseIterable & RawRepresentable<String>, Value.AllCases == [Value] {
    /// One of the type's cases, by their raw values.
    package static func choice(_ type: Value.Type) -> Self { choice(type, by: { $0.rawValue }) }
}

extension FieldKind where Value == Bool {
    package static var boolean: Self {
        Self(form: .boolean, read: { if case .boolean(let flag) = $0 { flag } else { nil } }, store: { .boolean($0) })
    }
}

extension FieldKind where Value == Int {
    /// A whole number within bounds.
    package static func integer(_ bounds: ClosedRange<Int64>) -> Self { number(.integer(bounds)) }
    /// Such as "8KiB" or a number of bytes.
    package static func size(_ bounds: ClosedRange<Int64>) -> Self { number(.size(bounds)) }
    /// Such as "30d" or a number of days.
    package static func days(_ bounds: ClosedRange<Int64>) -> Self { number(.days(bounds)) }

    private static func number(_ form: FieldDescription.Kind) -> Self {
        Self(
            form: form, read: { if case .integer(let number) = $0 { Int(exactly: number) } else { nil } },
            store: { .integer(Int64($0)) })
    }
}

extension FieldKind where Value == Int64 {
    /// Such as "90s", "15m", "1h", "7d"; read in milliseconds.
    package static func duration(_ bounds: ClosedRange<Int64>) -> Self { number(.duration(bounds)) }
    /// A point in time such as "2027-01-01T00:00:00Z"; read in seconds since 1970.
    package static var time: Self { number(.time) }

    private static func number(_ form: FieldDescription.Kind) -> Self {
        Self(
            form: form, read: { if case .integer(let number) = $0 { number } else { nil } },
            store: { .integer($0) })
    }
}

extension FieldKind where Value == Rate {
    /// Such as "60/min"; null for none.
    package static var rate: Self {
        Self(form: .rate, read: { if case .rate(let rate) = $0 { rate } else { nil } }, store: { .rate($0) })
    }
}

extension FieldKind where Value == Secret {
    /// Text, `{ env: "NAME" }` or `{ file: "PATH" }`.
    package static var secret: Self {
        Self(form: .secret, read: { if case .secret(let secret) = $0 { secret } else { nil } }, store: { .secret($0) })
    }
}

extension FieldKind where Value == KeyTemplate {
    /// A key, prefix or name with `${…}` in it (R14).
    package static var template: Self {
        Self(
            form: .template, read: { if case .template(let template) = $0 { template } else { nil } },
            store: { .template($0) })
    }
}

extension FieldKind where Value == [[UInt8]] {
    /// A list of texts, or one text for a list of one.
    package static var strings: Self {
        Self(form: .strings, read: { if case .strings(let list) = $0 { list } else { nil } }, store: { .strings($0) })
    }
}

extension FieldKind where Value == [JSONMember] {
    /// An object whose keys are names given by the user; what each holds is described elsewhere.
    package static var members: Self {
        Self(
            form: .members, read: { if case .members(let members) = $0 { members } else { nil } },
            store: { .members($0) })
    }
}

extension FieldKind {
    /// An object with the keys of a group.
    package static func object<Group: FieldGroup>(_ group: Group) -> Self where Value == Settings<Group> {
        let shared = Shared(group)
        return Self(
            form: .object(group.descriptions),
            read: { if case .object(let values) = $0 { Settings(values, of: shared) } else { nil } },
            store: { .object($0.values) })
    }

    /// A list of objects with the keys of a group.
    package static func objects<Group: FieldGroup>(_ group: Group) -> Self where Value == [Settings<Group>] {
        let shared = Shared(group)
        return Self(
            form: .objects(group.descriptions),
            read: { if case .objects(let list) = $0 { list.map { Settings($0, of: shared) } } else { nil } },
            // A key path of an unknown group would be looked up by name at each start.
            store: { .objects($0.map { $0.values }) })
    }
}
