import Access
import Bytes

/// What callers say of a listing that the service asks a vendor for.
struct ListingParameters: ParameterGroup {
    let prefix: Parameter<Span<UInt8>>
    let delimiter = Parameter("delimiter", .text(maximumLength: 64), "Where keys are cut to folders, such as /.")
    let marker = Parameter("marker", .text(maximumLength: 2048), "Where the listing goes on: the last one's.")
    let limit = Parameter("limit", .integer(1...1000), "The most keys that are listed.")

    /// - Parameter maximumKeyLength: the vendor's longest key, in bytes.
    init(maximumKeyLength: Int) {
        prefix = Parameter(
            "prefix", .keyPrefix(maximumLength: maximumKeyLength),
            "What the listed keys begin with; without it, the grant's prefix.")
    }

    /// Checks what the descriptions do not tell.
    func check(_ ask: borrowing Ask) throws(AskError) {
        try check(delimiter, of: ask)
        try check(marker, of: ask)
    }

    private func check(_ parameter: Parameter<Span<UInt8>>, of ask: borrowing Ask) throws(AskError) {
        guard ask[parameter]?.hasControlCharacters == true else { return }
        throw AskError(.invalid, parameter.name, "must have no control characters")
    }

    /// The fields of the vendor's query but for the prefix, which is the permit's.
    /// - Parameter name: of the field that the vendor has for the limit.
    func fields(of ask: borrowing Ask, limit name: StaticString) -> [NameValue] {
        var fields: [NameValue] = []
        if let text = ask[delimiter] { fields.append(NameValue(Array(delimiter.name.utf8), text.array)) }
        if let text = ask[marker] { fields.append(NameValue(Array(marker.name.utf8), text.array)) }
        if let number = ask[limit] { fields.append(NameValue(name.array, Array(text: "\(number)"))) }
        return fields
    }
}
