import Bytes
import Providers

/// One of the conditions of a form's policy, as anybody may have written it (OSS API reference, "PostObject"; Amazon S3 API reference,
/// "Creating a POST Policy").
struct PostCondition {
    enum Rule {
        case equal([UInt8]), prefix([UInt8])
        case among([[UInt8]]), notAmong([[UInt8]])
        /// Of the file, in bytes.
        case size(least: Int64, most: Int64)
        case unknown
    }

    /// In lower case; nil where it is no condition.
    let field: [UInt8]?
    let rule: Rule

    /// Whether it says how the form is signed, and not what may be uploaded.
    var isOfSignature: Bool {
        let names: [StaticString] = [
            "x-oss-signature-version", "x-oss-credential", "x-oss-date", "x-oss-security-token",
            "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-security-token",
        ]
        return names.contains { field?.span.equals($0) == true }
    }

    static func all(of policy: JSONValue) -> [PostCondition] {
        guard case .array(let conditions)? = policy["conditions"]?.content else {
            return [PostCondition(field: nil, rule: .unknown)]
        }
        return conditions.map { read($0) }
    }

    /// A field's name in lower case; the vendor's samples for web pages have `x_oss_date` for `x-oss-date`.
    static func spelled(_ name: [UInt8]) -> [UInt8] {
        let isSample = name.starts(with: "x_oss_".utf8)
        return name.map { isSample && $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0.lowercasedASCII }
    }

    /// Whether a field of this value is as the condition wants it.
    func admits(_ value: [UInt8]) -> Bool {
        switch rule {
        case .equal(let wanted): value == wanted
        case .prefix(let wanted): value.starts(with: wanted)
        case .among(let list): list.contains(value)
        case .notAmong(let list): !list.contains(value)
        case .size, .unknown: true
        }
    }

    private static func texts(_ values: [JSONValue]) -> [[UInt8]] {
        values.compactMap { if case .string(let text) = $0.content { text } else { nil } }
    }

    private static func read(_ value: JSONValue) -> PostCondition {
        let unknown = PostCondition(field: nil, rule: .unknown)
        switch value.content {
        case .object(let members):
            guard members.count == 1, case .string(let text) = members[0].value.content else { return unknown }
            return PostCondition(field: spelled(members[0].name), rule: .equal(text))
        case .array(let parts):
            guard parts.count == 3, case .string(let operation) = parts[0].content else { return unknown }
            if operation.text == "content-length-range" {
                guard let least = parts[1].integer, let most = parts[2].integer else { return unknown }
                return PostCondition(field: operation, rule: .size(least: least, most: most))
            }
            guard case .string(let name) = parts[1].content, name.first == UInt8(ascii: "$") else { return unknown }
            let field = spelled(Array(name.dropFirst()))
            switch (operation.text, parts[2].content) {
            case ("eq", .string(let text)): return PostCondition(field: field, rule: .equal(text))
            case ("starts-with", .string(let text)): return PostCondition(field: field, rule: .prefix(text))
            case ("in", .array(let list)): return PostCondition(field: field, rule: .among(texts(list)))
            case ("not-in", .array(let list)): return PostCondition(field: field, rule: .notAmong(texts(list)))
            default: return unknown
            }
        default: return unknown
        }
    }
}
