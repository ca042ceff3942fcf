import Access
import Bytes
import Crypto
import Providers

/// A URL of OSS that carries its signature, as anybody may have made it.
enum InspectedOSSURL {
    static let v4 = Inspector(
        "OSS V4 presigned URL", "The URL, with `x-oss-credential` and `x-oss-signature`, alone or in its request.",
        read: { input, keyring, now in
            guard case .request(let request) = input.content,
                let credential = request.parameter("x-oss-credential")
            else { return nil }
            return inspectV4(request, credential, keyring, now)
        })

    static let v1 = Inspector(
        "OSS V1 presigned URL", "The URL, with `OSSAccessKeyId`, `Expires` and `Signature`, alone or in its request.",
        read: { input, keyring, now in
            guard case .request(let request) = input.content, !request.isStream,
                let accessKey = request.parameter("OSSAccessKeyId")
            else { return nil }
            return inspectV1(request, accessKey, keyring, now)
        })

    static let stream = Inspector(
        "OSS RTMP URL", "The URL, `rtmp://…`, with `OSSAccessKeyId`, `Expires` and `Signature`.",
        read: { input, keyring, now in
            guard case .request(let request) = input.content, request.isStream,
                let accessKey = request.parameter("OSSAccessKeyId")
            else { return nil }
            return inspectStream(request, accessKey, keyring, now)
        })

    // MARK: Version 4

    private static func inspectV4(
        _ request: InspectedRequest, _ credential: [UInt8], _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(v4.kind)
        guard let read = InspectedOSSRequest(request, keyring, in: &inspection) else { return inspection }
        guard let signature = request.parameter("x-oss-signature"),
            request.parameter("x-oss-signature-version") == ScopedKey.algorithm.array
        else {
            inspection.fails("form", "x-oss-signature, and x-oss-signature-version of OSS4-HMAC-SHA256, must be there")
            return inspection
        }
        guard let scope = InspectedScope(credential) else {
            inspection.fails("form", InspectedScope.form)
            return inspection
        }
        guard let moment = request.parameter("x-oss-date").flatMap({ ISO8601.parseBasic($0.span) }),
            let lifetime = request.parameter("x-oss-expires").flatMap({ Decimal.parse($0.span) })
        else {
            inspection.fails("form", "x-oss-date must be such as 20240106T233431Z, and x-oss-expires seconds in digits")
            return inspection
        }
        guard PresignedURLV4.lifetimes.contains(lifetime) else {
            inspection.fails("expiry", "x-oss-expires must be 1 to 604800 seconds, which is 7 days")
            return inspection
        }
        let token = request.parameter("x-oss-security-token")
        let additional = (request.parameter("x-oss-additional-headers") ?? [])
            .split(separator: UInt8(ascii: ";")).map { Array($0) }
        if !additional.isEmpty {
            inspection.tell("signed headers", additional.map(\.text).joined(separator: ", "))
        }
        inspection.tellToken(token)
        scope.tell(of: moment, host: read.hostRegion, in: &inspection)
        if let entry = inspection.key(scope.accessKey, of: keyring, isTemporary: token != nil),
            let key = scope.key(of: entry, at: moment, in: &inspection)
        {
            inspection.isSigned(signature, byOneOf: request.possibleMethods, otherwise: otherwise) {
                method throws(IssueError) in
                try read.signed(by: method, with: additional) { canonical throws(IssueError) in
                    try InspectedRequest.parameter("x-oss-signature") { base, out, scratch throws(IssueError) in
                        try PresignedURLV4.write(
                            for: canonical, on: base, lasting: lifetime,
                            by: OSSSigner.V4(key, at: moment, token: token), into: &out, using: &scratch)
                    }
                }
            }
        }
        inspection.ends(at: moment + lifetime, now: now)
        inspection.begins(at: moment, tolerance: OSS.dateTolerance, now: now)
        return inspection
    }

    private static let otherwise =
        "it is not that of this URL and method, with the Content-MD5, Content-Type and x-oss- fields given"

    // MARK: Version 1

    private static func inspectV1(
        _ request: InspectedRequest, _ accessKey: [UInt8], _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(v1.kind)
        guard let read = InspectedOSSRequest(request, keyring, in: &inspection),
            let (signature, deadline) = request.signatureAndEnd(in: &inspection)
        else { return inspection }
        let token = request.parameter("security-token")
        inspection.tellToken(token)
        if let entry = inspection.key(accessKey, of: keyring, isTemporary: token != nil) {
            inspection.isSigned(signature, byOneOf: request.possibleMethods, otherwise: otherwise) {
                method throws(IssueError) in
                try read.signed(by: method) { signed throws(IssueError) in
                    try InspectedRequest.parameter("Signature") { base, out, scratch throws(IssueError) in
                        try PresignedURLV1.write(
                            for: signed, on: base, until: deadline, by: OSSSigner.V1(entry.key, token: token),
                            into: &out, using: &scratch)
                    }
                }
            }
        }
        inspection.ends(at: deadline, now: now)
        return inspection
    }

    // MARK: Streams

    private static func inspectStream(
        _ request: InspectedRequest, _ accessKey: [UInt8], _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(stream.kind)
        let bucket = Array(request.authority.prefix { $0 != UInt8(ascii: ".") })
        inspection.tell("bucket", bucket)
        guard let path = request.decodedPath, path.starts(with: "live/".utf8) else {
            inspection.fails("form", "the path must be /live/ and the channel")
            return inspection
        }
        let channel = Array(path.dropFirst(5))
        let playlist = request.parameter("playlistName") ?? []
        let token = request.parameter("security-token")
        inspection.tell("channel", channel)
        if !playlist.isEmpty { inspection.tell("playlist", playlist) }
        inspection.tellToken(token)
        guard let (signature, deadline) = request.signatureAndEnd(in: &inspection) else { return inspection }
        if let entry = inspection.key(accessKey, of: keyring, isTemporary: token != nil) {
            do throws(IssueError) {
                let made = try InspectedRequest.parameter("Signature") { base, out, scratch throws(IssueError) in
                    try RTMPURL(bucket: bucket.span, channel: channel.span, playlist: playlist.span).write(
                        on: base, until: deadline, by: OSSSigner.V1(entry.key, token: token), into: &out,
                        using: &scratch)
                }
                inspection.isSigned(signature, as: [made], otherwise: "it is not that of this channel and playlist")
            } catch {
                inspection.isUnsignable(error)
            }
        }
        inspection.ends(at: deadline, now: now)
        return inspection
    }
}

extension InspectedRequest {
    fileprivate var isStream: Bool { scheme?.text == "rtmp" }
}
