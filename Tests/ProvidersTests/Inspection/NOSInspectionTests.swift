import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// What is told of NOS's tokens, URLs and signed requests.
@Suite struct NOSInspectionTests {
    private let now = InspectionSample.now

    // MARK: Upload tokens

    private func token(_ policy: String, accessKey: String = "AKID") throws -> String {
        let key = try InspectionSample.key(accessKey)
        return try "UPLOAD "
            + InspectionSample.written { out, scratch in
                scratch.append(text: policy)
                try SignedPolicy.write(policy: &scratch, .standard, key.accessKey, key.sha256, into: &out)
            }
    }

    private func policy(_ object: String = "a.jpg", end: Int64? = nil) -> String {
        "{\"Bucket\":\"media\",\"Object\":\"\(object)\",\"Expires\":\(end ?? now + 600),\"OverWrite\":false}"
    }

    @Test func `an upload token tells what it allows, and is genuine`() throws {
        let token = try token(policy())
        try InspectionSample.expectGenuine(token, "NOS upload token", until: now + 600)
        let inspection = try InspectionSample.inspect(#"{"token":"\#(token)","bucket":"media","object":"a.jpg"}"#)
        #expect(inspection.verdict == .genuine)
        #expect(inspection[fact: "bucket"] == "media" && inspection[fact: "key"] == "a.jpg")
        #expect(inspection[fact: "policy.OverWrite"] == "false")
    }

    @Test func `an upload token is refused for what is wrong with it`() throws {
        let token = try token(policy())
        let parts = token.split(separator: ":").map(String.init)
        let other = try self.token(policy("b.jpg")).split(separator: ":")
        try InspectionSample.expectRefusal(
            "\(parts[0]):\(other[1]):\(parts[2])", "signature", "not that of this policy")
        try InspectionSample.expectRefusal(
            "\(parts[0]):\(parts[1]):\(other[2])", "signature", "not that of this policy")
        try InspectionSample.expectRefusal(try self.token(policy(), accessKey: "AKIE"), "access key", "no credential")
        try InspectionSample.expectRefusal(try self.token(policy(end: now)), "expiry", "ended")
        try InspectionSample.expectRefusal(try self.token("{\"Bucket\":\"b\"}"), "form", "Bucket, Object, and Expires")
        try InspectionSample.expectRefusal(try self.token("["), "form", "no JSON")
        try InspectionSample.expectRefusal("UPLOAD AKID:x", "form", "joined by :")
        try InspectionSample.expectRefusal("UPLOAD AKID:x:y", "form", "base64")
        try InspectionSample.expectRefusal(
            #"{"token":"\#(token)","bucket":"other"}"#, "answer", "bucket beside it is not what is signed")
    }

    // MARK: Requests

    /// A request's text, `Authorization` included, or the URL that carries the signature.
    private func signed(_ method: String, type: String = "", asURL: Bool) throws -> String {
        let (name, bucket, key) = (Array(method.utf8), Array("media".utf8), Array("a b/c.jpg".utf8))
        let (digest, type) = ([UInt8](), Array(type.utf8))
        let (lines, date) = (Array("x-nos-meta-a: b\r\n".utf8), HTTPDate.write(now))
        let origin = try #require(BaseURL(isSecure: true, Array("nos-eastchina1.126.net".utf8)))
        let own: [UInt8] = asURL ? [] : lines
        let request = try NOSRequest(
            method: name.span, bucket: bucket.span, key: key.span,
            parameters: asURL ? [] : [QueryParameter(name: Array("uploads".utf8), value: nil)],
            content: .init(md5: digest.span, type: type.span), fieldLines: own.span)
        var out = ByteWriter()
        var scratch = ByteWriter()
        if asURL {
            try NOSPresignedURL.write(
                for: request, on: origin, until: now + 600, with: InspectionSample.key(), into: &out, using: &scratch)
            return out.array.text
        }
        try NOSHeaderSignature.write(
            for: request, date: date.span, with: InspectionSample.key(), into: &out, using: &scratch)
        return """
            \(method) /a%20b%2Fc.jpg?uploads HTTP/1.1\r
            Host: media.nos-eastchina1.126.net\r
            Date: \(date.text)\r
            X-NOS-Meta-A: b\r
            Content-Type: \(type.text)\r
            Authorization: \(out.array.text)\r
            \r

            """
    }

    @Test(arguments: ["GET", "PUT", "DELETE"])
    func `a presigned URL is genuine, and tells by which method`(method: String) throws {
        let url = try signed(method, asURL: true)
        let inspection = try InspectionSample.inspect(url)
        #expect(inspection.verdict == .genuine && inspection.kind == "NOS presigned URL")
        #expect(inspection[fact: "method"] == method && inspection[fact: "key"] == "a b/c.jpg")
        #expect(inspection[fact: "bucket"] == "media" && inspection.endsAt == now + 600)
        let wrong = method == "GET" ? "PUT" : "GET"
        try InspectionSample.expectRefusal(
            #"{"url":"\#(url)","method":"\#(wrong)","headers":{}}"#, "signature", "URL and method")
    }

    @Test func `a presigned URL is refused for what is wrong with it`() throws {
        let url = try signed("GET", asURL: true)
        try InspectionSample.expectRefusal(url.replacing("c.jpg", with: "d.jpg"), "signature", "not that of this URL")
        try InspectionSample.expectRefusal(url.replacing("//media", with: "//other"), "signature", "not that of this")
        try InspectionSample.expectRefusal(
            url.replacing("Expires=\(now + 600)", with: "Expires=\(now + 601)"), "signature", "not that of this URL")
        try InspectionSample.expectRefusal(url.replacing("Id=AKID", with: "Id=AKIE"), "access key", "no credential")
        try InspectionSample.expectRefusal(url, "expiry", "ended", at: now + 600)
        try InspectionSample.expectRefusal(url + "&Expires=1", "form", "once each")
        try InspectionSample.expectRefusal(url.replacing("%20", with: "%zz"), "form", "%XX")
        // Signed with a type that the request does not send.
        let typed = try signed("PUT", type: "image/png", asURL: true)
        try InspectionSample.expectRefusal(typed, "signature", "Content-Type")
        let whole = #"{"url":"\#(typed)","method":"PUT","headers":{"content-type":"image/png"}}"#
        #expect(try InspectionSample.inspect(whole).verdict == .genuine)
    }

    @Test func `a signed request is genuine until its date is too old, and refused one edit away`() throws {
        let request = try signed("POST", type: "image/png", asURL: false)
        try InspectionSample.expectGenuine(request, "NOS Authorization", until: now + 900)
        try InspectionSample.expectRefusal(request.replacing("POST", with: "PUT"), "signature", "this request")
        try InspectionSample.expectRefusal(request.replacing("?uploads", with: "?acl"), "signature", "this request")
        try InspectionSample.expectRefusal(
            request.replacing("Meta-A: b", with: "Meta-A: c"), "signature", "this request")
        try InspectionSample.expectRefusal(
            request.replacing("image/png", with: "image/gif"), "signature", "this request")
        try InspectionSample.expectRefusal(
            request.replacing("NOS AKID", with: "NOS AKIE"), "access key", "no credential")
        try InspectionSample.expectRefusal(request.replacing(" GMT", with: ""), "date", "Date or x-nos-date")
        let line = try #require(request.split(separator: "\r\n").last { $0.hasPrefix("Authorization") })
        #expect(try InspectionSample.inspect(String(line)).verdict == .unverified)
    }
}
