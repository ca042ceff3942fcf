import Bytes

/// JSON that is put together as a tree; for documents that are written once. Each case writes itself: an open `JSONObject` would
/// need every case a second time, as a member.
indirect enum JSONDocument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case text(String)
    case number(Int64)
    case flag(Bool)
    case null
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
        case .null: out.append("null")
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

    // MARK: For people

    private static let longestLine = 100

    /// The same in many lines; a list or an object that fits into one stays there.
    func write(indented depth: Int, into out: inout ByteWriter) {
        var line = ByteWriter()
        write(into: &line)
        guard let (opening, children, closing) = parts, line.count + 2 * depth > JSONDocument.longestLine else {
            return out.append(line.array)
        }
        let margin = "\n" + String(repeating: "  ", count: depth)
        out.append(text: opening)
        for (index, child) in children.enumerated() {
            out.append(text: (index > 0 ? "," : "") + margin + "  ")
            if let name = child.name {
                out.append(jsonString: name)
                out.append(": ")
            }
            child.value.write(indented: depth + 1, into: &out)
        }
        out.append(text: margin + closing)
    }

    /// What is in a list or an object, and between what; nil for all else.
    private var parts: (opening: String, children: [(name: String?, value: JSONDocument)], closing: String)? {
        switch self {
        case .text, .number, .flag, .null: nil
        case .list(let elements): ("[", elements.map { (nil, $0) }, "]")
        case .object(let members): ("{", members.map { ($0.name, $0.value) }, "}")
        }
    }

    /// In many lines.
    var indented: String {
        var out = ByteWriter()
        write(indented: 0, into: &out)
        return out.array.text
    }
}
