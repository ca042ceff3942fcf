import Access
import Bytes

/// A put policy: what an upload token allows (Qiniu's `put-policy` page). What is the same for every token of a grant is
/// written once, at start.
struct PutPolicy: Sendable {
    /// The members that do not change, each with the comma before it.
    private let constant: [UInt8]
    /// The numbers that callers may choose.
    private let chosen: [Chosen]
    let endUser: KeyTemplate?

    private struct Chosen: Sendable {
        /// The place of the parameter in the route's list.
        let position: Int
        let name: [UInt8]
        /// The grant's own number.
        let limit: Int64?
        let smallerIsTighter: Bool
    }

    /// What a grant's `policy` may hold, with the vendor's types. The service writes `scope`, `deadline`, `isPrefixalScope`
    /// and `insertOnly` itself.
    static let fields: [FieldDescription] = [
        FieldDescription("endUser", .template, "Who uploads; a template."),
        FieldDescription("saveKey", .string, "The key where the client gives none; begins with the grant's keyPrefix."),
        FieldDescription("forceSaveKey", .boolean, "Whether saveKey goes before the client's key."),
        FieldDescription("returnUrl", .string, "Where a browser is sent after the upload."),
        FieldDescription("returnBody", .string, "What the uploader gets, with the vendor's magic variables."),
        FieldDescription("callbackUrl", .string, "Whom the vendor tells; several joined by ;."),
        FieldDescription("callbackHost", .string, "The Host field of the callback."),
        FieldDescription("callbackBody", .string, "The callback's body, with magic variables."),
        FieldDescription(
            "callbackBodyType", .choice(["application/x-www-form-urlencoded", "application/json"]),
            "The callback's Content-Type."),
        FieldDescription("callbackFetchKey", .integer(0...1), "Whether the callback's answer names the key."),
        FieldDescription("persistentOps", .string, "Operations on the uploaded object, joined by ;."),
        FieldDescription("persistentNotifyUrl", .string, "Whom the vendor tells when they are done."),
        FieldDescription("persistentPipeline", .string, "The queue they run in."),
        FieldDescription("persistentType", .integer(0...1), "1 for idle-time jobs."),
        FieldDescription("persistentWorkflowTemplateID", .string, "A workflow template instead of persistentOps."),
        FieldDescription("fsizeMin", .integer(0...Int64.max), "The smallest object, in bytes."),
        FieldDescription("fsizeLimit", .integer(1...Int64.max), "The largest object, in bytes."),
        FieldDescription("detectMime", .integer(-1...1), "Whether the vendor looks at the content for its type."),
        FieldDescription("mimeLimit", .string, "Which types may be uploaded; implies detectMime 1."),
        FieldDescription("fileType", .integer(0...4), "The storage class."),
        FieldDescription("deleteAfterDays", .integer(1...36500), "When the object is deleted, in days."),
        FieldDescription("trafficLimit", .integer(819_200...838_860_800), "Bits per second."),
    ]

    /// The numbers that a grant may let callers choose, and whether the smaller one is the tighter one: a choice only
    /// tightens (R16). Everything else is the grant's alone.
    static let choices: [(name: String, smallerIsTighter: Bool)] = [
        ("fsizeLimit", true), ("fsizeMin", false), ("deleteAfterDays", true), ("trafficLimit", true),
    ]

    /// What a number may be, whoever gives it: 0 would lift some limits.
    static func bounds(of name: String) -> ClosedRange<Int64> {
        if case .integer(let bounds)? = fields.first(where: { $0.name == name })?.kind { bounds } else { 0...0 }
    }

    /// - Parameters:
    ///   - choose: the grant's `choose`.
    ///   - position: where the parameter of a name stands in the route's list.
    init(
        _ policy: FieldValues, insertOnly: Bool, choose: [[UInt8]], _ grant: GrantFields, position: (String) -> Int?
    ) throws(FieldProblem) {
        try PutPolicy.check(policy, grant)
        var chosen: [Chosen] = []
        for name in choose {
            guard let choice = PutPolicy.choices.first(where: { name.elementsEqual($0.name.utf8) }),
                let position = position(choice.name)
            else {
                let known = PutPolicy.choices.map(\.name).joined(separator: ", ")
                throw FieldProblem("choose", "callers may choose only \(known)")
            }
            chosen.append(
                Chosen(
                    position: position, name: name, limit: policy.integer(choice.name),
                    smallerIsTighter: choice.smallerIsTighter))
        }
        self.chosen = chosen
        endUser = policy.template("endUser")
        var text = ByteWriter()
        if insertOnly { text.append(",\"insertOnly\":1") }
        for field in PutPolicy.fields {
            if chosen.contains(where: { $0.name.elementsEqual(field.name.utf8) }) { continue }
            text.append(member: field.name, policy[field.name])
        }
        if policy["mimeLimit"] != nil, policy["detectMime"] == nil { text.append(",\"detectMime\":1") }
        constant = text.array
    }

