import Foundation
import Testing

@testable import TestService

@Suite("OSS remote signing, version 4, over HTTP")
struct OSSSignV4Tests {
    private static let form = "application/x-www-form-urlencoded"

    @Test func `GET, form and JSON get the signature of a string whose canonical request was read`() throws {
        let service = try Service.shared(.signing)
        let signable = SignableV4()
        let json = [signable.string, signable.canonical].map { $0.replacing("\n", with: "\\n") }
        let answers = [
            try service.get("/oss/sign?" + signable.form()),
            try service.post("/oss/sign", Self.form, signable.form()),
            try service.post(
                "/oss/sign", json: #"{"version":"v4","stringToSign":"\#(json[0])","canonicalRequest":"\#(json[1])"}"#),
        ]
        for answer in answers {
            answer.expectSuccess()
            let json = answer.json
            #expect(json["signature"] == .string(signable.signature))
            #expect(json["authorization"] == nil)
            #expect(json["accessKeyId"] == .string(Setup.ossAccessKey))
            #expect(json["StatusCode"] == 200)
            #expect(json["bucket"] == "demo-bucket")
            #expect(json["key"] == "demo/a.jpg")
            #expect(json["grant"] == "objects")
            #expect(json["expiresAt"] == .string(iso8601(signable.moment + 900)))
        }
    }

    @Test func `who accepts text/plain gets the signature alone`() throws {
        let signable = SignableV4()
        let answer = try Service.shared(.signing)
            .post("/oss/sign", Self.form, signable.form(), "Accept: text/plain")
        #expect(answer.status == 200)
        answer.expectAlwaysFields()
        #expect(answer["Content-Type"] == "text/plain; charset=utf-8")
        #expect(answer.text == signable.signature)
    }

    @Test func `what the vendors' remote signers say of a request is taken when it agrees`() throws {
        let signable = SignableV4()
        let more =
            "&method=PUT&bucket=demo-bucket&key=demo%2Fa.jpg&region=cn-hangzhou&product=oss&date="
            + signable.date.prefix(8) + "&accessKeyId=\(Setup.ossAccessKey)"
        let answer = try Service.shared(.signing).post("/oss/sign", Self.form, signable.form(more))
        answer.expectSuccess()
        #expect(answer.json["signature"] == .string(signable.signature))
    }

    @Test(
        "what they say is refused when it disagrees",
        arguments: [
            ("method=GET", 400, "method"), ("method=put", 400, "method"), ("bucket=other-bucket", 400, "bucket"),
            ("key=demo/b.jpg", 400, "key"), ("key=demo%2Fa.jpg%2F", 400, "key"), ("key=demo%252Fa.jpg", 400, "key"),
            ("region=cn-beijing", 400, "region"), ("product=oss-cloudbox", 400, "product"),
            ("date=20000101", 400, "date"),
            ("accessKeyId=LTAIother", 403, "accessKeyId"), ("grant=parts", 403, "keyPrefix"),
        ])
    func disagreement(_ fault: (query: String, status: Int, name: String)) throws {
        let answer = try Service.shared(.signing)
            .post("/oss/sign", Self.form, SignableV4().form("&" + fault.query))
        answer.expectProblem(fault.status, fault.status == 400 ? "invalid_parameter" : "not_in_grant", fault.name)
        #expect(answer.json[fault.status == 400 ? "parameter" : "clause"] == .string(fault.name))
    }

    @Test
    func `what the grant lists is signed: verbs, metadata, parts, answers of another type, URLs, additional headers`()
        throws
    {
        let service = try Service.shared(.signing)
        let part = [("uploadId", "0004B9895DBBB6EC98E36/+="), ("partNumber", "12")]
        let signables = [
            SignableV4(method: "GET", headers: []), SignableV4(method: "HEAD", headers: []),
            SignableV4(headers: []), SignableV4(headers: [("content-md5", "eB5eJF1ptWaXm4bijSPyxw==")]),
            SignableV4(headers: [("content-type", "text/plain; charset=utf-8"), ("x-oss-meta-a", "中 b")]),
            SignableV4(headers: [("host", "demo-bucket.x"), ("range", "bytes=0-1")], additional: ["host", "range"]),
            SignableV4(key: "demo/Fotos/März 2026/中文 +&=%'()*~!?acl.jpg"), SignableV4(key: "demo/a..b//c"),
            SignableV4(method: "GET", query: [("response-content-type", "image/png; a=\"b\"")], headers: []),
            SignableV4(method: "POST", key: "parts/a", query: [("uploads", "")]),
            SignableV4(method: "PUT", key: "parts/a", query: part, headers: []),
            SignableV4(method: "POST", key: "parts/a", query: [part[0]]),
            SignableV4(method: "DELETE", key: "parts/a", query: [part[0]], headers: []),
            .url, .url.with { $0.method = "PUT" }, .url.with { $0.headers = [("x-oss-meta-a", "1")] },
            .url.with { $0.headers = [("host", "demo-bucket.x")] }.with { $0.additional = ["host"] },
        ]
        for signable in signables {
            let answer = try service.post("/oss/sign", Self.form, signable.form())
            answer.expectSuccess()
            #expect(answer.json["signature"] == .string(signable.signature))
            #expect(answer.json["key"] == .string(signable.key))
        }
    }

    @Test func `a URL is signed within the grant's presign, and ends when its life is over`() throws {
        let signable = SignableV4.url
        let answer = try Service.shared(.signing).post("/oss/sign", Self.form, signable.form())
        answer.expectSuccess()
        #expect(answer.json["signature"] == .string(signable.signature))
        #expect(answer.json["expiresAt"] == .string(iso8601(signable.moment + 280)))
        #expect(answer.json["limitedBy"] == "requested")
    }

    @Test func `a grant's versions say what is signed by it, and version 4 needs the credential's region`() throws {
        let service = try Service.shared(.signing)
        for key in ["old/a", "new/a", "nowhere/a"] {
            let new = SignableV4(method: "GET", key: key, headers: [])
            let old = Signable(verb: "GET", type: "", resource: "/demo-bucket/" + key).text
            let answers = [
                try service.post("/oss/sign", Self.form, new.form(), APIKey.alice.bearer),
                try service.post("/oss/sign", "text/plain", old, APIKey.alice.bearer),
            ]
            #expect(answers[0].status == (key == "new/a" ? 200 : 403))
            #expect(answers[1].status == (key == "new/a" ? 403 : 200))
            let refusal = answers.first { $0.status == 403 }
            #expect(refusal?.json["clause"] == "versions")
        }
    }

    @Test func `without its canonical request a string is signed only by a grant that trusts`() throws {
        let service = try Service.shared(.signing)
        let signable = SignableV4(bucket: "any-bucket", key: "any")
        let blind = "version=v4&stringToSign=" + percent(signable.string)
        let told = blind + "&method=PUT&bucket=any-bucket&key=any"
        for (form, field) in [
            (blind, APIKey.alice.bearer), (told, APIKey.alice.bearer), (told, "X-Nobody: 1"),
            (blind + "&method=PUT&bucket=demo-bucket&key=demo%2Fa.jpg", "X-Nobody: 1"),
        ] {
            let answer = try service.post("/oss/sign", Self.form, form, field)
            answer.expectProblem(422, "unreadable_string_to_sign", "canonicalRequest")
        }
        for form in [told, blind + "&method=GET", blind + "&method=GET&bucket=any-bucket"] {
            let answer = try service.post("/oss/sign", Self.form, form, APIKey.bob.bearer)
            answer.expectSuccess()
            #expect(answer.json["signature"] == .string(signable.signature))
            // It may be a URL's.
            #expect(answer.json["expiresAt"] == .string(iso8601(signable.moment + 604_800)))
        }
        // What can be seen of it, and what is said, is judged all the same.
        for (changed, said, clause) in [
            (signable.with { $0.moment -= 960 }, told, "date"), (signable.with { $0.moment += 3600 }, told, "date"),
            (signable.with { $0.region = "cn-beijing" }, told, "region"),
            (signable.with { $0.product = "oss-cloudbox" }, told, "region"), (signable, blind, "methods"),
            (signable, blind + "&method=DELETE", "methods"), (signable, told + "&accessKeyId=other", "accessKeyId"),
        ] {
            let form = said.replacing(percent(signable.string), with: percent(changed.string))
            let answer = try service.post("/oss/sign", Self.form, form, APIKey.bob.bearer)
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == .string(clause))
        }
        // It may hold for a week, and her key does not.
        let short = try service.post("/oss/sign", Self.form, told, APIKey.ending.bearer)
        short.expectProblem(403, "credential_too_short")
    }

