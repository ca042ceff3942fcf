import Bytes

/// Names and values as Alibaba Cloud's signatures and `application/x-www-form-urlencoded` both have them: percent-encoded
/// but for RFC 3986's unreserved characters, in upper case, a space being `%20` and an empty value still having its `=`.
package enum QueryText {
    /// The fields in the order given.
    static func write(_ fields: [NameValue], into out: inout ByteWriter) {
        for (index, field) in fields.enumerated() {
            if index > 0 { out.append(UInt8(ascii: "&")) }
            Percent.encode(field.name.span, into: &out)
            out.append(UInt8(ascii: "="))
            Percent.encode(field.value.span, into: &out)
        }
    }

    /// The same, as bytes of its own.
    package static func form(_ fields: [NameValue]) -> [UInt8] {
        var out = ByteWriter(capacity: 1024)
        write(fields, into: &out)
        return out.array
    }

    /// The fields in the order in which they are signed: by name, then by value, as bytes.
    static func sorted(_ fields: [NameValue]) -> [NameValue] {
        fields.sorted { $0.name == $1.name ? $0.value.precedes($1.value) : $0.name.precedes($1.name) }
    }
}
