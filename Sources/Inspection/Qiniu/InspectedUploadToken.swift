import Access
import Bytes
import Crypto
import Providers

/// An upload token, as anybody may have made it.
enum InspectedUploadToken {
    static let inspector = Inspector(
        "Qiniu upload token", "The token itself, or an answer with `uptoken`.",
        read: { input, keyring, now in
            guard case .text(let token) = input.content, isLikely(token) else { return nil }
            return inspect(token, keyring, now)
        })

    /// Whether it is in three parts at least, and no header's value.
    private static func isLikely(_ text: [UInt8]) -> Bool {
        text.count { $0 == UInt8(ascii: ":") } >= 2 && text.allSatisfy(\.isVisible)
    }

    private static func inspect(_ token: [UInt8], _ keyring: Keyring, _ now: Int64) -> Inspection {
        var inspection = Inspection(inspector.kind)
        let parts: UploadTokenParts
        do throws(UploadTokenParts.Fault) { parts = try UploadTokenParts(token.span) } catch {
            inspection.fails("form", reason(error))
            return inspection
        }
        tellScope(of: parts, in: &inspection)
        if let entry = inspection.key(parts.accessKey, of: keyring) {
            do throws(CryptoError) {
                if try parts.isSigned(by: entry.key) {
                    inspection.holds("signature")
                } else {
                    inspection.fails("signature", "it is not that of this policy by the credential's secret key")
                }
            } catch {
                inspection.isUnsignable(.crypto(error))
            }
        }
        inspection.ends(at: parts.deadline, now: now)
        if parts.deadline > Int64(UInt32.max) {
            inspection.fails("deadline", "the vendor reads it as a number of 32 bits")
        }
        if let problem = PutPolicy.problem(in: parts.policy) {
            inspection.fails("policy", "\(problem.path) \(problem.reason)")
        }
        return inspection
    }

    private static func tellScope(of parts: UploadTokenParts, in inspection: inout Inspection) {
        inspection.tell("bucket", parts.bucket)
        let isPrefix = parts.policy["isPrefixalScope"]?.integer == 1
        if let key = parts.key {
            inspection.tell(isPrefix ? "key prefix" : "key", key)
        } else {
            inspection.tell("key", "any")
        }
        // Only a scope with a whole key replaces anything (`put-policy` page).
        let replaces = parts.key != nil && !isPrefix && (parts.policy["insertOnly"]?.integer ?? 0) == 0
        inspection.tell("replaces objects", replaces ? "yes" : "no")
        guard case .object(let members) = parts.policy.content else { return }
        let told: [StaticString] = ["scope", "deadline", "isPrefixalScope", "insertOnly"]
        for member in members where !told.contains(where: { member.name.span.equals($0) }) {
            inspection.tell("policy." + member.name.text, member.value)
        }
    }

    private static func reason(_ fault: UploadTokenParts.Fault) -> String {
        switch fault {
        case .notAToken: "it must be access key, signature and policy, joined by :"
        case .badBase64: "signature and policy must be url-safe base64 with its padding, and nothing may follow them"
        case .badPolicy(let error): "the policy is no JSON: at byte \(error.offset), \(error.reason)"
        case .incomplete: "the policy must have a scope with a bucket, and a deadline in whole seconds"
        }
    }
}

extension PutPolicy {
    /// Why the vendor would refuse a policy; nil when no reason is found. The vendor ignores members that it does not know.
    static func problem(in policy: JSONValue) -> FieldProblem? {
        var values = FieldValues()
        for field in fields.descriptions {
            guard let member = policy[field.name] else { continue }
            switch (field.kind, member.content) {
            case (.integer, .number(let number)), (.size, .number(let number)), (.days, .number(let number)):
                guard let integer = number.integer else {
                    return FieldProblem(field.name, "is of another type than the vendor's")
                }
                values[field] = .integer(integer)
            case (.boolean, .boolean(let flag)): values[field] = .boolean(flag)
            case (.strings, .array): values[field] = .strings([])
            case (.string, .string(let text)), (.vendorText, .string(let text)), (.template, .string(let text)),
                (.choice, .string(let text)):
                if !text.isEmpty { values[field] = .string(text) }
            default: return FieldProblem(field.name, "is of another type than the vendor's")
            }
        }
        do throws(FieldProblem) {
            try checkCompany(in: Settings(values, of: fields))
            return nil
        } catch {
            return FieldProblem(error.path.replacing("policy.", with: ""), error.reason)
        }
    }
}
