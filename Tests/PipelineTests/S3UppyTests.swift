import Foundation
import Testing

@testable import TestService

/// What Uppy's `signRequest` asks.
@Suite("S3 URLs for Uppy over HTTP")
struct S3UppyTests {
    private static let part = #""uploadId": "2~id+/=1", "partNumber": 7"#

    private func ask(_ members: String) throws -> Answer {
        try Service.shared(.s3Requests).post("/s3/sign", json: "{\(members)}")
    }

    @Test(
        "the request that is meant follows from the method, and from what of an upload is named",
        arguments: [
            ("PUT", "", [:]), ("DELETE", "", [:]), ("GET", "", [:]), ("POST", "", ["uploads": ""]),
            ("PUT", Self.part, ["uploadId": "2~id+/=1", "partNumber": "7"]),
            ("POST", #""uploadId": "u""#, ["uploadId": "u"]), ("GET", #""uploadId": "u""#, ["uploadId": "u"]),
            ("DELETE", #""uploadId": "u""#, ["uploadId": "u"]),
        ])
    func kinds(_ method: String, _ more: String, _ query: [String: String]) throws {
        let answer = try ask(#""method": "\#(method)", "key": "in/a b.bin"\#(more.isEmpty ? "" : ", " + more)"#)
        answer.expectSuccess()
        let url = try #require(answer.json["url"]?.string)
        // Uppy sends what it asked for, and no header that is signed.
        let sent = try SentS3Request(JSON(#"{"method":"\#(method)","url":"\#(url)"}"#))
        #expect(sent.query == query && sent.lifetime == 300)
        #expect(sent.url.text.hasPrefix("https://demo-bucket.\(Setup.s3Endpoint)/in/a%20b.bin?"))
        // What the server calls the object is what Uppy goes on with.
        #expect(answer.json["key"] == "in/a b.bin" && answer.json["grant"] == "strings")
        #expect(answer.json["expiresAt"] == .string(iso8601((sent.moment ?? 0) + 300)))
    }

    @Test func `a URL lives as long as is asked for, within the grant's presign`() throws {
        let answer = try ask(#""method": "PUT", "key": "in/a", "expiresIn": 60"#)
        #expect(answer.json["url"]?.string?.contains("X-Amz-Expires=60&") == true, "\(answer.text)")
        let long = try ask(#""method": "PUT", "key": "in/a", "expiresIn": 301"#)
        long.expectProblem(403, "not_in_grant")
        #expect(long.json["clause"] == "presign")
        for seconds in ["0", "-1", "604801", "1.5"] {
            try ask(#""method": "PUT", "key": "in/a", "expiresIn": \#(seconds)"#)
                .expectProblem(400, "invalid_parameter", "expiresIn")
        }
        try expectRefusal(#""method": "PUT", "key": "parts/a""#, "presign")
    }

    @Test func `the bucket is where the credential has it, and a temporary key's URL has its token`() throws {
        let path = try ask(#""method": "GET", "key": "dots/a""#)
        #expect(
            path.json["url"]?.string?.hasPrefix("https://storage.example.com:9000/my.dotted.bucket/dots/a?") == true)
        let temporary = try ask(#""method": "GET", "key": "temporary/a""#)
        let url = try #require(temporary.json["url"]?.string)
        _ = try SentS3Request(JSON(#"{"method":"GET","url":"\#(url)"}"#), token: "a/token+of==")
        let text = try Service.shared(.s3Requests).post(
            "/s3/sign", json: #"{"method": "GET", "key": "in/a"}"#, "Accept: text/plain")
        #expect(text.status == 200 && text.text.hasPrefix("https://demo-bucket."))
    }

    private func expectRefusal(_ members: String, _ clause: String) throws {
        let answer = try ask(members)
        answer.expectProblem(403, "not_in_grant")
        #expect(answer.json["clause"] == .string(clause) && answer.json["url"] == nil, "\(members): \(answer.text)")
    }

    @Test func `nothing outside the grant is signed`() throws {
        for (members, clause) in [
            (#""method": "PUT", "key": "out/a""#, "keyPrefix"), (#""method": "PUT", "key": "in""#, "keyPrefix"),
            (#""method": "PUT", "key": "in/a", "bucket": "other-bucket""#, "bucket"),
            (#""method": "PATCH", "key": "in/a""#, "methods"), (#""method": "DELETE", "key": "images/a""#, "methods"),
            // Half of a part, and a part of what has none.
            (#""method": "PUT", "key": "in/a", "uploadId": "u""#, "subresources"),
            (#""method": "PUT", "key": "in/a", "partNumber": 1"#, "subresources"),
            (#""method": "GET", "key": "in/a", \#(Self.part)"#, "subresources"),
            (#""method": "DELETE", "key": "in/a", \#(Self.part)"#, "subresources"),
            (#""method": "POST", "key": "in/a", \#(Self.part)"#, "subresources"),
            // What Uppy cannot have signed.
            (#""method": "PUT", "key": "images/a.png""#, "overwrite"),
        ] { try expectRefusal(members, clause) }
    }

    @Test func `bad input is told which field, why and what would be right`() throws {
        for (members, field) in [
            (#""method": "put", "key": "in/a""#, "method"), (#""method": "PUT\n", "key": "in/a""#, "method"),
            (#""method": "PUT\nx-amz-acl:public-read\n", "key": "in/a""#, "method"),
            (#""method": "PUT", "key": """#, "key"),
            (#""method": "PUT", "key": "in/../out/a""#, "key"), (#""method": "PUT", "key": "in/./a""#, "key"),
            (#""method": "PUT", "key": "in/a\u0000""#, "key"),
            (#""method": "PUT", "key": "in/a", "uploadId": """#, "uploadId"),
            (#""method": "DELETE", "key": "in/a", "uploadId": """#, "uploadId"),
            (#""method": "PUT", "key": "in/a", "uploadId": "a\nb", "partNumber": 1"#, "uploadId"),
            (#""method": "PUT", "key": "in/a", "uploadId": 7, "partNumber": 1"#, "uploadId"),
        ] { try ask(members).expectProblem(400, "invalid_parameter", field) }
        for number in ["0", "-1", "10001", "18446744073709551617", "1.5", #""x""#, "true"] {
            try ask(#""method": "PUT", "key": "in/a", "uploadId": "u", "partNumber": \#(number)"#)
                .expectProblem(400, "invalid_parameter", "partNumber")
        }
        try ask(#""method": "PUT""#).expectProblem(400, "missing_parameter", "key")
        try ask(#""key": "in/a""#).expectProblem(400, "invalid_parameter", "key")
        try ask(#""method": "PUT", "key": "in/a", "contentToSign": "x", "canonicalRequest": "y""#)
            .expectProblem(400, "invalid_parameter", "method")
    }

    @Test func `a part's number and an upload's id are judged wherever they stand`() throws {
        let service = try Service.shared(.s3Requests)
        for (id, number) in [("u", "0"), ("u", "10001"), ("u", "99999999999999999999"), ("u", "+1"), ("", "1")] {
            let query = [("partNumber", number), ("uploadId", id)]
            let signable = SignableS3(method: "PUT", query: query, headers: [])
            let answer = try service.post("/s3/sign", "application/x-www-form-urlencoded", signable.form())
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == "subresources" && !answer.text.contains(signable.signature))
        }
        for method in ["GET", "POST", "DELETE"] {
            for query in ["uploadId", "uploadId="] {
                let url = try service.get("/s3/presigned-url?key=in/a&method=\(method)&query=\(percent(query))")
                url.expectProblem(403, "not_in_grant")
                #expect(url.json["clause"] == "subresources")
            }
        }
    }
}

/// What EvaporateJS asks its `signerUrl`.
@Suite("S3 signatures for EvaporateJS over HTTP")
struct EvaporateTests {
    private func ask(_ signable: SignableS3, _ more: String = "", date: String? = nil) throws -> Answer {
        try Service.shared(.s3Requests).get(
            "/s3/sign?to_sign=\(percent(signable.string))&datetime=\(date ?? signable.date)"
                + "&canonical_request=\(percent(signable.canonical))\(more)", "Accept: */*")
    }

    @Test func `the answer is the bare signature, whatever the request says that it takes`() throws {
        let part = [("partNumber", "1"), ("uploadId", "upl.id_1")]
        for signable in [
            SignableS3(method: "POST", query: [("uploads", "")], namesPayload: false),
            SignableS3(
                method: "PUT", query: part, headers: [("content-md5", "XrY7u+Ae7tCTyyK7j1rNww==")], namesPayload: false),
            SignableS3(
                method: "POST", query: [part[1]], payload: String(repeating: "0a", count: 32), namesPayload: false),
            SignableS3(method: "DELETE", query: [part[1]], headers: [], namesPayload: false),
        ] {
            let answer = try ask(signable)
            #expect(answer.status == 200 && answer.text == signable.signature, "\(answer.text)")
            #expect(answer["content-type"]?.hasPrefix("text/plain") == true)
        }
    }

    @Test func `without the canonical request, or with another date, nothing is signed`() throws {
        let signable = SignableS3()
        try Service.shared(.s3Requests)
            .get("/s3/sign?to_sign=\(percent(signable.string))&datetime=\(signable.date)")
            .expectProblem(400, "missing_parameter", "canonicalRequest")
        for date in ["20200101T000000Z", "x", signable.date.lowercased()] {
            try ask(signable, date: date).expectProblem(400, "invalid_parameter", "datetime")
        }
        try ask(signable, "&user=a").expectProblem(400, "unknown_parameter")
    }
}
