import Access
import Bytes

// What the vendor refuses or understands otherwise than it reads, and what would reach beyond the grant (`put-policy` page).
extension PutPolicy {
    static func check(_ policy: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        if policy.values.isEmpty { return }
        try checkCompany(in: policy)
        for field in [fields.callbackUrl, fields.persistentNotifyUrl] {
            guard let urls = policy.values[field] else { continue }
            guard urls.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).allSatisfy(isURL) else {
                throw FieldProblem(
                    "policy.\(field.name)", "must begin with http:// or https://, as must each behind a ;")
            }
        }
        if let types = policy.mimeLimit, !isTypeList(types) {
            throw FieldProblem(
                "policy.mimeLimit", "must be types such as image/*, joined by ;, one ! before all to bar them")
        }
        for field in [fields.saveKey, fields.transformFallbackKey] {
            if let key = policy.values[field] { try check(key, in: field.name, context.target) }
        }
        if let keys = policy.keylimit { try check(keyLimit: keys, context.target) }
        if let operations = policy.persistentOps { try check(operations: operations, context) }
    }

    /// Which fields stand together.
    package static func checkCompany(in policy: Settings<Fields>) throws(FieldProblem) {
        func has(_ field: AnyField) -> Bool { policy.values[field.description] != nil }
        func needs(_ field: AnyField, _ others: AnyField...) throws(FieldProblem) {
            if has(field), !others.contains(where: has) {
                let names = others.map(\.name).joined(separator: " or ")
                throw FieldProblem("policy.\(field.name)", "needs \(names) beside it")
            }
        }
        func excludes(_ field: AnyField, _ other: AnyField) throws(FieldProblem) {
            if has(field), has(other) {
                throw FieldProblem("policy.\(field.name)", "cannot stand beside \(other.name)")
            }
        }
        try needs(fields.callbackUrl, fields.callbackBody)
        try needs(fields.callbackHost, fields.callbackUrl)
        try needs(fields.callbackBody, fields.callbackUrl)
        try needs(fields.callbackBodyType, fields.callbackUrl)
        try needs(fields.callbackFetchKey, fields.callbackUrl)
        try excludes(fields.returnUrl, fields.callbackUrl)
        try excludes(fields.persistentWorkflowTemplateID, fields.persistentOps)
        try needs(fields.persistentNotifyUrl, fields.persistentOps, fields.persistentWorkflowTemplateID)
        try needs(fields.persistentPipeline, fields.persistentOps, fields.persistentWorkflowTemplateID)
        try needs(fields.persistentType, fields.persistentOps, fields.persistentWorkflowTemplateID)
        try needs(fields.transformFallbackMode, fields.transform)
        try needs(fields.transformFallbackKey, fields.transform)
        if policy.forceSaveKey == true { try needs(fields.forceSaveKey, fields.saveKey) }
        if let least = policy.fsizeMin, let most = policy.fsizeLimit, least > most {
            throw FieldProblem("policy.fsizeMin", "must not be greater than fsizeLimit")
        }
        if policy.mimeLimit != nil, policy.detectMime == 0 {
            throw FieldProblem(
                "policy.detectMime", "must be 1 beside mimeLimit, or -1 where the client's type shall stand")
        }
        if let type = policy.fileType, type == 2 || type == 3, policy.persistentOps != nil {
            throw FieldProblem("policy.persistentOps", "cannot stand beside fileType 2 or 3")
        }
    }

    private static func isURL(_ text: ArraySlice<UInt8>) -> Bool {
        (text.starts(with: "http://".utf8) && text.count > 7 || text.starts(with: "https://".utf8) && text.count > 8)
            && text.allSatisfy(\.isVisible)
    }

    /// `image/jpeg;image/png`, `image/*`, `!application/json;text/plain`
    private static func isTypeList(_ text: [UInt8]) -> Bool {
        let types = text.first == UInt8(ascii: "!") ? text.dropFirst() : text[...]
        return types.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .allSatisfy { MediaTypeName.isName($0.span, of: listedTypeBytes) }
    }

    private static let listedTypeBytes = ByteSet.dottedWord.union("*+")

    /// The vendor writes under `key` by itself, so it must lie inside the grant for every caller.
    private static func check(_ key: [UInt8], in field: String, _ target: Grant.Target) throws(FieldProblem) {
        switch target {
        case .anything: break
        case .prefix(let prefix) where prefix.isConstant && key.starts(with: prefix.literalStart): break
        case .prefix, .key:
            throw FieldProblem(
                "policy.\(field)", "must begin with the grant's keyPrefix, and that must have no placeholders")
        }
        if let fault = ObjectKeyRule.fault(of: sample(of: key).span, maximumLength: Qiniu.maximumKeyLength) {
            throw FieldProblem("policy.\(field)", fault.description)
        }
    }

    private static func check(keyLimit keys: [[UInt8]], _ target: Grant.Target) throws(FieldProblem) {
        guard (1...20).contains(keys.count) else { throw FieldProblem("policy.keylimit", "must be 1 to 20 keys") }
        for key in keys {
            // Here the vendor fills nothing in.
            if let fault = ObjectKeyRule.fault(of: key.span, maximumLength: Qiniu.maximumKeyLength) {
                throw FieldProblem("policy.keylimit", fault.description)
            }
            try check(key, in: "keylimit", target)
        }
    }

    /// Operations are joined by `;`, their steps by `|`, and a step `saveas/<entry>` writes an object.
    private static func check(operations: [UInt8], _ context: GrantContext) throws(FieldProblem) {
        let steps = operations.split { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "|") }
        for step in steps where step.starts(with: "saveas".utf8) {
            let parts = step.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard parts.count > 1, let entry = EntryURI.read(Array(parts[1]).span) else {
                throw FieldProblem("policy.persistentOps", "saveas must be followed by / and the base64 of bucket:key")
            }
            if case .anything = context.target { continue }
            guard entry.bucket == context.bucket else {
                throw FieldProblem("policy.persistentOps", "saveas must name the grant's bucket")
            }
            try check(entry.key, in: "persistentOps", context.target)
        }
    }

    /// What a key may become, each of the vendor's variables `$(…)` being one letter.
    private static func sample(of key: [UInt8]) -> [UInt8] {
        var sample: [UInt8] = []
        var rest = key[...]
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
