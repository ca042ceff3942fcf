import Foundation
import Testing

@Suite("RTMP URLs over HTTP")
struct OSSLiveStreamTests {
    private static let longest = String(repeating: "a", count: 123) + ".m3u8"

    /// The vendor's Python SDK, `Bucket.sign_rtmp_url`, told by other code: an HMAC-SHA1 over end, parameters and channel.
    static func verify(
        _ text: String?, accessKey: String = Setup.ossAccessKey
    ) throws -> (url: SentURL, deadline: Int64) {
        let url = try SentURL(text)
        let own = ["OSSAccessKeyId", "Expires", "Signature"]
        let lines = url.parameters.filter { !own.contains($0.name) }.sorted { $0.name < $1.name }
            .map { "\($0.name):\($0.value)\n" }.joined()
        let (bucket, end) = (url.host.split(separator: ".")[0], url.parameter("Expires") ?? "")
        guard url.scheme == "rtmp", url.path.hasPrefix("/live/"), let deadline = Int64(end) else {
            throw Program.Failure(description: "no RTMP URL: \(url.text)")
        }
        let signed = "\(end)\n\(lines)/\(bucket)/\(url.path.dropFirst(6))"
        let code = Digests.hmacSHA1(key: Array(Setup.ossSecret.utf8), Array(signed.utf8))
        guard url.parameter("Signature") == Base64Text.encode(code, urlSafe: false),
            url.parameter("OSSAccessKeyId") == accessKey
        else { throw Program.Failure(description: "the signature does not hold: \(url.text)") }
        return (url, deadline)
    }

    @Test(arguments: Transport.allCases)
    func `a URL is for the grant's channel, and for the playlist that is asked for`(_ transport: Transport) throws {
        let service = try Service.shared(.forms, transport)
        for (query, playlist) in [
            ("", nil), ("?channel=stage-1", nil), ("?playlist=live.m3u8", "live.m3u8"),
            ("?playlist=\(OSSLiveStreamTests.longest)", OSSLiveStreamTests.longest), ("?playlist=a.m3u8", "a.m3u8"),
            ("?channel=stage-1&playlist=a-b_c~1.m3u8&bucket=demo-bucket", "a-b_c~1.m3u8"),
        ] {
            let answer = try service.get("/oss/rtmp-url\(query)")
            let (url, deadline) = try OSSLiveStreamTests.verify(answer.json["url"]?.string)
            answer.expectTerms(grant: "stage", lifetime: 600, limitedBy: "grant", deadline: deadline)
            #expect(answer.json.names == Answer.terms.union(["url", "bucket", "channel", "deadline"]))
            #expect(url.host == "demo-bucket.\(Setup.ossEndpoint)")
            #expect(url.path == "/live/stage-1")
            #expect(url.parameter("playlistName") == playlist)
            #expect(answer.json["channel"] == "stage-1")
            #expect(answer.json["bucket"] == "demo-bucket")
            #expect(answer.json["deadline"] == .integer(deadline))
        }
    }

    @Test(arguments: Transport.allCases)
    func `GET, JSON and a form get the same`(_ transport: Transport) throws {
        let service = try Service.shared(.forms, transport)
        for answer in [
            try service.get("/oss/rtmp-url?expires=60&playlist=live.m3u8"),
            try service.post("/oss/rtmp-url", json: #"{"expires":60,"playlist":"live.m3u8"}"#),
            try service.post("/oss/rtmp-url", "application/x-www-form-urlencoded", "expires=60&playlist=live.m3u8"),
        ] {
            let (url, deadline) = try OSSLiveStreamTests.verify(answer.json["url"]?.string)
            answer.expectTerms(grant: "stage", lifetime: 60, limitedBy: "requested", deadline: deadline)
            #expect(url.parameters.map(\.name) == ["playlistName", "OSSAccessKeyId", "Expires", "Signature"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `R5: a URL ends with the caller's credential, and none is given for longer than the grant says`(
        _ transport: Transport
    ) throws {
        let service = try Service.shared(.forms, transport)
        let answer = try service.get("/oss/rtmp-url?channel=studio", APIKey.ending.bearer)
        #expect(try OSSLiveStreamTests.verify(answer.json["url"]?.string).deadline == APIKey.ending.notAfter)
        #expect(answer.json["limitedBy"] == "caller")
        try service.get("/oss/rtmp-url?expires=3601").expectProblem(400, "invalid_parameter")
    }

    @Test(arguments: Transport.allCases)
    func `R4: another channel than the grant's is nobody's`(_ transport: Transport) throws {
        let service = try Service.shared(.forms, transport)
        for channel in ["stage-2", "studio", "stage-1/x", "STAGE-1", "stage-1 "] {
            let answer = try service.get("/oss/rtmp-url?channel=\(percent(channel))")
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == "channel")
        }
        #expect(try service.get("/oss/rtmp-url", APIKey.alice.bearer).json["channel"] == "studio")
        try service.get("/oss/rtmp-url?channel=stage-1", APIKey.alice.bearer).expectProblem(403, "not_in_grant")
        try service.get("/oss/rtmp-url?bucket=demo-other").expectProblem(403, "not_in_grant")
    }
}
