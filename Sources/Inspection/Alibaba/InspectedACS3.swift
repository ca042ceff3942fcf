import Access
import Bytes
import Crypto
import Providers

/// The Authorization field of a call to Alibaba Cloud's services, as anybody may have made it.
enum InspectedACS3 {
    static let inspector = Inspector(
        "ACS3 Authorization", "`ACS3-HMAC-SHA256 Credential=…,SignedHeaders=…,Signature=…`, alone or in its request.",
        read: { input, keyring, now in
            input.authorization("ACS3-HMAC-SHA256 ").map { inspect($0.value, $0.request, keyring, now) }
        })

    /// How long the vendor takes a dated request, in seconds.
    private static let dateTolerance: Int64 = 15 * 60

    private static func inspect(
        _ value: [UInt8], _ request: InspectedRequest?, _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(inspector.kind)
        let fields = AuthorizationFields(value)
        guard let accessKey = fields["Credential"], let names = fields["SignedHeaders"],
            let signature = fields["Signature"]
        else {
            inspection.fails("form", "it must have Credential=…, SignedHeaders=… and Signature=…, with commas between")
            return inspection
        }
        inspection.tell("signed headers", names)
        guard let request else {
            if inspection.key(accessKey, of: keyring) != nil {
                inspection.leavesOpen("signature", "it is over the request: give that, with its fields and its body")
            }
            return inspection
        }
        inspection.tell("host", request.authority)
        if let action = request.field("x-acs-action") { inspection.tell("action", action) }
        guard let moment = request.field("x-acs-date").flatMap({ ISO8601.parse($0.span) }) else {
            inspection.fails("date", "x-acs-date must be such as 2023-10-26T09:01:01Z")
            return inspection
        }
        inspection.isDated(at: moment, tolerance: dateTolerance, now: now)
        let token = request.field("x-acs-security-token")
        inspection.tellToken(token)
        guard let entry = inspection.key(accessKey, of: keyring, isTemporary: token != nil) else { return inspection }
        let signed = names.split(separator: UInt8(ascii: ";")).map { Array($0) }
        guard signed.contains(StaticString("host").array), let call = call(request, signed) else {
            inspection.fails("form", "the method must be GET, POST or PUT, and host and all SignedHeaders be there")
            return inspection
        }
        do throws(CryptoError) {
            let made = try ACS3Signature.authorization(
                for: call, accessKeyID: entry.key.accessKey, entry.key.sha256)
            inspection.isSigned(
                signature, as: [AuthorizationFields(made)["Signature"] ?? []],
                otherwise: "it is not that of this request and its body")
        } catch {
            inspection.isUnsignable(.crypto(error))
        }
        return inspection
    }

    private static func call(_ request: InspectedRequest, _ signed: [[UInt8]]) -> UpstreamCall? {
        let methods: [UpstreamCall.Method] = [.get, .post, .put]
        guard let method = methods.first(where: { request.method == $0.name.array }),
            let parameters = request.parameters
        else { return nil }
        var headers: [NameValue] = []
        for name in signed where name != StaticString("host").array {
            let values = request.fields.filter { $0.name.span.equals(ignoringCaseOf: name) }
            guard values.count == 1 else { return nil }
            headers.append(NameValue(name, values[0].value))
        }
        return UpstreamCall(
            method, authority: request.authority, path: request.path,
            query: parameters.map { NameValue($0.name, $0.value ?? []) }, headers: headers, body: request.body)
    }
}
