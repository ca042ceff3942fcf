import Bytes

/// What stands behind the scheme of an Authorization field of newer signatures: `Credential=…, Signature=…`.
struct AuthorizationFields {
    private let fields: [NameValue]

    init(_ value: [UInt8]) {
        fields = value.split(separator: UInt8(ascii: ",")).compactMap { part in
            let part = InspectionInput.trimmed(part)
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return NameValue(Array(part[..<equals]), Array(part[(equals + 1)...]))
        }
    }

    /// The value of the only field of this name; nil where there is none, or several.
    subscript(name: StaticString) -> [UInt8]? {
        let values = fields.filter { $0.name.span.equals(name) }
        return values.count == 1 ? values[0].value : nil
    }
}