    /// Whether the caller may choose what it chose.
    func objection(to ask: borrowing Ask, positions: [Int]) -> Objection? {
        for position in positions {
            guard let value = ask.integer(at: position) else { continue }
            guard let choice = chosen.first(where: { $0.position == position }) else {
                return Objection("choose", "the grant does not let callers choose this field of the put policy")
            }
            if let limit = choice.limit, choice.smallerIsTighter ? value > limit : value < limit {
                return Objection("policy", "a number that a caller chooses may only tighten the grant's")
            }
        }
        return nil
    }

    /// Writes the policy as compact JSON.
    func write(
        _ ask: borrowing Ask, under permit: borrowing Permit, deadline: Int64, into out: inout ByteWriter
    ) {
        out.append("{\"scope\":\"")
        out.append(jsonEscaped: permit.bucket)
        if permit.extent != .bucket {
            out.append(UInt8(ascii: ":"))
            out.append(jsonEscaped: permit.key)
        }
        out.append("\",\"deadline\":")
        out.append(decimal: deadline)
        if permit.extent == .prefix { out.append(",\"isPrefixalScope\":1") }
        if !permit.vendorName.isEmpty {
            out.append(",\"endUser\":")
            out.append(jsonString: permit.vendorName)
        }
        out.append(constant)
        for choice in chosen {
            guard let value = ask.integer(at: choice.position) ?? choice.limit else { continue }
            out.append(",\"")
            out.append(choice.name)
            out.append("\":")
            out.append(decimal: value)
        }
        out.append(UInt8(ascii: "}"))
    }

    /// What the vendor refuses, or understands otherwise than it reads.
    private static func check(_ policy: FieldValues, _ grant: GrantFields) throws(FieldProblem) {
        func needs(_ name: String, _ other: String) throws(FieldProblem) {
            if policy[name] != nil, policy[other] == nil {
                throw FieldProblem("policy.\(name)", "needs \(other) beside it")
            }
        }
        func excludes(_ name: String, _ other: String) throws(FieldProblem) {
            if policy[name] != nil, policy[other] != nil {
                throw FieldProblem("policy.\(name)", "cannot stand beside \(other)")
            }
        }
        try needs("callbackUrl", "callbackBody")
        for name in ["callbackHost", "callbackBody", "callbackBodyType", "callbackFetchKey"] {
            try needs(name, "callbackUrl")
        }
        try excludes("returnUrl", "callbackUrl")
        try excludes("persistentWorkflowTemplateID", "persistentOps")
        if policy.boolean("forceSaveKey") == true { try needs("forceSaveKey", "saveKey") }
        if let least = policy.integer("fsizeMin"), let most = policy.integer("fsizeLimit"), least > most {
            throw FieldProblem("policy.fsizeMin", "must not be greater than fsizeLimit")
        }
        if policy["mimeLimit"] != nil, policy.integer("detectMime") == 0 {
            throw FieldProblem("policy.detectMime", "must be 1 or -1 beside mimeLimit, else the client names the type")
        }
        if let type = policy.integer("fileType"), type == 2 || type == 3, policy["persistentOps"] != nil {
            throw FieldProblem("policy.persistentOps", "cannot stand beside fileType 2 or 3")
        }
        if let saveKey = policy.string("saveKey") { try check(saveKey: saveKey, grant.target) }
    }

    /// The vendor fills `saveKey` in by itself, so it must lie inside the grant whoever asks.
    private static func check(saveKey: [UInt8], _ target: Grant.Target) throws(FieldProblem) {
        switch target {
        case .anything: break
        case .prefix(let prefix) where prefix.isConstant && saveKey.starts(with: prefix.literalStart): break
        case .prefix, .key:
            throw FieldProblem("policy.saveKey", "must begin with the grant's keyPrefix, and that must have no places")
        }
        if let fault = ObjectKeyRule.fault(of: sample(of: saveKey).span, maximumLength: Qiniu.maximumKeyLength) {
            throw FieldProblem("policy.saveKey", fault.description)
        }
    }

    /// What a `saveKey` may become, each of the vendor's variables `$(…)` being one letter.
    private static func sample(of saveKey: [UInt8]) -> [UInt8] {
        var sample: [UInt8] = []
        var rest = saveKey[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "("),
                let end = rest.firstIndex(of: UInt8(ascii: ")"))
            {
                sample.append(UInt8(ascii: "x"))
                rest = rest[(end + 1)...]
            } else {
                sample.append(byte)
            }
        }
        return sample
    }
}
