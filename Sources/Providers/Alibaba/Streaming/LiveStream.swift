import Access
import Bytes
import Crypto

/// `/oss/rtmp-url`: the URL by which a client streams into one live channel until a moment.
struct LiveStream: TokenIssuer {
    private let channel: [UInt8]
    private let endpoint: WebOrigin

    /// Of a playlist's name, in bytes (OSS API reference, "PutLiveChannel").
    private static let playlistLengths = 6...128
    private static let playlistFault =
        "must be a file's name of 6 to 128 letters, digits, - _ . and ~ that ends in .m3u8"

    /// Where the parameters stand in an ask.
    private enum Position {
        static let channel = route.position(of: "channel") ?? .max
        static let playlist = route.position(of: "playlist") ?? .max
    }

    static let route = RouteDescription(
        "oss.rtmp-url", path: "/oss/rtmp-url", "A URL to stream into a live channel by.",
        parameters: [
            .grant, .bucket,
            ParameterDescription(
                "channel", .text(maximumLength: OSS.maximumKeyLength), "The channel; the grant's, or left out."),
            ParameterDescription(
                "playlist", .text(maximumLength: playlistLengths.upperBound),
                "The playlist that OSS writes, such as live.m3u8; without it the channel's own."),
            .expires,
        ],
        grantFields: [FieldDescription("channel", .string, required: true, "The live channel.")],
        answer: [
            AnswerField("url", "The URL, for RTMP."), AnswerField("bucket", "The bucket."),
            AnswerField("channel", "The channel."),
            AnswerField("deadline", type: .integer, "When the URL ends, in seconds since 1970."),
        ],
        token: ["url"], scope: [.bucket], enforcement: .ossStream, credentialNeeds: ["region"], withoutKey: .prefix,
        longestLifetime: 7 * 86_400,
        read: { ask, _ throws(AskError) in try read(ask) },
        makeIssuer: { fields throws(FieldProblem) in .signing(try LiveStream(fields)) })

    init(_ fields: GrantFields) throws(FieldProblem) {
        guard let endpoint = OSS.endpoint(fields.credential) else { throw FieldProblem("credential", "needs region") }
        if let bucket = fields.bucket, !OSS.isBucket(bucket.span) { throw FieldProblem("bucket", OSS.bucketFault) }
        guard let channel = fields.grant.string("channel"), RTMPURL.isChannel(channel.span) else {
            throw FieldProblem("channel", "must be of a-z A-Z 0-9 and -._~")
        }
        self.channel = channel
        self.endpoint = endpoint
    }

    private static func read(_ ask: borrowing Ask) throws(AskError) {
        if let bucket = ask.bucket, !OSS.isBucket(bucket) { throw AskError(.invalid, "bucket", OSS.bucketFault) }
        guard let playlist = ask.text(at: Position.playlist) else { return }
        guard playlistLengths.contains(playlist.count), RTMPURL.isChannel(playlist),
            playlist.extracting(last: 5).equals(".m3u8")
        else { throw AskError(.invalid, "playlist", playlistFault) }
    }

    func objection(to ask: borrowing Ask) -> Objection? {
        if let asked = ask.text(at: Position.channel), !asked.equals(channel) {
            return Objection("channel", "the grant's channel is another")
        }
        return nil
    }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at moment: borrowing Moment,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let playlist: Span<UInt8>
        if let asked = ask.text(at: Position.playlist) { playlist = asked } else { playlist = Span() }
        out.append("\"url\":\"")
        try RTMPURL.write(
            bucket: permit.bucket, channel: channel.span, playlist: playlist, on: endpoint, until: permit.expiresAt,
            token: nil, with: key, into: &out, using: &scratch)
        out.append("\",\"bucket\":")
        out.append(jsonString: permit.bucket)
        out.append(",\"channel\":")
        out.append(jsonString: channel)
        out.append(",\"deadline\":")
        out.append(decimal: permit.expiresAt)
    }
}
