import Bytes

/// JSON that is put together as a tree; for documents that are written once. Each case writes itself: an open `JSONObject` would
/// need every case a second time, as a member.
indirect enum JSONDocument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case text(String)
    case number(Int64)
    case flag(Bool)
    case list([JSONDocument])
    case object([(name: String, value: JSONDocument)])

    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int64) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(arrayLiteral elements: JSONDocument...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSONDocument)...) { self = .object(elements.map { ($0.0, $0.1) }) }

    func write(into out: inout ByteWriter) {
        switch self {
        case .text(let text): out.append(jsonString: text)
        case .number(let number): out.append(decimal: number)
        case .flag(let flag): out.append(flag ? "true" : "false")
        case .list(let elements):
            out.append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { out.append(",") }
                element.write(into: &out)
            }
            out.append("]")
        case .object(let members):
            out.append("{")
            for (index, member) in members.enumerated() {
                if index > 0 { out.append(",") }
                out.append(jsonString: member.name)
                out.append(":")
                member.value.write(into: &out)
            }
            out.append("}")
        }
    }
}
