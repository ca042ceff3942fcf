import Access
import Bytes
import Crypto

/// The URL to which a client streams into a live channel: `rtmp://bucket.endpoint/live/channel?…`, signed by an HMAC-SHA1 over
/// its end, its parameters and the channel (the vendor's Python SDK, `Bucket.sign_rtmp_url`).
package struct RTMPURL: ~Escapable {
    private let bucket: Span<UInt8>
    private let channel: Span<UInt8>
    private let playlist: Span<UInt8>

    /// - Parameter playlist: the name of the playlist that the vendor writes; empty for the channel's own.
    @_lifetime(copy bucket, copy channel, copy playlist)
    package init(bucket: Span<UInt8>, channel: Span<UInt8>, playlist: Span<UInt8>) throws(IssueError) {
        guard OSS.isBucket(bucket) else { throw .unsignable("a bucket must be 3 to 63 of a-z 0-9 and inner hyphens") }
        guard RTMPURL.isChannel(channel) else { throw .unsignable("a channel must be of a-z A-Z 0-9 and -._~") }
        guard ObjectRequest.isText(playlist) else {
            throw .unsignable("a playlist must be UTF-8 without control characters")
        }
        self.bucket = bucket
        self.channel = channel
        self.playlist = playlist
    }

    /// - Parameters:
    ///   - endpoint: its scheme does not matter.
    ///   - deadline: seconds since 1970.
    ///   - out: what is written there stands in a JSON string as it is.
    ///   - scratch: room to work in; the text that is signed is there afterwards.
    package func write(
        on endpoint: BaseURL, until deadline: Int64, by signer: OSSSigner.V1, into out: inout ByteWriter,
        using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard deadline > 0 else { throw .unsignable("a URL must end after 1970") }
        var parameters: [NameValue] = []
        if !playlist.isEmpty { parameters.append(NameValue("playlistName", playlist.array)) }
        if let token = signer.token { parameters.append(NameValue("security-token", token)) }
        scratch.reset()
        scratch.append(decimal: deadline)
        scratch.append(UInt8(ascii: "\n"))
        for parameter in parameters {
            scratch.append(parameter.name)
            scratch.append(UInt8(ascii: ":"))
            scratch.append(parameter.value)
            scratch.append(UInt8(ascii: "\n"))
        }
        scratch.append(UInt8(ascii: "/"))
        scratch.append(bucket)
        scratch.append(UInt8(ascii: "/"))
        scratch.append(channel)
        let code = try signer.key.sha1.code(of: scratch.bytes)
        parameters.append(NameValue("OSSAccessKeyId", signer.key.accessKey))
        parameters.append(NameValue("Expires", Array(text: "\(deadline)")))
        parameters.append(NameValue("Signature", Base64.standard.encode(code.bytes.array)))
        out.append("rtmp://")
        endpoint.writeAuthority(of: bucket, into: &out)
        out.append("/live/")
        out.append(channel)
        out.append(UInt8(ascii: "?"))
        QueryText.write(parameters, into: &out)
    }

    /// Names that stand in a URL as they are: streaming clients send the path without reading it.
    static func isChannel(_ name: Span<UInt8>) -> Bool {
        (1...OSS.maximumKeyLength).contains(name.count) && ByteSet.unreserved.contains(all: name) && !name.equals(".")
            && !name.equals("..")
    }
}
