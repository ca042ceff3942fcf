import Access
import Bytes
import Crypto
import Providers

/// A form that uploads, or its policy alone, as anybody may have made it.
struct InspectedPostForm {
    private let kind: String
    private let scheme: V4Scheme
    /// How long the vendor takes a dated signature, in seconds.
    private let tolerance: Int64
    /// What the vendor's own hosts begin with, and the field that names others.
    private let host: (service: StaticString, endpoint: Field<[UInt8]?>)
    /// The fields that the service pins and the vendor takes without a condition, too.
    private let pinned: [String]

    static let oss = inspector(
        InspectedPostForm(
            kind: "OSS form", scheme: OSS.v4, tolerance: OSS.dateTolerance, host: ("oss", OSS.credential.endpoint),
            pinned: ["x-oss-content-type", "x-oss-forbid-overwrite", "x-oss-object-acl", "callback"]),
        isMine: { _ in true })

    static let s3 = inspector(
        InspectedPostForm(
            kind: "S3 form", scheme: S3.v4(.virtual), tolerance: S3.dateTolerance,
            host: ("s3", S3.credential.endpoint), pinned: []),
        isMine: { conditions in conditions.contains { $0.field?.starts(with: "x-amz-".utf8) == true } })

    /// - Parameter isMine: whether a policy with these conditions is the vendor's.
    private static func inspector(
        _ vendor: InspectedPostForm, isMine: @escaping @Sendable ([PostCondition]) -> Bool
    ) -> Inspector {
        Inspector(
            vendor.kind, "The form's fields as JSON, an answer with `fields`, or the base64 of the policy alone.",
            read: { input, keyring, now in
                switch input.content {
                case .object(let fields):
                    guard case .object(let members) = fields.content, fields["policy"] != nil else { return nil }
                    let form = Form(members)
                    guard isMine(form.policy.map { PostCondition.all(of: $0) } ?? []) else { return nil }
                    return vendor.inspect(form, input.answer ?? fields, keyring, now)
                case .text(let text):
                    guard let policy = decoded(text), policy["conditions"] != nil,
                        isMine(PostCondition.all(of: policy))
                    else { return nil }
                    return vendor.inspect(policy, now)
                case .request: return nil
                }
            })
    }

    /// The fields of a form, by names as conditions have them.
    private struct Form {
        let fields: [NameValue]

        init(_ members: [JSONMember]) {
            fields = members.compactMap { member in
                guard case .string(let value) = member.value.content else { return nil }
                return NameValue(PostCondition.spelled(member.name), value)
            }
        }

        func value(_ names: StaticString...) -> [UInt8]? {
            names.lazy.compactMap { name in fields.first { $0.name.span.equals(name) }?.value }.first
        }

        /// The policy, decoded; nil where it is none.
        var policy: JSONValue? { value("policy").flatMap { InspectedPostForm.decoded($0) } }

        func value(named name: [UInt8]) -> [UInt8]? { fields.first { $0.name == name }?.value }
    }

    private static func decoded(_ encoded: [UInt8]) -> JSONValue? {
        Base64.standard.decode(encoded.span).flatMap {
            try? JSONReader.read($0, as: .json, maximumDepth: 8, maximumValues: 1000)
        }
    }

    private func inspect(_ policy: JSONValue, _ now: Int64) -> Inspection {
        var inspection = Inspection(kind)
        tell(policy, nil, nil, now, in: &inspection)
        inspection.leavesOpen("signature", "it is in another field: give all of the form's fields as JSON")
        return inspection
    }

    private func inspect(
        _ form: Form, _ answer: JSONValue, _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(kind)
        guard let encoded = form.value("policy"), let policy = form.policy else {
            inspection.fails("form", "policy must be the base64, with its padding, of a JSON object")
            return inspection
        }
        let object = (answer.text("url") ?? answer.text("host")).flatMap { InspectedRequest(url: $0) }?
            .object(host.service, endpoints: keyring.endpoints(host.endpoint))
        if scheme !== OSS.v4 || form.value(named: scheme.form.credential) != nil {
            let begin = judgeV4(encoded, policy, form, keyring, now, in: &inspection)
            tell(policy, form, object?.bucket, now, from: begin, in: &inspection)
        } else {
            judgeV1(encoded, form, keyring, in: &inspection)
            tell(policy, form, object?.bucket, now, in: &inspection)
        }
        return inspection
    }

    // MARK: Signatures

    private func judgeV1(
        _ policy: [UInt8], _ form: Form, _ keyring: Keyring, in inspection: inout Inspection
    ) {
        guard let accessKey = form.value("ossaccesskeyid", "accessid"), let signature = form.value("signature") else {
            return inspection.fails("form", "it must have OSSAccessKeyId and Signature")
        }
        let token = form.value("x-oss-security-token")
        inspection.tellToken(token)
        guard let entry = inspection.key(accessKey, of: keyring, isTemporary: token != nil) else { return }
        do throws(IssueError) {
            let code = try entry.key.sha1.code(of: policy.span)
            inspection.isSigned(
                signature, as: [Base64.standard.encode(code.bytes.array)], otherwise: "it is not that of this policy")
        } catch {
            inspection.isUnsignable(error)
        }
    }

