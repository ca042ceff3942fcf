import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// What is told of OSS's URLs, signed requests and streams.
@Suite struct OSSInspectionTests {
    private let now = InspectionSample.now
    private let origin: BaseURL

    init() throws { origin = try #require(BaseURL(isSecure: true, Array("oss-cn-hangzhou.aliyuncs.com".utf8))) }

    private func scopedKey(at moment: Int64, _ accessKey: String = "AKID") throws -> ScopedKey {
        try ScopedKey(
            InspectionSample.key(accessKey), OSS.v4, region: Array("cn-hangzhou".utf8), product: Array("oss".utf8),
            at: moment)
    }

    private func urlV4(
        _ sample: OSSSample = OSSSample(method: "GET"), at moment: Int64? = nil, for lifetime: Int64 = 600,
        token: String? = nil, accessKey: String = "AKID"
    ) throws -> String {
        let moment = moment ?? now
        return try sample.urlV4(origin, at: moment, for: lifetime, token: token, scopedKey(at: moment, accessKey)).text
    }

    private func urlV1(_ sample: OSSSample = OSSSample(method: "GET"), token: String? = nil) throws -> String {
        try sample.urlV1(origin, until: now + 600, token: token, InspectionSample.key()).text
    }

    /// The answer of the service for a request.
    private func answer(_ method: String, _ url: String, _ headers: String = "") -> String {
        #"{"method":"\#(method)","url":"\#(url)","headers":{\#(headers)}}"#
    }

    // MARK: URLs

    @Test func `presigned URLs are genuine, and tell what they are for`() throws {
        try InspectionSample.expectGenuine(try urlV4(), "OSS V4 presigned URL", until: now + 600)
        try InspectionSample.expectGenuine(try urlV1(), "OSS V1 presigned URL", until: now + 600)
        for url in [try urlV4(), try urlV1()] {
            let inspection = try InspectionSample.inspect(url)
            #expect(inspection[fact: "bucket"] == "examplebucket" && inspection[fact: "key"] == "a/b.txt")
            #expect(inspection[fact: "method"] == "GET")
            let target = url.dropFirst("https://examplebucket.oss-cn-hangzhou.aliyuncs.com".count)
            let request =
                "GET \(target) HTTP/1.1\r\nHost: examplebucket.oss-cn-hangzhou.aliyuncs.com\r\nAccept: */*\r\n\r\n"
            #expect(try InspectionSample.inspect(request).verdict == .genuine)
        }
        #expect(try InspectionSample.inspect(urlV4())[fact: "region"] == "cn-hangzhou")
    }

    @Test func `presigned URLs are refused for what is wrong with them`() throws {
        for url in [try urlV4(), try urlV1()] {
            try InspectionSample.expectRefusal(url.replacing("b.txt", with: "c.txt"), "signature", "this URL")
            try InspectionSample.expectRefusal(url.replacing("//exam", with: "//eyam"), "signature", "this URL")
            try InspectionSample.expectRefusal(url + "&x-oss-process=image", "signature", "this URL")
            try InspectionSample.expectRefusal(url.replacing("AKID", with: "AKIE"), "access key", "no credential")
            try InspectionSample.expectRefusal(url, "expiry", "ended 1 s ago", at: now + 601)
            try InspectionSample.expectRefusal(answer("PUT", url), "signature", "method")
        }
        try InspectionSample.expectRefusal(
            try urlV1().replacing("Expires=\(now + 600)", with: "Expires=\(now + 601)"), "signature", "this URL")
        try InspectionSample.expectRefusal(try urlV1().replacing("Expires=", with: "Ends="), "form", "Expires")
        let url = try urlV4()
        try InspectionSample.expectRefusal(url.replacing("expires=600", with: "expires=601"), "signature", "this URL")
        try InspectionSample.expectRefusal(url.replacing("expires=600", with: "expires=604801"), "expiry", "7 days")
        try InspectionSample.expectRefusal(url.replacing("expires=600", with: "expires=0"), "expiry", "7 days")
        try InspectionSample.expectRefusal(
            url.replacing("cn-hangzhou%2Foss", with: "cn-beijing%2Foss"), "scope", "region")
        try InspectionSample.expectRefusal(url.replacing("%2F20261118%2F", with: "%2F20261119%2F"), "scope", "day")
        try InspectionSample.expectRefusal(url.replacing("aliyun_v4", with: "aliyun_v5"), "form", "aliyun_v4_request")
        try InspectionSample.expectRefusal(url.replacing("OSS4-HMAC", with: "OSS3-HMAC"), "form", "version")
        try InspectionSample.expectRefusal(try urlV4(at: now + 3600), "date", "begins in 1 h")
    }

    @Test func `what has to be sent with a URL has to be given with it`() throws {
        let sample = OSSSample(
            fields: [("content-type", "image/png"), ("content-length", "5")],
            additional: [
                "content-length"
            ])
        let url = try urlV4(sample)
        let headers = #""content-type":"image/png","content-length":"5""#
        let inspection = try InspectionSample.inspect(answer("PUT", url, headers))
        #expect(inspection.verdict == .genuine && inspection[fact: "signed headers"] == "content-length")
        try InspectionSample.expectRefusal(
            answer("PUT", url, headers.replacing("5", with: "6")), "signature", "this URL")
        try InspectionSample.expectRefusal(
            answer("PUT", url, #""content-type":"image/png""#), "form", "an additional field must be in the request")
    }

    @Test func `a URL alone whose signature covers a header is left open, not refused`() throws {
        let sample = OSSSample(fields: [("content-length", "5")], additional: ["content-length"])
        let inspection = try InspectionSample.inspect(try urlV4(sample))
        let check = try #require(inspection.checks.first { $0.name == "signature" })
        #expect(inspection.verdict == .unverified && check.outcome == .open)
        #expect(check.reason == "signed, but not in the URL: content-length; give the whole JSON answer")
    }

    @Test func `a temporary key's URL cannot be checked, and its token is not told`() throws {
        for url in [
            try urlV4(token: "TOKEN-OF-THE-SESSION").replacing("AKID", with: "STS.AKID"),
            try urlV1(token: "TOKEN-OF-THE-SESSION").replacing("AKID", with: "STS.AKID"),
        ] {
            let inspection = try InspectionSample.inspect(url)
            #expect(inspection.verdict == .unverified)
            #expect(inspection[fact: "security token"] == "of 20 bytes")
            #expect(!"\(inspection)".contains("TOKEN-OF"))
        }
        #expect(try InspectionSample.inspect(urlV4(token: "T")).verdict == .genuine)
    }

    @Test func `a stream's URL is genuine, and refused one edit away`() throws {
        let (bucket, channel, playlist) = (Array("examplebucket".utf8), Array("stage".utf8), Array("live.m3u8".utf8))
        let url = try InspectionSample.written { out, scratch in
            try RTMPURL(bucket: bucket.span, channel: channel.span, playlist: playlist.span).write(
                on: origin, until: now + 600, by: OSSSigner.V1(InspectionSample.key()), into: &out, using: &scratch)
        }
        try InspectionSample.expectGenuine(url, "OSS RTMP URL", until: now + 600)
        #expect(try InspectionSample.inspect(url)[fact: "channel"] == "stage")
        try InspectionSample.expectRefusal(url.replacing("stage", with: "stags"), "signature", "this channel")
        try InspectionSample.expectRefusal(url.replacing("live.m3u8", with: "lime.m3u8"), "signature", "this channel")
        try InspectionSample.expectRefusal(url.replacing("/live/", with: "/vod/"), "form", "/live/")
    }

    // MARK: Requests

    private func request(_ sample: OSSSample, _ authorization: String) -> String {
        "PUT /a/b.txt HTTP/1.1\r\nhost: examplebucket.oss-cn-hangzhou.aliyuncs.com\r\nuser-agent: x\r\n"
            + sample.fields.map { "\($0.0): \($0.1)\r\n" }.joined() + sample.ownLines
            + "Authorization: \(authorization)\r\n\r\nbody"
    }

    @Test func `signed requests are genuine, and refused one edit away`() throws {
        let plain = OSSSample(fields: [("content-type", "text/plain"), ("x-oss-meta-a", "b")])
        let v1 = plain.withFields { HeaderSignatureV1.writeFields(at: now, token: nil, into: &$0) }
        let v4 = plain.withFields { HeaderSignatureV4.writeFields(OSS.v4, at: now, token: nil, into: &$0) }
        let requests = [
            ("OSS V1 Authorization", request(v1, try v1.headerV1(InspectionSample.key()).text)),
            ("OSS V4 Authorization", request(v4, try v4.headerV4(scopedKey(at: now)).text)),
        ]
        for (kind, request) in requests {
            try InspectionSample.expectGenuine(request, kind, until: now + 900)
            try InspectionSample.expectRefusal(request.replacing("PUT", with: "GET"), "signature", "this request")
            try InspectionSample.expectRefusal(request.replacing("b.txt", with: "c.txt"), "signature", "this request")
            try InspectionSample.expectRefusal(
                request.replacing("meta-a: b", with: "meta-a: c"), "signature", "request")
            try InspectionSample.expectRefusal(request.replacing("AKID", with: "AKIE"), "access key", "no credential")
            try InspectionSample.expectRefusal(
                request.replacing("x-oss-date: ", with: "x-oss-date: x"), "date", "must be")
            try InspectionSample.expectRefusal(request, "date", "begins in", at: now - 901)
            let line = try #require(request.split(separator: "\r\n").first { $0.hasPrefix("Authorization") })
            let alone = try InspectionSample.inspect(String(line))
            #expect(alone.kind == kind && alone.verdict == .unverified)
        }
        try InspectionSample.expectRefusal("OSS AKID", "form", "joined by :")
        try InspectionSample.expectRefusal("OSS4-HMAC-SHA256 Credential=a", "form", "Signature")
    }
}
