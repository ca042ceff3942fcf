import Access
import Bytes
import Crypto
import Providers

/// The Authorization field of a request to OSS, as anybody may have made it.
enum InspectedOSSAuthorization {
    static let v4 = Inspector(
        "OSS V4 Authorization", "`OSS4-HMAC-SHA256 Credential=…,Signature=…`, alone or in its request.",
        read: { input, keyring, now in
            input.authorization("OSS4-HMAC-SHA256 ").map { inspectV4($0.value, $0.request, keyring, now) }
        })

    static let v1 = Inspector(
        "OSS V1 Authorization", "`OSS AK:sign`, alone or in its request, or an answer with `authorization`.",
        read: { input, keyring, now in
            input.authorization("OSS ").map { inspectV1($0.value, $0.request, keyring, now) }
        })

    // MARK: Version 4

    private static func inspectV4(
        _ value: [UInt8], _ request: InspectedRequest?, _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(v4.kind)
        let fields = AuthorizationFields(value)
        guard let credential = fields["Credential"], let signature = fields["Signature"] else {
            inspection.fails("form", "it must have Credential=… and Signature=…, with a comma between")
            return inspection
        }
        guard let scope = InspectedScope(credential) else {
            inspection.fails("form", InspectedScope.form)
            return inspection
        }
        let additional = (fields["AdditionalHeaders"] ?? []).split(separator: UInt8(ascii: ";")).map { Array($0) }
        if !additional.isEmpty {
            inspection.tell("signed headers", additional.map(\.text).joined(separator: ", "))
        }
        guard let request else {
            inspection.tell("region", scope.region)
            if inspection.key(scope.accessKey, of: keyring) != nil { inspection.lacksRequest() }
            return inspection
        }
        guard let read = InspectedOSSRequest(request, keyring, in: &inspection) else { return inspection }
        guard let moment = request.field("x-oss-date").flatMap({ ISO8601.parseBasic($0.span) }) else {
            inspection.fails("date", "x-oss-date must be such as 20240106T233431Z")
            return inspection
        }
        scope.tell(of: moment, host: read.hostRegion, in: &inspection)
        inspection.isDated(at: moment, tolerance: OSS.dateTolerance, now: now)
        let token = request.field("x-oss-security-token")
        inspection.tellToken(token)
        guard let entry = inspection.key(scope.accessKey, of: keyring, isTemporary: token != nil),
            let key = scope.key(of: entry, at: moment, in: &inspection)
        else { return inspection }
        inspection.isSigned(signature, of: request) { method throws(IssueError) in
            let made = try read.signed(by: method, with: additional) { canonical throws(IssueError) in
                try InspectedRequest.written { out, scratch throws(IssueError) in
                    try HeaderSignatureV4.write(for: canonical, with: key, into: &out, using: &scratch)
                }
            }
            return AuthorizationFields(Array(made.drop { $0 != UInt8(ascii: " ") }))["Signature"] ?? []
        }
        return inspection
    }

    // MARK: Version 1

    private static func inspectV1(
        _ value: [UInt8], _ request: InspectedRequest?, _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(v1.kind)
        guard let claim = KeyedSignature(value, in: &inspection) else { return inspection }
        guard let request else {
            if inspection.key(claim.accessKey, of: keyring) != nil { inspection.lacksRequest() }
            return inspection
        }
        guard let read = InspectedOSSRequest(request, keyring, in: &inspection) else { return inspection }
        guard inspection.isDated(request, by: "x-oss-date", tolerance: OSS.dateTolerance, now: now) else {
            return inspection
        }
        let token = request.field("x-oss-security-token")
        inspection.tellToken(token)
        let key = inspection.key(claim.accessKey, of: keyring, isTemporary: token != nil)?.key
        guard let key else { return inspection }
        claim.judge(of: request, in: &inspection) { method throws(IssueError) in
            try read.signed(by: method) { signed throws(IssueError) in
                try InspectedRequest.written { out, scratch throws(IssueError) in
                    try HeaderSignatureV1.write(for: signed, with: key, into: &out, using: &scratch)
                }
            }
        }
        return inspection
    }
}

/// What stands behind the scheme of an Authorization field of Alibaba's newer signatures: `Credential=…, Signature=…`.
struct AuthorizationFields {
    private let fields: [NameValue]

    init(_ value: [UInt8]) {
        fields = value.split(separator: UInt8(ascii: ",")).compactMap { part in
            let part = InspectionInput.trimmed(part)
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return NameValue(Array(part[..<equals]), Array(part[(equals + 1)...]))
        }
    }

    /// The value of the only field of this name; nil where there is none, or several.
    subscript(name: StaticString) -> [UInt8]? {
        let values = fields.filter { $0.name.span.equals(name) }
        return values.count == 1 ? values[0].value : nil
    }
}
