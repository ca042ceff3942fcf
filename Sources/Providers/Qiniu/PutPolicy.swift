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
        FieldDescription(
            "detectMime", .integer(-1...1),
            "Where an object's type comes from: 1 its content, -1 the client, 0 the client and else the names."),
        FieldDescription("mimeLimit", .string, "Which types may be uploaded; implies detectMime 1."),
        FieldDescription("keylimit", .strings, "The only keys that may be uploaded, 20 at most."),
        FieldDescription("fileType", .integer(0...4), "The storage class."),
        FieldDescription("deleteAfterDays", .integer(1...36500), "When the object is deleted, in days."),
        FieldDescription("trafficLimit", .integer(819_200...838_860_800), "Bits per second."),
        FieldDescription("transform", .string, "How the object is changed as it comes; deprecated by the vendor."),
        FieldDescription("transformFallbackMode", .string, "What happens when that fails; deprecated."),
        FieldDescription(
            "transformFallbackKey", .string,
            "Where the object goes then; begins with the grant's keyPrefix; deprecated."),
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
}