    @Test func `a canonical request is of version 4, and a version is one that there is`() throws {
        let service = try Service.shared(.signing)
        let string = percent(Signable().text)
        try service.post("/oss/sign", Self.form, "contentToSign=\(string)&canonicalRequest=PUT")
            .expectProblem(400, "invalid_parameter", "canonicalRequest")
        for version in ["v2", "V4", "4", "OSS4-HMAC-SHA256"] {
            try service.post("/oss/sign", Self.form, "contentToSign=\(string)&version=\(version)")
                .expectProblem(400, "invalid_parameter", "version")
        }
        try service.post("/oss/sign", Self.form, "version=v4&canonicalRequest=PUT")
            .expectProblem(400, "missing_parameter", "contentToSign")
        // The one is not taken for the other.
        try service.post("/oss/sign", Self.form, "version=v4&contentToSign=\(string)&canonicalRequest=PUT")
            .expectProblem(422, "unreadable_string_to_sign", "contentToSign")
        try service.post("/oss/sign", "text/plain", SignableV4().string).expectProblem(422, "unreadable_string_to_sign")
    }

    @Test("keys of 1 to 1023 bytes are signed in their one encoding")
    func keys() throws {
        let service = try Service.shared(.signing)
        var random = SystemRandomNumberGenerator()
        let pool = Array("aZ09-._~ +%*'\"&=;:@$)!,|\\^`<>[]#?/éß中文🦊")
        for round in 0..<60 {
            let length = [1, 2, 40, 1018][round % 4]
            var key = ""
            while key.utf8.count < length {
                let next = pool[Int.random(in: 0..<pool.count, using: &random)]
                key.append(key.utf8.count + next.utf8.count > length ? "x" : next)
            }
            // Some servers take a backslash for a slash.
            let segments = "/\(key)/".replacing("\\", with: "/")
            if segments.contains("/./") || segments.contains("/../") { continue }
            var signable = round % 2 == 0 ? SignableV4() : .url
            signable.key = "demo/" + key
            let answer = try service.post("/oss/sign", Self.form, signable.form())
            #expect(answer.json["signature"] == .string(signable.signature), "\(key): \(answer.text)")
            #expect(answer.json["key"] == .string(signable.key))
        }
    }
}
