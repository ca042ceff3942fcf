import Access
import Bytes
import Crypto
import Providers

/// The Authorization field of a request to OSS, as anybody may have made it.
enum InspectedOSSAuthorization {
    static let v4: Inspector = Inspector(
        "OSS V4 Authorization", "`OSS4-HMAC-SHA256 Credential=…,Signature=…`, alone or in its request.",
        read: { input, keyring, now in
            input.authorization("OSS4-HMAC-SHA256 ").map { value, request in
                InspectedV4(OSS.v4, v4.kind, tolerance: OSS.dateTolerance) { InspectedOSSRequest($0, keyring, in: &$1) }
                    .authorization(value, request, keyring, now)
            }
        })

    static let v1 = Inspector(
        "OSS V1 Authorization", "`OSS AK:sign`, alone or in its request, or an answer with `authorization`.",
        read: { input, keyring, now in
            input.authorization("OSS ").map { inspectV1($0.value, $0.request, keyring, now) }
        })

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
