import Foundation
import Testing

@testable import TestService

@Suite("OSS remote signing over HTTP")
struct OSSSignTests {
    private static func expectSignature(
        of string: String, in answer: Answer, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        answer.expectSuccess(sourceLocation: sourceLocation)
        let json = answer.json
        #expect(json["authorization"] == .string(OSSAuthorization.expected(string)), sourceLocation: sourceLocation)
        #expect(json["signature"] == .string(OSSAuthorization.signature(string)), sourceLocation: sourceLocation)
        #expect(json["accessKeyId"] == .string(Setup.ossAccessKey), sourceLocation: sourceLocation)
        #expect(json["StatusCode"] == 200, sourceLocation: sourceLocation)
        #expect(json["grant"] == "objects", sourceLocation: sourceLocation)
    }

    @Test func `GET, form, JSON and text/plain get the signature over exactly the string sent`() throws {
        let service = try Service.shared(.open)
        let string = Signable(headers: ["x-oss-meta-a:1", "x-oss-meta-b:zwei drei"]).text
        let json = string.replacing("\n", with: "\\n")
        let answers = [
            try service.get("/oss/sign?contentToSign=" + percent(string)),
            try service.post("/oss/sign", "application/x-www-form-urlencoded", "contentToSign=" + percent(string)),
            try service.post("/oss/sign", json: "{\"contentToSign\": \"\(json)\"}"),
            try service.post("/oss/sign", "text/plain", string),
            try service.post("/oss/sign", "text/plain; charset=utf-8", string),
        ]
        for answer in answers {
            OSSSignTests.expectSignature(of: string, in: answer)
            #expect(answer.json["bucket"] == "demo-bucket")
            #expect(answer.json["key"] == "demo/a.jpg")
        }
    }

    @Test func `the vendor samples' names content and stringToSign mean the same, but not together`() throws {
        let service = try Service.shared(.open)
        let string = Signable(verb: "GET", type: "").text
        for name in ["content", "stringToSign", "contentToSign"] {
            OSSSignTests.expectSignature(of: string, in: try service.get("/oss/sign?\(name)=" + percent(string)))
        }
        try service.get("/oss/sign?content=\(percent(string))&contentToSign=\(percent(string))")
            .expectProblem(400, "invalid_parameter", "more than once")
    }

    @Test func `who accepts text/plain gets the authorization alone`() throws {
        let service = try Service.shared(.open)
        let string = Signable().text
        for accept in ["Accept: text/plain", "accept: text/plain; charset=utf-8"] {
            let answer = try service.post("/oss/sign", "text/plain", string, accept)
            #expect(answer.status == 200)
            answer.expectAlwaysFields()
            #expect(answer["Content-Type"] == "text/plain; charset=utf-8")
            #expect(answer.text == OSSAuthorization.expected(string))
        }
        for accept in ["Accept: */*", "Accept: application/json", "Accept: text/plain;q=0, */*"] {
            OSSSignTests.expectSignature(of: string, in: try service.post("/oss/sign", "text/plain", string, accept))
        }
        let refusal = try service.post("/oss/sign", "text/plain", "no such string", "Accept: text/plain")
        refusal.expectProblem(422, "unreadable_string_to_sign")
    }

    @Test func `who accepts JSON first and text/plain too, as axios does, gets JSON`() throws {
        let string = Signable().text
        let answer = try Service.shared(.open)
            .post("/oss/sign", "text/plain", string, "Accept: application/json, text/plain, */*")
        OSSSignTests.expectSignature(of: string, in: answer)
    }

    @Test func `a dated signature is reported to hold for the vendor's fifteen minutes`() throws {
        let service = try Service.shared(.open)
        for offset: Int64 in [0, -600, 30] {
            let date = now + offset
            let answer = try service.post("/oss/sign", "text/plain", Signable(date: httpDate(date)).text)
            answer.expectSuccess()
            #expect(answer.json["expiresAt"] == .string(iso8601(date + 900)))
            let asked = moment(Answer.age, writtenAs: answer.json["serverTime"]?.string, by: iso8601)
            #expect(asked.map { answer.json["expiresIn"] == .integer(date + 900 - $0) } == true)
        }
    }

    @Test func `a URL is signed within the grant's presign, and ends when the string says`() throws {
        let service = try Service.shared(.open)
        let end = now + 280
        let string = Signable(verb: "GET", type: "", date: "\(end)").text
        let answer = try service.post("/oss/sign", "text/plain", string)
        OSSSignTests.expectSignature(of: string, in: answer)
        #expect(answer.json["expiresAt"] == .string(iso8601(end)))
        #expect(answer.json["limitedBy"] == "requested")
    }

    @Test func `what the grant lists is signed: verbs, metadata, x-oss-date, digests, every key below the prefix`()
        throws
    {
        let service = try Service.shared(.open)
        let date = httpDate(now)
        let strings = [
            Signable(verb: "GET", type: ""), Signable(verb: "HEAD", type: ""), Signable(type: ""),
            Signable(md5: "eB5eJF1ptWaXm4bijSPyxw=="), Signable(date: date, headers: ["x-oss-date:" + date]),
            Signable(resource: "/demo-bucket/demo/Fotos/März 2026/中文.jpg"),
            Signable(resource: "/demo-bucket/demo/a..b"), Signable(resource: "/demo-bucket/demo/a%2F..%2Fb&c=d"),
        ]
        for string in strings {
            OSSSignTests.expectSignature(of: string.text, in: try service.post("/oss/sign", "text/plain", string.text))
        }
    }

