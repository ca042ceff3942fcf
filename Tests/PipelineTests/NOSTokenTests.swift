import Foundation
import Testing

@testable import TestService

@Suite("NOS upload tokens over HTTP")
struct NOSTokenTests {
    @Test func `a token is UPLOAD, the access key, HMAC-SHA256 and the policy in the vendor's order`() throws {
        let answer = try Service.shared(.open).get("/nos/token?object=anne.jpg")
        answer.expectSuccess()
        let json = answer.json
        let reading = try UploadTokenReading(nos: json["token"]?.string, secret: Setup.nosSecret)
        #expect(reading.accessKey == Setup.nosAccessKey)
        let deadline = try #require(json["deadline"]?.integer)
        #expect(Answer.age.contains(deadline - 600 - now))
        #expect(
            reading.text
                == #"{"Bucket":"demo-files","Object":"anne.jpg","Expires":\#(deadline),"OverWrite":false}"#)
        #expect(json["bucket"] == "demo-files")
        #expect(json["object"] == "anne.jpg")
        #expect(json["key"] == "anne.jpg")
        #expect(json["grant"] == "files")
        #expect(json["expiresAt"] == .string(iso8601(deadline)))
        #expect(json["expiresIn"] == 600)
        #expect(json["limitedBy"] == "grant")
    }

    @Test func `GET, JSON and a form, object and its alias key, get the same`() throws {
        let service = try Service.shared(.open)
        let answers = [
            try service.get("/nos/token?key=a/%E4%B8%AD.txt&expires=60"),
            try service.get("/nos/token?object=a/%e4%b8%ad.txt&expires=60&_=1700000000"),
            try service.post("/nos/token", json: #"{"object": "a/中.txt", "expires": 60}"#),
            try service.post("/nos/token", json: #"{"key": "a/\u4e2d.txt", "expires": "60"}"#),
            try service.post("/nos/token", "application/x-www-form-urlencoded", "key=a%2F%E4%B8%AD.txt&expires=60"),
        ]
        for answer in answers {
            answer.expectSuccess()
            let policy = try UploadTokenReading(nos: answer.json["token"]?.string, secret: Setup.nosSecret).policy
            #expect(policy["Object"] == "a/中.txt")
            #expect(policy["Expires"] == answer.json["deadline"])
            #expect(answer.json["expiresIn"] == 60)
            #expect(answer.json["limitedBy"] == "requested")
        }
    }

    @Test func `R16: with overwrite the policy has no OverWrite, and the grant's policy comes typed`() throws {
        let answer = try Service.shared(.open).get(
            "/nos/token?object=r/a&bucket=demo-replace", APIKey.alice.bearer)
        answer.expectSuccess()
        let reading = try UploadTokenReading(nos: answer.json["token"]?.string, secret: Setup.nosSecret)
        let deadline = try #require(answer.json["deadline"]?.integer)
        let head = #"{"Bucket":"demo-replace","Object":"r/a","Expires":\#(deadline),"#
        #expect(reading.text == head + #""ObjectSizeMax":1000,"MimeLimit":"image/png"}"#)
    }

    @Test func `R13: without an object there is no token, since NOS has none for a prefix`() throws {
        let service = try Service.shared(.open)
        for answer in [try service.get("/nos/token"), try service.post("/nos/token", json: "{}")] {
            answer.expectProblem(400, "missing_parameter", "object")
            #expect(answer.json["parameter"] == "object")
        }
    }

    @Test func `R3: object and its alias key together are refused, even when they agree`() throws {
        let service = try Service.shared(.open)
        let answers = [
            try service.get("/nos/token?object=a&key=a"), try service.get("/nos/token?key=a&object=b"),
            try service.post("/nos/token", json: #"{"object": "a", "key": "a"}"#),
        ]
        for answer in answers {
            answer.expectProblem(400, "invalid_parameter", "more than once")
            #expect(answer.json["parameter"] == "object")
        }
    }

    @Test func `R13: an object name of 1000 bytes is the longest`() throws {
        let service = try Service.shared(.open)
        let longest = String(repeating: "n", count: 1000)
        try service.get("/nos/token?object=\(longest)").expectSuccess()
        try service.get("/nos/token?object=\(longest)n").expectProblem(400, "invalid_parameter", "longer")
    }

    @Test func `HEAD issues no token`() throws {
        let client = try Service.shared(.open).connect()
        try client.send("HEAD /nos/token?object=a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let answer = try client.answer(toHead: true)
        #expect(answer.status == 200)
        answer.expectAlwaysFields()
        #expect(try client.isClosed())
    }
}