    /// - Returns: when the form's life begins.
    private func judgeV4(
        _ encoded: [UInt8], _ policy: JSONValue, _ form: Form, _ keyring: Keyring, _ now: Int64,
        in inspection: inout Inspection
    ) -> Int64? {
        let names = scheme.form
        guard let scope = form.value(named: names.credential).flatMap({ InspectedScope($0, scheme) }) else {
            inspection.fails("form", InspectedScope.form(scheme))
            return nil
        }
        guard let moment = form.value(named: names.date).flatMap({ ISO8601.parseBasic($0.span) }),
            let signature = form.value(names.signature, "signature"),
            form.value(named: names.algorithm) == scheme.algorithm.array
        else {
            inspection.fails(
                "form",
                "\(names.signature), \(names.date.text) such as 20240106T233431Z, and \(names.algorithm.text) must be there"
            )
            return nil
        }
        scope.tell(of: moment, host: nil, in: &inspection)
        for name in [names.algorithm, names.credential, names.date]
        where !PostCondition.all(of: policy).contains(where: { $0.field == name }) {
            inspection.fails("policy", "it must have a condition for \(name.text)")
        }
        let token = form.value(named: names.token)
        inspection.tellToken(token)
        inspection.begins(at: moment, tolerance: tolerance, now: now)
        guard let entry = inspection.key(scope.accessKey, of: keyring, isTemporary: token != nil),
            let key = scope.key(of: entry, at: moment, in: &inspection)
        else { return moment }
        do throws(IssueError) {
            let code = try key.code(of: encoded.span)
            inspection.isSigned(
                signature, as: [Hex.encode(code.bytes.array)], otherwise: "it is not that of this policy")
        } catch {
            inspection.isUnsignable(error)
        }
        return moment
    }

    // MARK: The policy

    private func tell(
        _ policy: JSONValue, _ form: Form?, _ bucket: [UInt8]?, _ now: Int64, from begin: Int64? = nil,
        in inspection: inout Inspection
    ) {
        let conditions = PostCondition.all(of: policy)
        for condition in conditions { tell(condition, form, bucket, in: &inspection) }
        tellOpenFields(of: conditions, in: &inspection)
        guard let expiration = policy.text("expiration"), let end = moment(expiration) else {
            inspection.fails("form", "the policy's expiration must be such as 2026-11-21T23:36:33.000Z")
            return
        }
        if let begin {
            let (life, overflow) = end.subtractingReportingOverflow(begin)
            if overflow || life > PresignedURLV4.lifetimes.upperBound {
                inspection.fails("expiry", "a form of version 4 is good for 7 days at most")
            }
        }
        inspection.ends(at: end, now: now)
    }

    /// Tells which of the fields that the service pins have no condition in this policy, so that the form may choose them.
    private func tellOpenFields(of conditions: [PostCondition], in inspection: inout Inspection) {
        func isOpen(_ name: String) -> Bool { !conditions.contains { $0.field == Array(name.utf8) } }
        let open = pinned.filter(isOpen)
        if !open.isEmpty { inspection.tell("left to the form", open.joined(separator: ", ")) }
        if pinned.contains("x-oss-content-type"), isOpen("x-oss-content-type"), !isOpen("content-type") {
            inspection.tell(
                "without force", "content-type: OSS takes x-oss-content-type and the file's own type before it")
        }
    }

    private func tell(
        _ condition: PostCondition, _ form: Form?, _ bucket: [UInt8]?, in inspection: inout Inspection
    ) {
        guard let field = condition.field else {
            return inspection.fails("policy", "a condition must be an object, or a list of operator, field and value")
        }
        let name = field.text
        guard !condition.isOfSignature else {
            if let form { judge(form.value(named: field), by: condition, name, in: &inspection) }
            return
        }
        switch condition.rule {
        case .equal(let value): inspection.tell(name, value)
        case .prefix(let value): inspection.tell(name == "key" ? "key prefix" : "\(name) begins with", value)
        case .among(let list): inspection.tell("\(name) among", list.map(\.text).joined(separator: ", "))
        case .notAmong(let list): inspection.tell("\(name) not among", list.map(\.text).joined(separator: ", "))
        case .size(let least, let most): inspection.tell("size", "\(least) to \(most) bytes")
        case .unknown: break
        }
        if name == "bucket" {
            if let bucket { judge(bucket, by: condition, name, in: &inspection) }
        } else if let form, name != "content-length-range" {
            judge(form.value(named: field), by: condition, name, in: &inspection)
        }
    }

    private func judge(
        _ value: [UInt8]?, by condition: PostCondition, _ name: String, in inspection: inout Inspection
    ) {
        guard let value else { return inspection.tell("still to add", name) }
        if !condition.admits(value) {
            inspection.fails("policy", "the form's \(name) is not what the policy's condition says")
        }
    }

    /// `2026-11-21T23:36:33.000Z`, with a fraction or without.
    private func moment(_ text: [UInt8]) -> Int64? {
        guard let dot = text.firstIndex(of: UInt8(ascii: ".")), text.last == UInt8(ascii: "Z"),
            text[(dot + 1)...].dropLast().allSatisfy(\.isDigit)
        else { return ISO8601.parse(text.span) }
        let whole = Array(text[..<dot]) + [UInt8(ascii: "Z")]
        return ISO8601.parse(whole.span)
    }
}
