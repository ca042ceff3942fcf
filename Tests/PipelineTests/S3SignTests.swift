import Foundation
import Testing

@testable import TestService

@Suite("S3 remote signing over HTTP")
struct S3SignTests {
    private static let form = "application/x-www-form-urlencoded"

    @discardableResult
    private func expectSignature(of signable: SignableS3, _ more: String = "") throws -> Answer {
        let answer = try Service.shared(.s3Requests).post("/s3/sign", Self.form, signable.form(more))
        answer.expectSuccess()
        #expect(answer.json["signature"] == .string(signable.signature), "\(signable.canonical)\n\(answer.text)")
        #expect(answer.json["key"] == .string(signable.key))
        return answer
    }

    private func expectRefusal(of signable: SignableS3, _ clause: String, _ more: String = "") throws {
        let answer = try Service.shared(.s3Requests).post("/s3/sign", Self.form, signable.form(more))
        answer.expectProblem(403, "not_in_grant")
        #expect(answer.json["clause"] == .string(clause), "\(signable.canonical)\n\(answer.text)")
        #expect(!answer.text.contains(signable.signature))
    }

    @Test func `a string is signed whose canonical request was read, as a form, in a query and as JSON`() throws {
        let service = try Service.shared(.s3Requests)
        let signable = SignableS3()
        let json = [signable.string, signable.canonical].map { $0.replacing("\n", with: "\\n") }
        for answer in [
            try service.get("/s3/sign?" + signable.form()), try service.post("/s3/sign", Self.form, signable.form()),
            try service.post(
                "/s3/sign", json: #"{"contentToSign":"\#(json[0])","canonicalRequest":"\#(json[1])"}"#),
        ] {
            answer.expectSuccess()
            #expect(answer.json["signature"] == .string(signable.signature))
            #expect(answer.json["accessKeyId"] == .string(Setup.s3AccessKey))
            #expect(answer.json["bucket"] == "demo-bucket" && answer.json["key"] == "in/a.txt")
            #expect(answer.json["grant"] == "strings")
            #expect(answer.json["expiresAt"] == .string(iso8601(signable.moment + 900)))
        }
        let text = try service.post("/s3/sign", Self.form, signable.form(), "Accept: text/plain")
        #expect(text.status == 200 && text.text == signable.signature)
    }

    @Test func `what the grant lists is signed: methods, parts, metadata, ranges, a body's hash, URLs, both styles`()
        throws
    {
        let part = [("partNumber", "7"), ("uploadId", "2~id+/=1")]
        let hash = String(repeating: "0123456789abcdef", count: 4)
        for signable in [
            SignableS3(headers: []), SignableS3(method: "HEAD", headers: []), SignableS3(method: "PUT"),
            SignableS3(method: "DELETE", headers: []), SignableS3(namesPayload: false),
            SignableS3(method: "PUT", payload: hash), SignableS3(method: "PUT", payload: hash, namesPayload: false),
            SignableS3(method: "PUT", headers: [("content-md5", "eB5eJF1ptWaXm4bijSPyxw==")]),
            SignableS3(method: "PUT", headers: [("x-amz-meta-a", "1 2"), ("x-amz-storage-class", "GLACIER")]),
            SignableS3(headers: [("range", "bytes=0-1")]), SignableS3(key: "in/M\u{E4}rz/中 +&=%'()*~!?acl.jpg"),
            SignableS3(query: [("response-content-type", "a/b; c=\"d\"")]),
            SignableS3(query: [("versionId", "v")]), SignableS3(method: "POST", query: [("uploads", "")]),
            SignableS3(method: "PUT", query: part), SignableS3(method: "POST", query: [part[1]]),
            SignableS3(query: [part[1]]), SignableS3(method: "DELETE", query: [part[1]]),
            .url, .url.with { $0.method = "PUT" }, .url.with { $0.headers = [("content-type", "a/b")] },
            .url.with { $0.query = [("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")] },
            .url.with { ($0.query, $0.payload) = ([("X-Amz-Content-Sha256", hash)], hash) },
            .path, .path.with { ($0.method, $0.lifetime) = ("PUT", "604800") },
        ] { try expectSignature(of: signable) }
    }

    @Test func `a URL ends when its life is over, and lives within the grant's presign`() throws {
        let url = SignableS3.url
        #expect(try expectSignature(of: url).json["expiresAt"] == .string(iso8601(url.moment + 280)))
        try expectRefusal(of: .url.with { $0.lifetime = "400" }, "presign")
        try expectRefusal(
            of: SignableS3(method: "PUT", key: "parts/a", headers: [], lifetime: "60"), "presign")
        for lifetime in ["0", "604801", "-1", "060", "1e3", ""] {
            let signable = SignableS3.path.with { $0.lifetime = lifetime }
            try Service.shared(.s3Requests).post("/s3/sign", Self.form, signable.form())
                .expectProblem(422, "unreadable_string_to_sign", "canonicalRequest")
        }
    }

    @Test func `a date is at most 15 minutes old and 60 seconds ahead, of the credential's region and of S3`() throws {
        try expectSignature(of: SignableS3(moment: now - 840))
        for moment in [now - 960, now + 120] { try expectRefusal(of: SignableS3(moment: moment), "date") }
        try expectRefusal(of: SignableS3(region: "eu-west-2"), "region")
        for service in ["sts", "iam", "s3-outposts"] { try expectRefusal(of: SignableS3(service: service), "region") }
        try expectRefusal(of: .url.with { $0.accessKey = "AKIAANOTHER" }, "accessKeyId")
        try expectRefusal(of: SignableS3(), "accessKeyId", "&accessKeyId=AKIAANOTHER")
        try expectSignature(of: SignableS3(), "&accessKeyId=\(Setup.s3AccessKey)")
    }

    @Test func `the host is the endpoint's, with the bucket in it or in the path as the credential has it`() throws {
        for host in [
            "demo-bucket.s3.eu-west-2.amazonaws.com", "demo-bucket.\(Setup.s3Endpoint):443",
            "demo-bucket.\(Setup.s3Endpoint).example.com", "demo-bucket.x.\(Setup.s3Endpoint)",
            "demo-bucket.evil.example.com", "demo-bucket.",
        ] { try expectRefusal(of: SignableS3(host: host), "host") }
        try expectRefusal(of: SignableS3(host: "other-bucket.\(Setup.s3Endpoint)"), "bucket")
        // The bucket is there twice: in the host, and then as the beginning of the key.
        try expectRefusal(of: SignableS3(isPath: true).with { $0.key = "in/a" }, "style")
        try expectRefusal(of: .path.with { $0.host = "storage.example.com" }, "host")
        try expectRefusal(of: .path.with { $0.bucket = "other.bucket" }, "bucket")
        let virtual = SignableS3.path.with { ($0.isPath, $0.bucket) = (false, "demo-bucket") }
        let answer = try Service.shared(.s3Requests).post("/s3/sign", Self.form, virtual.form())
        #expect(answer.status != 200 && !answer.text.contains(virtual.signature))
        for host in ["demo-bucket", "", "Demo-Bucket.\(Setup.s3Endpoint)", ".\(Setup.s3Endpoint)"] {
            try Service.shared(.s3Requests).post("/s3/sign", Self.form, SignableS3(host: host).form())
                .expectProblem(422, "unreadable_string_to_sign", "canonicalRequest")
        }
    }

    @Test func `types, sizes and new keys are held to as in requests that the service writes`() throws {
        let image = [("content-length", "1024"), ("content-type", "image/png"), ("if-none-match", "*")]
        let put = SignableS3(method: "PUT", key: "images/a.png", headers: image)
        try expectSignature(of: put)
        try expectSignature(of: put.with { $0.lifetime = "60" })
        try expectSignature(of: SignableS3(key: "images/a.png", headers: []))
        func without(_ name: String) -> SignableS3 { put.with { $0.headers.removeAll { $0.0 == name } } }
        func changed(_ name: String, _ value: String) -> SignableS3 {
            without(name).with { $0.headers.append((name, value)) }
        }
        try expectRefusal(of: without("content-length"), "maxSize")
        try expectRefusal(of: changed("content-length", "1025"), "maxSize")
        try expectRefusal(of: without("content-type"), "contentTypes")
        try expectRefusal(of: changed("content-type", "text/html"), "contentTypes")
        try expectRefusal(of: without("if-none-match"), "overwrite")
        try expectRefusal(of: changed("if-none-match", "\"etag\""), "overwrite")
        for length in ["1,2", "-1", "0x10", "99999999999999999999"] {
            try Service.shared(.s3Requests).post("/s3/sign", Self.form, changed("content-length", length).form())
                .expectProblem(400, "invalid_parameter", "canonicalRequest")
        }
        let end = SignableS3(method: "POST", key: "parts/a", query: [("uploadId", "u")], headers: [])
        try expectRefusal(of: end, "overwrite")
        try expectSignature(of: end.with { $0.headers = [("if-none-match", "*")] })
        let part = [("partNumber", "1"), ("uploadId", "u")]
        try expectSignature(of: SignableS3(method: "PUT", key: "parts/a", query: part, headers: []))
    }

    @Test func `the token of a temporary key is signed, and no other key's request has one`() throws {
        let signable = SignableS3(key: "temporary/a", headers: [], token: "a/token+of==")
        try expectSignature(of: signable)
        try expectSignature(of: signable.with { $0.lifetime = "60" })
        for lifetime in [nil, "60"] {
            for token in [nil, "another"] {
                try expectRefusal(of: signable.with { ($0.lifetime, $0.token) = (lifetime, token) }, "securityToken")
            }
            try expectRefusal(of: SignableS3(headers: [], token: "a", lifetime: lifetime), "securityToken")
        }
    }

    @Test(
        "what reaches beyond the object is not signed",
        arguments: [
            "x-amz-acl", "x-amz-copy-source", "x-amz-grant-read", "x-amz-tagging", "x-amz-website-redirect-location",
            "x-amz-object-lock-mode", "x-amz-bypass-governance-retention", "x-amz-decoded-content-length",
        ])
    func powers(_ header: String) throws {
        try expectRefusal(of: SignableS3(method: "PUT", headers: [(header, "x")]), "headers")
    }

    @Test(
        "operations are those of the table",
        arguments: [
            "acl", "tagging", "policy", "delete", "restore", "retention", "legal-hold", "select", "torrent",
            "attributes",
            "list-type", "website", "X-Amz-Signature", "x-amz-expires", "x-id",
        ])
    func operations(_ name: String) throws {
        try expectRefusal(of: SignableS3(query: [(name, "")], headers: []), "subresources")
        try expectRefusal(of: SignableS3(method: "PUT", query: [(name, "x")], headers: []), "subresources")
    }

    @Test func `bad input is told which field, why and what would be right`() throws {
        let service = try Service.shared(.s3Requests)
        let made = SignableS3()
        let (string, canonical) = (percent(made.string), percent(made.canonical))
        try service.post("/s3/sign", Self.form, "canonicalRequest=\(canonical)")
            .expectProblem(400, "missing_parameter", "contentToSign")
        try service.post("/s3/sign", Self.form, "contentToSign=\(string)")
            .expectProblem(400, "missing_parameter", "canonicalRequest")
        for style in ["Path", "dns", "virtual-hosted"] {
            try service.post("/s3/sign", Self.form, SignableS3().form("&style=\(style)"))
                .expectProblem(400, "invalid_parameter", "style")
        }
        for (text, word) in [
            ("GET\n/in/a", "syntax"), (made.canonical + "\n", "payload"),
            (
                made.canonical.replacing("UNSIGNED-PAYLOAD", with: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"),
                "payload"
            ),
            (made.canonical.replacing("x-amz-date:", with: "x-amz-day:"), "signedHeaders"),
            (made.with { $0.key = "in/../a" }.canonical, "resource"),
            (made.with { $0.key = "in/./a" }.canonical, "resource"),
            (made.with { $0.headers = [("x-amz-meta-a", "1  2")] }.canonical, "header"),
            (made.with { $0.headers = [("x-amz-meta-a", "\u{E4}")] }.canonical, "header"),
            (made.canonical.replacing("\n\ncontent-type:", with: "\nuploads\ncontent-type:"), "query"),
        ] {
            let hash = Digests.hex(Digests.sha256(Array(text.utf8)))
            let string = made.string.dropLast(64) + hash
            let answer = try service.post(
                "/s3/sign", Self.form, "contentToSign=\(percent(String(string)))&canonicalRequest=\(percent(text))")
            answer.expectProblem(422, "unreadable_string_to_sign", "canonicalRequest")
            #expect(answer.json["detail"]?.string?.contains(word) == true, "\(word): \(answer.text)")
        }
        let other = "contentToSign=\(string)&canonicalRequest=\(percent(made.with { $0.key = "in/b" }.canonical))"
        let answer = try service.post("/s3/sign", Self.form, other)
        answer.expectProblem(422, "unreadable_string_to_sign", "canonicalRequest")
        #expect(answer.json["detail"]?.string?.contains("hash") == true)
    }
}
