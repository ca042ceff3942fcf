import Access
import Bytes
import Crypto
import Providers

/// An upload token for NOS, as anybody may have made it.
enum InspectedNOSToken {
    private static let scheme: StaticString = "UPLOAD "

    static let inspector = Inspector(
        "NOS upload token", "`UPLOAD AK:sign:policy`, or an answer with `token`.",
        read: { input, keyring, now in
            input.authorization(scheme).map { inspect($0.value, keyring, now) }
        })

    private static func inspect(_ token: [UInt8], _ keyring: Keyring, _ now: Int64) -> Inspection {
        var inspection = Inspection(inspector.kind)
        let parts = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 3, !parts[0].isEmpty else {
            inspection.fails("form", "it must be UPLOAD, then access key, signature and policy, joined by :")
            return inspection
        }
        let (signature, policy) = (parts[1], parts[2])
        guard let text = Base64.standard.decode(policy.span), Base64.standard.decode(signature.span) != nil else {
            inspection.fails("form", "signature and policy must be base64 with its padding")
            return inspection
        }
        if let entry = inspection.key(parts[0], of: keyring) {
            do throws(IssueError) {
                let code = try entry.key.sha256.code(of: policy.span)
                inspection.isSigned(
                    signature, as: [Base64.standard.encode(code.bytes.array)],
                    otherwise: "it is not that of this policy by the credential's secret key")
            } catch {
                inspection.isUnsignable(error)
            }
        }
        do throws(JSONError) {
            tell(try JSONReader.read(text, as: .json, maximumDepth: 8), now, in: &inspection)
        } catch {
            inspection.fails("form", "the policy is no JSON: at byte \(error.offset), \(error.reason)")
        }
        return inspection
    }

    private static func tell(_ policy: JSONValue, _ now: Int64, in inspection: inout Inspection) {
        guard let bucket = policy.text("Bucket"), let object = policy.text("Object"),
            let end = policy["Expires"]?.integer
        else {
            inspection.fails("form", "the policy must have Bucket, Object, and Expires in whole seconds")
            return
        }
        inspection.tell("bucket", bucket)
        inspection.tell("key", object)
        if case .object(let members) = policy.content {
            let told: [StaticString] = ["Bucket", "Object", "Expires"]
            for member in members where !told.contains(where: { member.name.span.equals($0) }) {
                inspection.tell("policy." + member.name.text, member.value)
            }
        }
        inspection.ends(at: end, now: now)
    }
}
