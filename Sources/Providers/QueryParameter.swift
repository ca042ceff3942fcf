import Bytes

/// A parameter of a request's query, not encoded; without a value it has no `=` either.
package struct QueryParameter: Sendable {
    package let name: [UInt8]
    package let value: [UInt8]?

    package init(name: [UInt8], value: [UInt8]?) {
        self.name = name
        self.value = value
    }
}

extension QueryParameter {
    /// The parameters of a query as it was sent, in their order; nil where one cannot be decoded.
    package static func list(_ query: ArraySlice<UInt8>) -> [QueryParameter]? {
        var parameters: [QueryParameter] = []
        for part in query.split(separator: UInt8(ascii: "&")) {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let name = Percent.decoded(part[..<end]), let value = Percent.decoded(part[end...].dropFirst()) else {
                return nil
            }
            parameters.append(QueryParameter(name: name, value: end == part.endIndex ? nil : value))
        }
        return parameters
    }
}
