import Bytes
import Crypto

/// One key of the configuration, with the type of what stands there. It is declared once, and read by its declaration: a name
/// that nothing is declared by does not compile.
///
/// It is a class so that a group of fields is copied in a moment: a grant's are, for every grant. What reads it by a key
/// path is inlined in other modules, for which the types are usable there, too: else the runtime makes an object for each key path at each start.
// Unsafe: the compiler does not check a class that inherits; what it has are constants that are Sendable.
@usableFromInline
package final class Field<Value: Sendable>: AnyField, @unchecked Sendable {
    private let read: @Sendable (FieldValues.Value) -> Value
    /// What it reads as where nothing is given.
    private let nothing: Value
    private let store: @Sendable (Value) -> FieldValues.Value?

    private init(
        _ description: FieldDescription, read: @escaping @Sendable (FieldValues.Value) -> Value, without nothing: Value,
        store: @escaping @Sendable (Value) -> FieldValues.Value?
    ) {
        self.read = read
        self.nothing = nothing
        self.store = store
        super.init(description)
    }

    /// A key that has a value when it is not given.
    /// - Parameters:
    ///   - told: whether callers who may use a grant of it are told (`GET /grants`).
    ///   - fixed: what can change it where no reload can; nil where a reload can.
    ///   - summary: one sentence for the documentation.
    package convenience init(
        _ name: String, _ kind: FieldKind<Value>, default standard: Value, told: Bool = false,
        fixed: FieldDescription.Fixity? = nil, _ summary: String
    ) {
        self.init(
            FieldDescription(
                name: name, kind: kind.form, without: .standard(kind.store(standard)), isTold: told, fixity: fixed,
                summary: summary),
            read: { kind.read($0) ?? standard }, without: standard, store: { kind.store($0) })
    }

    /// A key that must be given, or that may be left out and has no value then. One that is required reads as nil only where
    /// what is given is wrong, which has been reported.
    package convenience init<Given: Sendable>(
        _ name: String, _ kind: FieldKind<Given>, required: Bool = false, told: Bool = false,
        fixed: FieldDescription.Fixity? = nil, _ summary: String
    ) where Value == Given? {
        self.init(
            FieldDescription(
                name: name, kind: kind.form, without: required ? .refused : .nothing, isTold: told, fixity: fixed,
                summary: summary),
            read: kind.read, without: nil, store: { $0.map(kind.store) })
    }

    /// An object of keys none of which must be given: without it, all of them have their defaults.
    package convenience init<Group: FieldGroup>(_ name: String, object group: Group, _ summary: String)
    where Value == Settings<Group> {
        self.init(name, object: .object(group), without: Settings(of: group), summary)
    }

    /// An object whose keys are no group.
    /// - Parameter nothing: what it is without any key.
    package convenience init(_ name: String, object kind: FieldKind<Value>, without nothing: Value, _ summary: String) {
        self.init(
            FieldDescription(name: name, kind: kind.form, summary: summary),
            read: { kind.read($0) ?? nothing }, without: nothing, store: { kind.store($0) })
    }

    /// The same key, of which it is said that it will go.
    package func deprecated(_ deprecation: Deprecation) -> Field {
        Field(FieldDescription(description, deprecation), read: read, without: nothing, store: store)
    }

    fileprivate func value(in values: FieldValues) -> Value {
        guard let stored = values[description] else { return nothing }
        return read(stored)
    }

    fileprivate func stored(_ value: Value) -> FieldValues.Value? { store(value) }
}

extension Field where Value == Rate? {
    /// A rate that holds when none is given; null lifts it.
    package convenience init(_ name: String, default standard: Rate?, _ summary: String) {
        let kind = FieldKind<Rate>.rate
        self.init(
            FieldDescription(
                name: name, kind: kind.form, without: standard.map { .standard(kind.store($0)) } ?? .nothing,
                summary: summary),
            read: kind.read, without: nil, store: { $0.map(kind.store) })
    }
}

extension [[UInt8]] {
    /// A default of a list of texts.
    package static func texts(_ texts: String...) -> [[UInt8]] { texts.map { [UInt8]($0.utf8) } }
}

extension Field where Value == [UInt8] {
    package convenience init(
        _ name: String, _ kind: FieldKind<Value>, default text: String, told: Bool = false,
        fixed: FieldDescription.Fixity? = nil, _ summary: String
    ) {
        self.init(name, kind, default: Array(text.utf8), told: told, fixed: fixed, summary)
    }
}

// MARK: - Groups

/// The keys of one object, as properties: each is a `Field`, or another group whose keys stand beside its own.
@usableFromInline
package protocol FieldGroup: Sendable {}

extension FieldGroup {
    /// The keys, in the order of the properties.
    package var descriptions: [FieldDescription] {
        StoredReferences.of(self, AnyField.self).map(\.description)
    }
}

// Unsafe: the compiler does not check a class that others inherit from; its one property is a constant that is Sendable.
/// A `Field` of any type.
@usableFromInline
package class AnyField: @unchecked Sendable {
    package final let description: FieldDescription

    fileprivate init(_ description: FieldDescription) { self.description = description }

    /// Its name in the configuration.
    package final var name: String { description.name }
}

/// A group that many `Settings` are read by: a reference to it is copied in a moment, and a group may have dozens of fields.
///
/// `Shared` and `Settings` do not demand a `FieldGroup`; their initialisers do. For a type that demands it, the runtime searches
/// all conformances of the program, at each start and for each group.
@usableFromInline
package final class Shared<Group: Sendable>: Sendable {
    @usableFromInline let fields: Group

    @usableFromInline package init(_ fields: Group) where Group: FieldGroup { self.fields = fields }
}

/// What the configuration says for the keys of a group, read as if they were its own properties.
@dynamicMemberLookup
@usableFromInline
package struct Settings<Group: Sendable>: Sendable {
    /// The same for whichever keys.
    @usableFromInline package var values: FieldValues
    @usableFromInline let group: Shared<Group>

    @usableFromInline package init(_ values: FieldValues = FieldValues(), of group: Group) where Group: FieldGroup {
        self.init(values, of: Shared(group))
    }

    @usableFromInline package init(_ values: FieldValues, of group: Shared<Group>) {
        self.values = values
        self.group = group
    }

    @inlinable
    package subscript<Value>(dynamicMember field: KeyPath<Group, Field<Value>>) -> Value {
        get { values[group.fields[keyPath: field]] }
        set { values[group.fields[keyPath: field]] = newValue }
    }

    /// What it says for a group that stands in it.
    @inlinable
    package subscript<Part: FieldGroup>(dynamicMember part: KeyPath<Group, Part>) -> Settings<Part> {
        Settings<Part>(values, of: group.fields[keyPath: part])
    }

    /// What the key says; nil where what is given is wrong, which has been reported.
    @inlinable
    package func checked<Value>(_ field: KeyPath<Group, Field<Value>>) -> Value? {
        values.checked(group.fields[keyPath: field])
    }
}

extension FieldValues {
    @usableFromInline package subscript<Value>(field: Field<Value>) -> Value {
        get { field.value(in: self) }
        set { self[field.description] = field.stored(newValue) }
    }

    /// What the key says; nil where what is given is wrong, which has been reported.
    @usableFromInline package func checked<Value>(_ field: Field<Value>) -> Value? {
        self[field.description].map { _ in self[field] }
    }
}
