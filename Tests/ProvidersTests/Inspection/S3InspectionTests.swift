import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// What is told of S3's URLs and signed requests.
@Suite struct S3InspectionTests {
    private let now = InspectionSample.now
    private let host = "s3.eu-west-1.amazonaws.com"

    private func key(_ scheme: V4Scheme) throws -> ScopedKey {
        try ScopedKey(
            InspectionSample.key(), scheme, region: Array("eu-west-1".utf8), product: Array("s3".utf8), at: now)
    }

    private func sample(_ style: S3.Style, _ fields: [(String, String)] = [], on host: String) -> S3Sample {
        let authority = style == .path ? host : "examplebucket.\(host)"
        return S3Sample(
            scheme: S3.v4(style), method: "GET", bucket: "examplebucket", key: "a/b c.txt",
            query: [("response-content-type", "a/b")], fields: [("Host", authority)] + fields)
    }

    private func url(_ style: S3.Style, _ fields: [(String, String)] = [], on host: String? = nil) throws -> String {
        let host = host ?? self.host
        return try url(of: sample(style, fields, on: host), on: host)
    }

    private func url(of sample: S3Sample, on host: String) throws -> String {
        let endpoint = try #require(BaseURL(isSecure: true, Array(host.utf8)))
        return try sample.withRequest { canonical in
            try OSSSample.Signed {
                try PresignedURLV4.write(
                    for: canonical, on: endpoint, lasting: 600, by: V4Signer(key(sample.scheme), at: now), into: &$0,
                    using: &$1)
            }
        }.text
    }

    @Test(arguments: S3.Style.allCases)
    func `presigned URLs are genuine, and refused one edit away`(style: S3.Style) throws {
        let url = try url(style)
        try InspectionSample.expectGenuine(url, "S3 presigned URL", until: now + 600)
        let inspection = try InspectionSample.inspect(url)
        #expect(inspection[fact: "bucket"] == "examplebucket" && inspection[fact: "key"] == "a/b c.txt")
        #expect(inspection[fact: "method"] == "GET" && inspection[fact: "region"] == "eu-west-1")
        #expect(inspection[fact: "query.response-content-type"] == "a/b")
        for (old, new) in [("c.txt", "d.txt"), ("examplebucket", "eyamplebucket"), ("eu-west-1", "eu-west-2")] {
            try InspectionSample.expectRefusal(url.replacing(old, with: new), "signature", "this URL")
        }
        try InspectionSample.expectRefusal(url + "&acl", "signature", "this URL")
        try InspectionSample.expectRefusal(
            url.replacing("Expires=600", with: "Expires=604801"), "expiry", "7 days")
        try InspectionSample.expectRefusal(url.replacing("AKID", with: "AKIE"), "access key", "no credential")
        try InspectionSample.expectRefusal(url.replacing("%2Faws4_request", with: ""), "form", "aws4_request")
    }

    @Test func `Uppy's answer is of its method alone`() throws {
        var sample = sample(.virtual, on: host)
        (sample.method, sample.query) = ("PUT", [("partNumber", "7"), ("uploadId", "2~id+/=1")])
        let url = try url(of: sample, on: host)
        let answer = #"{"method":"PUT","url":"\#(url)","bucket":"examplebucket","key":"a/b c.txt","grant":"uploads"}"#
        try InspectionSample.expectGenuine(answer, "S3 presigned URL", until: now + 600)
        let inspection = try InspectionSample.inspect(answer)
        #expect(inspection[fact: "method"] == "PUT" && inspection[fact: "query.partNumber"] == "7")
        #expect(inspection[fact: "query.uploadId"] == "2~id+/=1")
        try InspectionSample.expectRefusal(answer.replacing("PUT", with: "DELETE"), "signature", "this")
        try InspectionSample.expectRefusal(answer.replacing("Number=7", with: "Number=8"), "signature", "this")
    }

