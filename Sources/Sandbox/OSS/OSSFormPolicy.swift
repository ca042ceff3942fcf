import Bytes

/// What the signer of a form allows (OSS API reference, "PostObject", the policy): until when, and with what in its fields.
struct OSSFormPolicy {
    private enum Condition {
        case equals([UInt8], [UInt8])
        case startsWith([UInt8], [UInt8])
        case isOne([UInt8], of: [[UInt8]])
        case isNone([UInt8], of: [[UInt8]])
        case length(ClosedRange<Int64>)
    }

    /// Seconds since 1970.
    private let expiration: Int64
    private let conditions: [Condition]

    /// - Parameter field: the base64 that is signed.
    init(_ field: [UInt8]) throws(OSSError) {
        guard let text = Base64.standard.decode(field.span) else {
            throw .invalidPolicyDocument("it is no base64.")
        }
        guard let json = try? JSONReader.read(text, as: .json), case .object = json.content else {
            throw .invalidPolicyDocument("Invalid JSON: it is no object.")
        }
        guard let ending = json["expiration"] else { throw .invalidPolicyDocument("Policy missing expiration.") }
        guard let moment = ending.text, let expiration = OSSFormPolicy.time(moment) else {
            throw .invalidPolicyDocument(
                "Invalid JSON: the expiration must be a time such as 2030-12-01T12:00:00.000Z.")
        }
        guard let list = json["conditions"] else { throw .invalidPolicyDocument("Policy missing conditions.") }
        guard case .array(let conditions) = list.content else {
            throw .invalidPolicyDocument("Invalid JSON: conditions must be a list.")
        }
        self.expiration = expiration
        self.conditions = try conditions.map { value throws(OSSError) in try OSSFormPolicy.conditions(value) }
            .flatMap { $0 }
    }

    /// `2030-12-01T12:00:00.000Z`, with or without its fraction.
    private static func time(_ text: [UInt8]) -> Int64? {
        guard text.count > 20 else { return ISO8601.parse(text.span) }
        let fraction = text.dropFirst(19)
        guard fraction.first == UInt8(ascii: "."), fraction.last == UInt8(ascii: "Z"),
            ByteSet.digits.contains(all: Array(fraction.dropFirst().dropLast()), length: 1...9)
        else { return nil }
        let whole = text.prefix(19) + [UInt8(ascii: "Z")]
        return ISO8601.parse(whole.span)
    }

    // MARK: Reading conditions

    private static func conditions(_ value: JSONValue) throws(OSSError) -> [Condition] {
        switch value.content {
        case .object(let members):
            return try members.map { member throws(OSSError) in
                guard let text = member.value.text else { throw wrong("a condition's value is no text.") }
                return .equals(member.name.map(\.lowercasedASCII), text)
            }
        case .array(let parts): return [try condition(parts)]
        default: throw wrong("a condition must be a list or an object.")
        }
    }

    private static func condition(_ parts: [JSONValue]) throws(OSSError) -> Condition {
        guard parts.count == 3, let kind = parts[0].text else { throw wrong("a condition has three parts.") }
        if kind.elementsEqual("content-length-range".utf8) {
            guard let least = parts[1].integer, let most = parts[2].integer, 0 <= least, least <= most else {
                throw wrong("content-length-range needs two numbers.")
            }
            return .length(least...most)
        }
        guard let variable = parts[1].text, variable.first == UInt8(ascii: "$"), variable.count > 1 else {
            throw wrong("a condition names its field as $field.")
        }
        let name = variable.dropFirst().map(\.lowercasedASCII)
        switch kind.text {
        case "eq":
            guard let text = parts[2].text else { throw wrong("a condition's value is no text.") }
            return .equals(name, text)
        case "starts-with":
            guard let text = parts[2].text else { throw wrong("a condition's value is no text.") }
            return .startsWith(name, text)
        case "in": return .isOne(name, of: try texts(parts[2]))
        case "not-in": return .isNone(name, of: try texts(parts[2]))
        default: throw wrong("there is no condition \(kind.text).")
        }
    }

    private static func texts(_ value: JSONValue) throws(OSSError) -> [[UInt8]] {
        guard case .array(let values) = value.content else { throw wrong("in and not-in need a list.") }
        return try values.map { value throws(OSSError) in
            guard let text = value.text else { throw wrong("in and not-in need a list of texts.") }
            return text
        }
    }

    private static func wrong(_ message: String) -> OSSError { .invalidPolicyDocument("Invalid JSON: \(message)") }

    // MARK: Judging

    /// Refuses a form that is too late, or whose fields are others than the signer allows.
    /// - Parameters:
    ///   - fields: by names in lower case, `bucket` among them.
    ///   - required: fields that version 4 wants to be among the conditions.
    func require(_ fields: [NameValue], naming required: [StaticString], at now: Int64) throws(OSSError) {
        guard now <= expiration else {
            throw .accessDenied("Invalid according to Policy: Policy expired.")
        }
        for name in required where !names(name.array) {
            throw .accessDenied("Invalid according to Policy: Extra input fields: \(name)")
        }
        for condition in conditions where !holds(condition, fields) {
            throw .accessDenied(
                "Invalid according to Policy: Policy Condition failed: \(OSSFormPolicy.text(condition))")
        }
    }

    /// How many bytes the file may have.
    var lengths: [ClosedRange<Int64>] {
        conditions.compactMap { if case .length(let range) = $0 { range } else { nil } }
    }

    private func names(_ field: [UInt8]) -> Bool {
        conditions.contains { if case .equals(let name, _) = $0 { name == field } else { false } }
    }

    private func holds(_ condition: Condition, _ fields: [NameValue]) -> Bool {
        func value(_ name: [UInt8]) -> [UInt8]? { fields.first { $0.name == name }?.value }
        switch condition {
        case .equals(let name, let wanted): return value(name) == wanted
        case .startsWith(let name, let start): return value(name).map { $0.starts(with: start) } ?? false
        case .isOne(let name, let wanted): return value(name).map(wanted.contains) ?? false
        case .isNone(let name, let unwanted): return !(value(name).map(unwanted.contains) ?? false)
        case .length: return true
        }
    }

    private static func text(_ condition: Condition) -> String {
        switch condition {
        case .equals(let name, let value): "[\"eq\", \"$\(name.text)\", \"\(value.text)\"]"
        case .startsWith(let name, let value): "[\"starts-with\", \"$\(name.text)\", \"\(value.text)\"]"
        case .isOne(let name, _): "[\"in\", \"$\(name.text)\"]"
        case .isNone(let name, _): "[\"not-in\", \"$\(name.text)\"]"
        case .length(let range): "[\"content-length-range\", \(range.lowerBound), \(range.upperBound)]"
        }
    }
}
