/// A name and its value, as bytes: a field of a message, a parameter of a query, a field of a form. The value may be a credential,
/// and is in no description.
package struct NameValue: Sendable, Hashable {
    package let name: [UInt8]
    package let value: [UInt8]

    package init(_ name: [UInt8], _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    package init(_ name: StaticString, _ value: [UInt8]) { self.init(name.array, value) }
    package init(_ name: StaticString, _ value: StaticString) { self.init(name.array, value.array) }
}

extension NameValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<\(name.text)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
