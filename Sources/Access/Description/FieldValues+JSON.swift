import Bytes

extension ByteWriter {
    /// A member of a JSON object with the comma before it; nothing for a value that is not there or not written so.
    package mutating func append(member name: String, _ value: FieldValues.Value?) {
        switch value {
        case .string(let bytes):
            append(memberName: name)
            append(jsonString: bytes)
        case .integer(let number):
            append(memberName: name)
            append(decimal: number)
        case .boolean(let flag):
            append(memberName: name)
            append(flag ? "true" : "false")
        case .strings(let list):
            append(memberName: name)
            append(UInt8(ascii: "["))
            for (index, text) in list.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                append(jsonString: text)
            }
            append(UInt8(ascii: "]"))
        case .rate, .secret, .template, .object, .objects, .json, .members, nil: return
        }
    }

    private mutating func append(memberName name: String) {
        append(",\"")
        append(text: name)
        append("\":")
    }
}
