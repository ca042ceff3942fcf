import Access
import Bytes
import Crypto
import Providers

/// A URL of OSS that carries its signature, as anybody may have made it.
enum InspectedOSSURL {
    static let v4: Inspector = Inspector(
        "OSS V4 presigned URL", "The URL, with `x-oss-credential` and `x-oss-signature`, alone or in its request.",
        read: { input, keyring, now in
            guard case .request(let request) = input.content,
                let credential = request.parameter("x-oss-credential")
            else { return nil }
            return InspectedV4(OSS.v4, v4.kind, tolerance: OSS.dateTolerance) {
                InspectedOSSRequest($0, keyring, in: &$1)
            }
            .url(request, credential, keyring, now)
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

    private static let otherwise = OSS.v4.signsOtherwise

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
