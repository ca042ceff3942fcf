/// A parameter of a request's query, not encoded; without a value it has no `=` either.
package struct QueryParameter: Sendable {
    package let name: [UInt8]
    package let value: [UInt8]?

    package init(name: [UInt8], value: [UInt8]?) {
        self.name = name
        self.value = value
    }
}
