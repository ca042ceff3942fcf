import Access
import Bytes
import Crypto
import Providers

/// The Authorization field of a management request or of a callback, as anybody may have made it.
enum InspectedManagement {
    static let inspector = Inspector(
        "Qiniu Authorization", "`Qiniu AK:sign` or `QBox AK:sign`, alone or in its request.",
        read: { input, keyring, now in
            for signature in [ManagementSignature.qiniu, .qbox] {
                if let (value, request) = input.authorization(signature.scheme) {
                    return inspect(value, signature, request, keyring, now)
                }
            }
            return nil
        })

    private static func inspect(
        _ value: [UInt8], _ signature: ManagementSignature, _ request: InspectedRequest?, _ keyring: Keyring,
        _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(inspector.kind)
        inspection.tell("scheme", signature == .qiniu ? "Qiniu (version 2)" : "QBox (version 1)")
        guard let claim = KeyedSignature(value, in: &inspection) else { return inspection }
        if Base64.urlSafe.decode(claim.signature.span)?.count != 20 {
            inspection.fails("form", "the signature must be 20 bytes in url-safe base64 with its padding")
        }
        if let request {
            inspection.tell("method", request.method ?? [])
            inspection.tell("host", request.authority)
            inspection.tell("path", request.path)
            let type = request.field("content-type") ?? []
            if !request.body.isEmpty, !signature.covers(bodyOf: type.span) {
                inspection.tell("body", "not covered by the signature")
            }
            tellDate(of: request, signature, now, in: &inspection)
        }
        guard let entry = inspection.key(claim.accessKey, of: keyring) else { return inspection }
        guard let request else {
            inspection.lacksRequest()
            return inspection
        }
        inspection.isSigned(claim.signature, of: request) { _ throws(IssueError) in
            Base64.urlSafe.encode(try code(of: request, signature, entry.key).bytes.array)
        }
        return inspection
    }

    private static func tellDate(
        of request: InspectedRequest, _ signature: ManagementSignature, _ now: Int64, in inspection: inout Inspection
    ) {
        guard signature == .qiniu, let date = request.field("x-qiniu-date") else {
            return inspection.tell("ends", "never: no date is signed")
        }
        guard let moment = ISO8601.parseBasic(date.span) else {
            return inspection.fails("date", "X-Qiniu-Date must be such as 20240106T233431Z")
        }
        inspection.isDated(at: moment, tolerance: Qiniu.dateTolerance, now: now)
    }

    private static func code(
        of request: InspectedRequest, _ signature: ManagementSignature, _ key: SigningKey
    ) throws(IssueError) -> Digest {
        let (method, target, lines) = (request.method ?? [], request.target, request.fieldLines)
        let (host, type) = (request.authority, request.field("content-type") ?? [])
        let signed = try ManagementRequest(
            method: method.span, target: target.span, host: host.span, contentType: type.span, fieldLines: lines.span,
            body: request.body.span)
        var text = ByteWriter()
        signature.writeText(of: signed, into: &text)
        return try key.sha1.code(of: text.bytes)
    }
}