    @Test func `remote signers' names are taken when they agree with the string`() throws {
        let string = Signable().text
        let target =
            "/oss/sign?contentToSign=\(percent(string))&method=PUT&bucket=demo-bucket&key=demo%2Fa.jpg&version=v1"
            + "&accessKeyId=\(Setup.ossAccessKey)&grant=objects"
        OSSSignTests.expectSignature(of: string, in: try Service.shared(.open).get(target))
    }

    @Test(
        "remote signers' names that disagree with the string are refused, and so is another version",
        arguments: [
            ("method=GET", 400, "method"), ("method=put", 400, "method"), ("bucket=other-bucket", 400, "bucket"),
            ("key=demo/b.jpg", 400, "key"), ("key=demo/a.jpg/", 400, "key"), ("key=", 400, "key"),
            ("version=v2", 400, "version"), ("version=", 400, "version"), ("accessKeyId=LTAIother", 403, "accessKeyId"),
        ])
    func disagreement(_ fault: (query: String, status: Int, name: String)) throws {
        let target = "/oss/sign?contentToSign=\(percent(Signable().text))&\(fault.query)"
        let answer = try Service.shared(.open).get(target)
        answer.expectProblem(fault.status, fault.status == 400 ? "invalid_parameter" : "not_in_grant", fault.name)
        #expect(answer.json[fault.status == 400 ? "parameter" : "clause"] == .string(fault.name))
    }

    @Test("a key of prefix u1/ opens neither u nor u10, and nothing else")
    func prefixes() throws {
        let service = try Service.shared(.open)
        let fine = Signable(verb: "GET", type: "", resource: "/demo-bucket/u1/a").text
        let answer = try service.post("/oss/sign", "text/plain", fine, APIKey.alice.bearer)
        #expect(answer.json["authorization"] == .string(OSSAuthorization.expected(fine)))
        for key in ["u", "u1", "u/a", "u10/a", "U1/a", "demo/a.jpg", "xu1/a"] {
            let string = Signable(verb: "GET", type: "", resource: "/demo-bucket/" + key).text
            let answer = try service.post("/oss/sign", "text/plain", string, APIKey.alice.bearer)
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == "keyPrefix")
        }
        // Her grant signs no URLs, and no headers.
        let url = Signable(verb: "GET", type: "", date: "\(now + 60)", resource: "/demo-bucket/u1/a").text
        let refusal = try service.post("/oss/sign", "text/plain", url, APIKey.alice.bearer)
        refusal.expectProblem(403, "not_in_grant")
        #expect(refusal.json["clause"] == "presign")
    }

    @Test("an empty, missing or too long string is refused before it is read")
    func sizes() throws {
        let service = try Service.shared(.open)
        let form = "application/x-www-form-urlencoded"
        for answer in [
            try service.post("/oss/sign", "text/plain", ""), try service.get("/oss/sign?contentToSign="),
            try service.post("/oss/sign", json: #"{"contentToSign": ""}"#),
        ] {
            answer.expectProblem(400, "invalid_parameter", "contentToSign must not be empty")
        }
        for answer in [
            try service.get("/oss/sign"), try service.post("/oss/sign", json: "{}"),
            try service.post("/oss/sign", form, ""), try service.ask("POST", "/oss/sign"),
        ] {
            answer.expectProblem(400, "missing_parameter", "contentToSign")
        }
        let long = Signable(headers: ["x-oss-meta-a:" + String(repeating: "a", count: 20_480)]).text
        for answer in [
            try service.post("/oss/sign", "text/plain", long),
            try service.post("/oss/sign", form, "contentToSign=" + percent(long)),
        ] {
            answer.expectProblem(400, "invalid_parameter", "16384")
        }
        try service.get("/oss/sign?contentToSign=" + percent(long)).expectProblem(414, "uri_too_long")
    }

    @Test("a string in JSON that is no string, or not one, is refused")
    func types() throws {
        let service = try Service.shared(.open)
        for value in ["1", "true", "null", "[\"a\"]", "{\"a\": 1}", "[]"] {
            let answer = try service.post("/oss/sign", json: "{\"contentToSign\": \(value)}")
            answer.expectProblem(400, "invalid_parameter", "contentToSign")
        }
    }

    @Test("HEAD by query decides and signs nothing")
    func heads() throws {
        let service = try Service.shared(.open)
        let client = try service.connect()
        let target = "/oss/sign?contentToSign=" + percent(Signable().text)
        try client.send(service.text("HEAD", target, ["Connection: close", "Accept: text/plain"]))
        #expect(try client.answer(toHead: true).status == 200)
        #expect(try client.isClosed())
        let refused = "/oss/sign?contentToSign=" + percent(Signable(verb: "DELETE").text)
        #expect(try service.ask("HEAD", refused).status == 403)
    }
}
