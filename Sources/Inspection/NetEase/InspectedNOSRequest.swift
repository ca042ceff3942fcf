import Access
import Bytes
import Crypto
import Providers

/// A URL of NOS that carries its signature, or a request with one in its Authorization field, as anybody may have made it.
enum InspectedNOSRequest {
    static let url = Inspector(
        "NOS presigned URL", "The URL, with `NOSAccessKeyId`, `Expires` and `Signature`, alone or in its request.",
        read: { input, keyring, now in
            guard case .request(let request) = input.content,
                let accessKey = request.parameter("NOSAccessKeyId")
            else { return nil }
            return inspect(request, accessKey, keyring, now)
        })

    static let header = Inspector(
        "NOS Authorization", "`NOS AK:sign`, alone or in its request.",
        read: { input, keyring, now in
            input.authorization("NOS ").map { inspectHeader($0.value, $0.request, keyring, now) }
        })

    // MARK: URLs

    private static func inspect(
        _ request: InspectedRequest, _ accessKey: [UInt8], _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(url.kind)
        guard let object = Self.object(of: request, keyring, in: &inspection),
            let (signature, deadline) = request.signatureAndEnd(in: &inspection)
        else { return inspection }
        if let entry = inspection.key(accessKey, of: keyring) {
            inspection.isSigned(
                signature, byOneOf: request.possibleMethods,
                otherwise:
                    "it is not that of this URL and method, with the Content-MD5, Content-Type and x-nos- fields given"
            ) { method throws(IssueError) in
                try withRequest(method, object, request) { signed throws(IssueError) in
                    try InspectedRequest.parameter("Signature") { base, out, scratch throws(IssueError) in
                        try NOSPresignedURL.write(
                            for: signed, on: base, until: deadline, with: entry.key, into: &out, using: &scratch)
                    }
                }
            }
        }
        inspection.ends(at: deadline, now: now)
        return inspection
    }

    // MARK: Fields

    private static func inspectHeader(
        _ value: [UInt8], _ request: InspectedRequest?, _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(header.kind)
        guard let claim = KeyedSignature(value, in: &inspection) else { return inspection }
        let object = request.flatMap { Self.object(of: $0, keyring, in: &inspection) }
        guard let entry = inspection.key(claim.accessKey, of: keyring) else {
            if let request { isDated(request, now, in: &inspection) }
            return inspection
        }
        guard let request else {
            inspection.lacksRequest()
            return inspection
        }
        isDated(request, now, in: &inspection)
        guard let object else { return inspection }
        let date = request.field("x-nos-date") == nil ? request.field("date") ?? [] : []
        claim.judge(of: request, in: &inspection) { method throws(IssueError) in
            try withRequest(method, object, request) { signed throws(IssueError) in
                try InspectedRequest.written { out, scratch throws(IssueError) in
                    try NOSHeaderSignature.write(
                        for: signed, date: date.span, with: entry.key, into: &out, using: &scratch)
                }
            }
        }
        return inspection
    }

    private static func isDated(_ request: InspectedRequest, _ now: Int64, in inspection: inout Inspection) {
        inspection.isDated(request, by: "x-nos-date", tolerance: NOS.dateTolerance, now: now)
    }

    // MARK: Requests

    private static func object(
        of request: InspectedRequest, _ keyring: Keyring, in inspection: inout Inspection
    ) -> (bucket: [UInt8], key: [UInt8])? {
        inspection.object(of: request, "nos", endpoints: keyring.endpoints(NOS.credential.endpoint))
    }

    /// The request as it is signed: without the parameters of the signature itself.
    private static func withRequest(
        _ method: [UInt8], _ object: (bucket: [UInt8], key: [UInt8]), _ request: InspectedRequest,
        _ use: (borrowing NOSRequest) throws(IssueError) -> [UInt8]
    ) throws(IssueError) -> [UInt8] {
        let own: [StaticString] = ["NOSAccessKeyId", "Expires", "Signature"]
        let parameters = (request.parameters ?? []).filter { parameter in
            !own.contains { parameter.name.span.equals($0) }
        }
        let (lines, bucket, key) = (request.fieldLines, object.bucket, object.key)
        let (digest, type) = (request.field("content-md5") ?? [], request.field("content-type") ?? [])
        let signed = try NOSRequest(
            method: method.span, bucket: bucket.span, key: key.span,
            parameters: parameters.map { QueryParameter(name: $0.name, value: $0.value) },
            content: .init(md5: digest.span, type: type.span), fieldLines: lines.span)
        return try use(signed)
    }
}