    @Test func `a header that a URL names must come with it`() throws {
        let url = try url(.virtual, [("content-type", "image/png")])
        let target = url.dropFirst("https://examplebucket.\(host)".count)
        let request = "GET \(target) HTTP/1.1\r\nHost: examplebucket.\(host)\r\nContent-Type: image/png\r\n\r\n"
        #expect(try InspectionSample.inspect(request).verdict == .genuine)
        #expect(try InspectionSample.inspect(request)[fact: "signed headers"] == "content-type, host")
        try InspectionSample.expectRefusal(request.replacing("png", with: "gif"), "signature", "this URL")
        let alone = try InspectionSample.inspect(url)
        #expect(alone.verdict == .unverified)
        #expect(
            alone.checks.first { $0.name == "signature" }?.reason
                == "signed, but not in the URL: content-type; give the whole JSON answer")
    }

    @Test func `the bucket is in the path of a host that a credential names`() throws {
        let url = try url(.path, on: "storage.example.com")
        var fields = FieldValues()
        fields[S3.credential.endpoint] = Array("storage.example.com".utf8)
        let keyring = Keyring([Keyring.Entry(credential: "s3", key: try InspectionSample.key(), fields: fields)])
        let inspection = try InspectionSample.inspect(url, by: keyring)
        #expect(inspection.verdict == .genuine)
        #expect(inspection[fact: "bucket"] == "examplebucket" && inspection[fact: "key"] == "a/b c.txt")
    }

    /// A GET with a field of the vendor's, the lines that its signature adds, and the Authorization field.
    private func signedRequest() throws -> (own: [(name: String, value: String)], field: String) {
        var sample = sample(.virtual, [("x-amz-meta-a", "b  c")], on: host)
        var lines = ByteWriter()
        HeaderSignatureV4.writeFields(sample.scheme, at: now, token: nil, into: &lines)
        let own = try lines.array.text.split(separator: "\r\n").map { line in
            let colon = try #require(line.firstIndex(of: ":"))
            return (name: String(line[..<colon]), value: String(line[colon...].dropFirst(2)))
        }
        sample.fields += own.map { ($0.name, $0.value) }
        let field = try sample.withRequest { canonical in
            try OSSSample.Signed {
                try HeaderSignatureV4.write(for: canonical, with: key(sample.scheme), into: &$0, using: &$1)
            }
        }.text
        return (own, field)
    }

    @Test func `Iceberg's answer is genuine with all that is signed, and cannot be judged without`() throws {
        let (own, field) = try signedRequest()
        let headers = (own + [("Authorization", field)])
            .map { #""\#($0.name)":["\#($0.value)"]"# }.joined(separator: ",")
        let answer = """
            {"uri":"https://examplebucket.\(host)/a/b%20c.txt?response-content-type=a%2Fb",\
            "headers":{"x-amz-meta-a":["b  c"],\(headers)}}
            """
        try InspectionSample.expectGenuine(answer, "S3 Authorization", until: now + 900)
        let inspection = try InspectionSample.inspect(answer)
        #expect(inspection[fact: "method"] == "GET" && inspection[fact: "key"] == "a/b c.txt")
        try InspectionSample.expectRefusal(answer.replacing("c.txt", with: "d.txt"), "signature", "this request")
        try InspectionSample.expectRefusal(answer.replacing("b  c", with: "bc"), "signature", "this request")
        let part = try InspectionSample.inspect(answer.replacing(#""x-amz-meta-a":["b  c"],"#, with: ""))
        #expect(part.verdict == .unverified)
        #expect(
            part.checks.first { $0.name == "signature" }?.reason
                == "signed, but not given: x-amz-meta-a; give the whole request")
        let numbers = try InspectionInput(reading: Array(answer.replacing(#"["b  c"]"#, with: "[1]").utf8))
        let keyring = try InspectionSample.keyring()
        #expect(Inspectors.all.allSatisfy { $0.inspector.inspect(numbers, with: keyring, at: now) == nil })
    }

    @Test func `signed requests are genuine, and refused one edit away`() throws {
        let (fields, field) = try signedRequest()
        let own = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        let request =
            "GET /a/b%20c.txt?response-content-type=a%2Fb HTTP/1.1\r\nhost: examplebucket.\(host)\r\nuser-agent: x\r\n"
            + "x-amz-meta-a: b  c\r\n\(own)Authorization: \(field)\r\n\r\n"
        try InspectionSample.expectGenuine(request, "S3 Authorization", until: now + 900)
        try InspectionSample.expectRefusal(request.replacing("GET", with: "PUT"), "signature", "this request")
        try InspectionSample.expectRefusal(request.replacing("c.txt", with: "d.txt"), "signature", "this request")
        try InspectionSample.expectRefusal(request.replacing("b  c", with: "bc"), "signature", "request")
        try InspectionSample.expectRefusal(request.replacing("x-amz-date: ", with: "x-amz-date: x"), "date", "must be")
        let alone = try InspectionSample.inspect("Authorization: \(field)")
        #expect(alone.kind == "S3 Authorization" && alone.verdict == .unverified)
        try InspectionSample.expectRefusal("AWS4-HMAC-SHA256 Credential=a", "form", "Signature")
    }

    @Test func `a form is genuine by itself and in its answer, and refused one edit away`() throws {
        let policy = PostPolicy(
            sizes: 1...1000, typeName: Array("Content-Type".utf8), types: .one(Array("image/png".utf8)),
            fields: [NameValue("success_action_status", Array("201".utf8))])
        let (bucket, object) = (Array("examplebucket".utf8), Array("a/b.png".utf8))
        let scheme = S3.v4(.virtual)
        let scope = try PostPolicy.Scope(
            scheme, bucket: bucket.span, key: object.span, isPrefix: false, until: now + 600)
        let scoped = try key(scheme)
        let form = try InspectionSample.written { out, scratch in
            try out.append(object: { form in
                _ = try PostForm.writeV4(policy, scope, by: V4Signer(scoped, at: now), into: &form, using: &scratch)
            })
        }
        let answer = "{\"url\":\"https://examplebucket.\(host)/\",\"fields\":\(form),\"bucket\":\"examplebucket\"}"
        for text in [form, answer] { try InspectionSample.expectGenuine(text, "S3 form", until: now + 600) }
        let inspection = try InspectionSample.inspect(answer)
        #expect(inspection[fact: "bucket"] == "examplebucket" && inspection[fact: "key"] == "a/b.png")
        #expect(inspection[fact: "content-type"] == "image/png" && inspection[fact: "size"] == "1 to 1000 bytes")
        #expect(inspection[fact: "left to the form"] == nil)
        try InspectionSample.expectRefusal(form.replacing("b.png", with: "c.png"), "policy", "the form's key")
        try InspectionSample.expectRefusal(form.replacing("image/png", with: "text/html"), "policy", "content-type")
        try InspectionSample.expectRefusal(answer.replacing("//exam", with: "//eyam"), "policy", "the form's bucket")
        try InspectionSample.expectRefusal(
            form.replacing("\"policy\":\"eyJ", with: "\"policy\":\"eyI"), "form", "policy")
        let encoded = try #require(form.split(separator: "\"policy\":\"").last?.split(separator: "\"").first)
        let alone = try InspectionSample.inspect(String(encoded))
        #expect(alone.kind == "S3 form" && alone.verdict == .unverified)
    }
}
