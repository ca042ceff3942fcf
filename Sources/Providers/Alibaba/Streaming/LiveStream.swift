import Access
import Bytes
import Crypto

/// `/oss/rtmp-url`: the URL by which a client streams into one live channel until a moment.
struct LiveStream: TokenIssuer {
    /// The channel, which is the caller's name with the vendor.
    let vendorName: KeyTemplate?
    private let endpoint: BaseURL

    /// Of a playlist's name, in bytes (OSS API reference, "PutLiveChannel").
    private static let playlistLengths = 6...128
    private static let playlistFault =
        "must be a file's name of 6 to 128 letters, digits, - _ . and ~ that ends in .m3u8"

    static let route = RouteDescription(
        "oss.rtmp-url", path: "/oss/rtmp-url", "A URL to stream into a live channel.",
        request: RouteRequest(parameters.descriptions, withoutKey: .prefix) { ask, _ throws(AskError) in try read(ask)
        },
        grant: RouteGrant(
            Fields(), scope: [.bucket], lifetime: .upTo(7 * 86_400), credential: .with(OSS.credential.region),
            enforcement: .ossStream
        ) { grant, context throws(FieldProblem) in .signing(try LiveStream(grant, context)) },
        answer: RouteAnswer(
            [
                AnswerField("url", "The URL, for RTMP."), AnswerField("bucket", "The bucket."),
                AnswerField("channel", "The channel."),
                AnswerField.urlEnd,
            ], token: ["url"]))

    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let channel = Parameter(
            "channel", .text(maximumLength: OSS.maximumKeyLength), "The channel; the grant's, or left out.")
        let playlist = Parameter(
            "playlist", .text(maximumLength: playlistLengths.upperBound),
            "The playlist that OSS writes, such as live.m3u8; without it the channel's own.")
        let expires = Parameter.expires
    }

    private static let parameters = Parameters()

    private struct Fields: FieldGroup {
        let channel = Field("channel", .template, required: true, "The live channel.")
    }

    private init(_ grant: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        guard let endpoint = OSS.endpoint(context.credential) else { throw FieldProblem("credential", "needs region") }
        if let bucket = context.bucket, !OSS.isBucket(bucket.span) { throw FieldProblem("bucket", OSS.bucketFault) }
        vendorName = grant.channel
        guard let channel = grant.channel, RTMPURL.isChannel(channel.sample.span) else {
            throw FieldProblem("channel", "must be of a-z A-Z 0-9 and -._~")
        }
        if channel.usesExtension {
            throw FieldProblem("channel", "must not use ${ext}, since nobody asks for a key here")
        }
        if channel.usesUUID {
            throw FieldProblem("channel", "must not use ${uuid}, since the channel must be there already")
        }
        self.endpoint = endpoint
    }

    private static func read(_ ask: borrowing Ask) throws(AskError) {
        if let bucket = ask.bucket, !OSS.isBucket(bucket) { throw AskError(.invalid, "bucket", OSS.bucketFault) }
        guard let playlist = ask[parameters.playlist] else { return }
        guard playlistLengths.contains(playlist.count), RTMPURL.isChannel(playlist),
            playlist.extracting(last: 5).equals(".m3u8")
        else { throw AskError(.invalid, "playlist", playlistFault) }
    }

    func objection(to ask: borrowing Ask) -> Objection? { nil }

    func objection(toVendorName channel: Span<UInt8>, of ask: borrowing Ask) -> Objection? {
        guard RTMPURL.isChannel(channel) else {
            return Objection("channel", "the caller's name cannot stand in a channel, which is of a-z A-Z 0-9 and -._~")
        }
        if let asked = ask[LiveStream.parameters.channel], !asked.equals(channel) {
            return Objection("channel", "the grant's channel is another")
        }
        return nil
    }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let playlist: Span<UInt8>
        if let asked = ask[LiveStream.parameters.playlist] { playlist = asked } else { playlist = Span() }
        try out.append(members: { json throws(IssueError) in
            try json.add(
                "url",
                text: { url throws(IssueError) in
                    try RTMPURL(bucket: permit.bucket, channel: permit.vendorName, playlist: playlist).write(
                        on: endpoint, until: permit.expiresAt, by: OSSSigner.V1(key), into: &url, using: &scratch)
                })
            json.add("bucket", permit.bucket)
            json.add("channel", permit.vendorName)
            json.add("deadline", permit.expiresAt)
        })
    }
}
