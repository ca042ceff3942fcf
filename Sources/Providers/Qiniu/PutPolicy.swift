import Access
import Bytes

/// A put policy: what an upload token allows (Qiniu's `put-policy` page). What is the same for every token of a grant is
/// written once, at start.
package struct PutPolicy: Sendable {
    /// The members that do not change, each with the comma before it.
    private let constant: JSONMembers
    /// The numbers that callers may choose, each with the grant's own number.
    private let chosen: [(choice: Choice, limit: Int64?)]
    let endUser: KeyTemplate?

    /// A number that a grant may let callers choose: a choice only tightens (R16).
    struct Choice: Sendable {
        let field: Field<Int?>
        let parameter: Parameter<Int64>
        /// The parameter's.
        let name: [UInt8]
        /// Whether the smaller number is the tighter one.
        let smallerIsTighter: Bool

        /// The parameter has the same bounds as the field: 0 would lift some limits.
        init(_ field: Field<Int?>, _ bounds: ClosedRange<Int64>, smallerIsTighter: Bool) {
            self.field = field
            name = Array(field.description.name.utf8)
            parameter = Parameter(
                field.description.name, .integer(bounds),
                "The put policy's field, where the grant's `choose` names it.")
            self.smallerIsTighter = smallerIsTighter
        }
    }

    /// What a grant's `policy` may hold, with the vendor's types. The service writes `scope`, `deadline`, `isPrefixalScope`
    /// and `insertOnly` itself.
    package struct Fields: FieldGroup {
        let endUser = Field("endUser", .template, "The uploader.")
        let saveKey = Field(
            "saveKey", .string, "The key if the client gives none; begins with the grant's keyPrefix.")
        let forceSaveKey = Field("forceSaveKey", .boolean, "Whether saveKey overrides the client's key.")
        let returnUrl = Field("returnUrl", .string, "The URL to which a browser is sent after the upload.")
        let returnBody = Field("returnBody", .string, "The answer to the uploader, with the vendor's magic variables.")
        let callbackUrl = Field("callbackUrl", .string, "The URL that the vendor calls; several joined by `;`.")
        let callbackHost = Field("callbackHost", .string, "The Host field of the callback.")
        let callbackBody = Field("callbackBody", .string, "The callback's body, with magic variables.")
        let callbackBodyType = Field(
            "callbackBodyType", .choice(["application/x-www-form-urlencoded", "application/json"]),
            "The callback's Content-Type.")
        let callbackFetchKey = Field(
            "callbackFetchKey", .integer(0...1), "Whether the callback's answer names the key.")
        let persistentOps = Field("persistentOps", .string, "Operations on the uploaded object, joined by `;`.")
        let persistentNotifyUrl = Field(
            "persistentNotifyUrl", .string, "The URL that the vendor calls when they are done.")
        let persistentPipeline = Field("persistentPipeline", .string, "The queue of these operations.")
        let persistentType = Field("persistentType", .integer(0...1), "1 for idle-time jobs.")
        let persistentWorkflowTemplateID = Field(
            "persistentWorkflowTemplateID", .string, "A workflow template instead of persistentOps.")
        let fsizeMin = Field("fsizeMin", .size(Bounds.fsizeMin), "The smallest object.")
        let fsizeLimit = Field("fsizeLimit", .size(Bounds.fsizeLimit), "The largest object.")
        let detectMime = Field(
            "detectMime", .integer(-1...1),
            "The source of an object's type: 1 its content; -1 the client; 0 the client, else the names.")
        let mimeLimit = Field("mimeLimit", .string, "The types that may be uploaded; implies detectMime 1.")
        let keylimit = Field("keylimit", .strings, "The only keys that may be uploaded, 20 at most.")
        let fileType = Field("fileType", .integer(0...4), "The storage class.")
        let deleteAfterDays = Field(
            "deleteAfterDays", .days(Bounds.deleteAfterDays), "When the object is deleted, counted from the upload.")
        let trafficLimit = Field(
            "trafficLimit", .integer(Bounds.trafficLimit), "The upload's speed limit, in bits per second.")
        let transform = Field("transform", .string, "How the object is changed on upload; deprecated by the vendor.")
        let transformFallbackMode = Field(
            "transformFallbackMode", .string, "What happens if the change fails; deprecated.")
        let transformFallbackKey = Field(
            "transformFallbackKey", .string,
            "The key of the object then; begins with the grant's keyPrefix; deprecated.")
    }

    /// The declarations of a policy's members.
    package static let fields = Fields()
    private static let descriptions = fields.descriptions

    /// The numbers that a grant may let callers choose. Everything else is the grant's alone.
    static let choices = [
        Choice(fields.fsizeLimit, Bounds.fsizeLimit, smallerIsTighter: true),
        Choice(fields.fsizeMin, Bounds.fsizeMin, smallerIsTighter: false),
        Choice(fields.deleteAfterDays, Bounds.deleteAfterDays, smallerIsTighter: true),
        Choice(fields.trafficLimit, Bounds.trafficLimit, smallerIsTighter: true),
    ]

    /// What these numbers may be.
    private enum Bounds {
        static let fsizeMin: ClosedRange<Int64> = 0...Int64.max
        static let fsizeLimit: ClosedRange<Int64> = 1...Int64.max
        static let deleteAfterDays: ClosedRange<Int64> = 1...36500
        static let trafficLimit: ClosedRange<Int64> = 819_200...838_860_800
    }

    /// - Parameter choose: the grant's `choose`.
    init(
        _ policy: Settings<Fields>, insertOnly: Bool, choose: [[UInt8]], _ context: GrantContext
    ) throws(FieldProblem) {
        try PutPolicy.check(policy, context)
        var chosen: [(choice: Choice, limit: Int64?)] = []
        for name in choose {
            guard let choice = PutPolicy.choices.first(where: { name.elementsEqual($0.parameter.name.utf8) }) else {
                let known = PutPolicy.choices.map(\.parameter.name).joined(separator: ", ")
                throw FieldProblem("choose", "callers may choose only \(known)")
            }
            chosen.append((choice, policy.values[choice.field].map { Int64($0) }))
        }
        self.chosen = chosen
        endUser = policy.endUser
        let (values, detects) = (policy.values, policy.mimeLimit != nil && policy.detectMime == nil)
        constant = JSONMembers { json in
            if insertOnly { json.add("insertOnly", 1) }
            for field in PutPolicy.descriptions {
                if chosen.contains(where: { $0.choice.parameter.name == field.name }) { continue }
                json.add(field, values[field])
            }
            if detects { json.add("detectMime", 1) }
        }
    }

    /// Whether the caller may choose what it chose.
    func objection(to ask: borrowing Ask) -> Objection? {
        guard ask.hasNumbers else { return nil }
        for choice in PutPolicy.choices {
            guard let value = ask[choice.parameter] else { continue }
            guard let own = chosen.first(where: { $0.choice.parameter.name == choice.parameter.name }) else {
                return Objection("choose", "the grant does not let callers choose this field of the put policy")
            }
            if let limit = own.limit, choice.smallerIsTighter ? value > limit : value < limit {
                return Objection("policy", "a number that a caller chooses may only tighten the grant's")
            }
        }
        return nil
    }

    /// Writes the policy as compact JSON.
    func write(
        _ ask: borrowing Ask, under permit: borrowing Permit, deadline: Int64, into out: inout ByteWriter
    ) {
        out.append(object: { json in
            json.add(
                "scope",
                text: { scope in
                    scope.append(permit.bucket)
                    if permit.extent != .bucket {
                        scope.append(UInt8(ascii: ":"))
                        scope.append(permit.key)
                    }
                })
            json.add("deadline", deadline)
            if permit.extent == .prefix { json.add("isPrefixalScope", 1) }
            if !permit.vendorName.isEmpty { json.add("endUser", permit.vendorName) }
            json.add(constant)
            for (choice, limit) in chosen {
                guard let value = ask[choice.parameter] ?? limit else { continue }
                json.add(named: choice.name, value)
            }
        })
    }
}
