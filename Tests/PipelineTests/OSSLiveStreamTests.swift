import Foundation
import Testing

@testable import TestService

@Suite("RTMP URLs over HTTP")
struct OSSLiveStreamTests {
    private static let longest = String(repeating: "a", count: 123) + ".m3u8"

    @Test func `a URL is for the grant's channel, and for the playlist that is asked for`() throws {
        let service = try Service.shared(.forms)
        for (query, playlist) in [
            ("", nil), ("?channel=stage-1", nil), ("?playlist=live.m3u8", "live.m3u8"),
            ("?playlist=\(OSSLiveStreamTests.longest)", OSSLiveStreamTests.longest), ("?playlist=a.m3u8", "a.m3u8"),
            ("?channel=stage-1&playlist=a-b_c~1.m3u8&bucket=demo-bucket", "a-b_c~1.m3u8"),
        ] {
            let answer = try service.get("/oss/rtmp-url\(query)")
            let (url, deadline) = try Verified.stream(answer.json["url"]?.string)
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

    @Test func `GET, JSON and a form get the same`() throws {
        let service = try Service.shared(.forms)
        for answer in [
            try service.get("/oss/rtmp-url?expires=60&playlist=live.m3u8"),
            try service.post("/oss/rtmp-url", json: #"{"expires":60,"playlist":"live.m3u8"}"#),
            try service.post("/oss/rtmp-url", "application/x-www-form-urlencoded", "expires=60&playlist=live.m3u8"),
        ] {
            let (url, deadline) = try Verified.stream(answer.json["url"]?.string)
            answer.expectTerms(grant: "stage", lifetime: 60, limitedBy: "requested", deadline: deadline)
            #expect(url.parameters.map(\.name) == ["playlistName", "OSSAccessKeyId", "Expires", "Signature"])
        }
    }

    @Test func `R5: a URL ends with the caller's credential, and none is given for longer than the grant says`() throws
    {
        let service = try Service.shared(.forms)
        let answer = try service.get("/oss/rtmp-url?channel=studio", APIKey.ending.bearer)
        #expect(try Verified.stream(answer.json["url"]?.string).deadline == APIKey.ending.notAfter)
        #expect(answer.json["limitedBy"] == "caller")
        try service.get("/oss/rtmp-url?expires=3601").expectProblem(400, "invalid_parameter")
    }

    @Test func `R4: another channel than the grant's is nobody's`() throws {
        let service = try Service.shared(.forms)
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
