import Access
import Bytes

/// The grants of a configuration as they hold: with their defaults, with the values of environment variables, and without secrets.
/// `Configuration.load` fills it in, so it shows the configuration that was loaded.
package final class GrantListing {
    private var grants: [JSONMember] = []

    package init() {}

    /// - Parameters:
    ///   - fields: what holds for the grant.
    ///   - descriptions: its keys, in the order in which they are shown.
    func add(_ name: [UInt8], _ fields: FieldValues, by descriptions: [FieldDescription]) {
        grants.append(JSONMember(named: name, GrantListing.object(fields, descriptions)))
    }

    /// JSON, each key of a grant on its own line.
    package var text: String {
        var out = ByteWriter()
        let all = JSONValue(offset: 0, content: .object([JSONMember(named: Array(text: "grants"), .object(grants))]))
        GrantListing.write(all, indented: 0, into: &out)
        return out.array.text
    }

    // MARK: Values

    private static func object(_ fields: FieldValues, _ descriptions: [FieldDescription]) -> JSONValue.Content {
        .object(
            descriptions.compactMap { description in
                content(of: fields[description], description.kind).map {
                    JSONMember(named: Array(text: description.name), $0)
                }
            })
    }

    /// As it would be written in the file; nil for what is not given.
    private static func content(
        of value: FieldValues.Value?, _ kind: FieldDescription.Kind
    ) -> JSONValue.Content? {
        switch (value, kind) {
        case (nil, _): nil
        case (.integer(let number)?, .duration): .string(Array(text: Units.describe(duration: number)))
        case (.integer(let number)?, .size): .string(Array(text: Units.describe(size: number)))
        case (.integer(let number)?, .days): .string(Array(text: "\(number)d"))
        case (.integer(let number)?, .time): .string(ISO8601.write(number))
        case (.integer(let number)?, _): .number(JSONNumber(number))
        case (.string(let text)?, _): .string(text)
        case (.boolean(let flag)?, _): .boolean(flag)
        case (.strings(let list)?, _): .array(list.map { JSONValue(offset: 0, content: .string($0)) })
        case (.rate(let rate)?, _): .string(Array(text: Units.describe(rate: rate)))
        case (.template(let template)?, _): .string(template.written)
        case (.secret?, _): .string(Array(text: "(hidden)"))
        case (.object(let fields)?, .object(let inner)): object(fields, inner)
        case (.objects(let list)?, .objects(let inner)):
            .array(list.map { JSONValue(offset: 0, content: object($0, inner)) })
        case (.json(let text)?, _): (try? JSONReader.read(text, as: .json))?.content
        case (.members(let members)?, _): .object(members)
        case (.object?, _), (.objects?, _): nil
        }
    }

    // MARK: Text

    /// How deep objects are spread over lines: the grants, and each one's keys.
    private static let spread = 3

    private static func write(_ value: JSONValue, indented depth: Int, into out: inout ByteWriter) {
        switch value.content {
        case .object(let members):
            let isSpread = depth < spread && !members.isEmpty
            write(members, from: "{", to: "}", isSpread ? depth : nil, into: &out) { member, out in
                out.append(visibleJSONString: member.name.text)
                out.append(": ")
                write(member.value, indented: depth + 1, into: &out)
            }
        case .array(let elements):
            write(elements, from: "[", to: "]", nil, into: &out) { element, out in
                write(element, indented: depth + 1, into: &out)
            }
        case .string(let text): out.append(visibleJSONString: text.text)
        case .null, .boolean, .number: out.append(json: value)
        }
    }

    /// - Parameter depth: of what is spread over lines; nil for what stands on one.
    private static func write<Element>(
        _ elements: [Element], from start: StaticString, to end: StaticString, _ depth: Int?,
        into out: inout ByteWriter, _ write: (Element, inout ByteWriter) -> Void
    ) {
        func breakLine(_ depth: Int) { out.append(text: "\n" + String(repeating: "  ", count: depth)) }
        out.append(start)
        for (index, element) in elements.enumerated() {
            if index > 0 { out.append(depth == nil ? ", " : ",") }
            if let depth { breakLine(depth + 1) }
            write(element, &out)
        }
        if let depth { breakLine(depth) }
        out.append(end)
    }
}

extension JSONMember {
    fileprivate init(named name: [UInt8], _ content: JSONValue.Content) {
        self.init(name: name, nameOffset: 0, value: JSONValue(offset: 0, content: content))
    }
}

extension ClaimCondition {
    /// As `where` of a grant says it.
    var member: JSONMember {
        JSONMember(
            named: Array(text: "claims.") + name, .array(values.map { JSONValue(offset: 0, content: $0.content) }))
    }
}
