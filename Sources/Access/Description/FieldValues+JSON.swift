import Bytes

extension JSONObject {
    /// A member with a field's name and value; nothing for a value that is not there or not written so.
    package mutating func add(_ field: FieldDescription, _ value: FieldValues.Value?) {
        guard let value else { return }
        let name = field.nameBytes
        switch value {
        case .string(let bytes): add(named: name, bytes)
        case .integer(let number): add(named: name, number)
        case .boolean(let flag): add(named: name, flag)
        case .strings(let list): add(named: name.span, array: { array in for text in list { array.add(text) } })
        case .rate, .secret, .template, .object, .objects, .json, .members: return
        }
    }
}
