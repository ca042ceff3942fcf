import Foundation
import Testing

@testable import TestService

@Suite("Qiniu upload tokens over HTTP")
struct QiniuUploadTokenTests {
    /// Checks an answer against its token, and gives the token's policy.
    static func read(
        _ answer: Answer, lifetime: Int64, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> UploadTokenReading {
        answer.expectSuccess(sourceLocation: sourceLocation)
        let json = answer.json
        #expect(json["token"] == json["uptoken"], sourceLocation: sourceLocation)
        let reading = try UploadTokenReading(qiniu: json["uptoken"]?.string, secret: Setup.qiniuSecret)
        #expect(reading.accessKey == Setup.qiniuAccessKey, sourceLocation: sourceLocation)
        let deadline = try #require(reading.policy["deadline"]?.integer, sourceLocation: sourceLocation)
        #expect(Answer.age.contains(deadline - lifetime - now), sourceLocation: sourceLocation)
        // Android reads 32 bits; a fraction or an exponent would not be an integer everywhere.
        #expect(deadline <= Int64(Int32.max), sourceLocation: sourceLocation)
        #expect(reading.text.contains("\"deadline\":\(deadline)"), sourceLocation: sourceLocation)
        #expect(json["deadline"] == .integer(deadline), sourceLocation: sourceLocation)
        #expect(json["expiresAt"] == .string(iso8601(deadline)), sourceLocation: sourceLocation)
        #expect(json["expiresIn"] == .integer(lifetime), sourceLocation: sourceLocation)
        #expect(json["serverTime"] == .string(iso8601(deadline - lifetime)), sourceLocation: sourceLocation)
        return reading
    }

    @Test func `a GET for a key gets a token for that key alone, insert-only, with the grant's policy typed`() throws {
        let answer = try Service.shared(.open).get("/qiniu/uptoken?key=photos/a.jpg")
        let reading = try QiniuUploadTokenTests.read(answer, lifetime: 600)
        let policy = reading.policy
        #expect(policy["scope"] == "demo-media:photos/a.jpg")
        #expect(policy["insertOnly"] == 1)
        #expect(policy["fsizeLimit"] == 10_485_760)
        #expect(policy["mimeLimit"] == "image/*")
        #expect(policy["detectMime"] == 1)
        #expect(policy.names == ["scope", "deadline", "insertOnly", "fsizeLimit", "mimeLimit", "detectMime"])
        let json = answer.json
        #expect(json["bucket"] == "demo-media")
        #expect(json["key"] == "photos/a.jpg")
        #expect(json["domain"] == "media.example.com")
        #expect(json["grant"] == "photos")
        #expect(json["limitedBy"] == "grant")
        let known: Set = [
            "uptoken", "token", "bucket", "key", "domain", "deadline", "grant", "expiresAt", "expiresIn", "limitedBy",
            "serverTime",
        ]
        #expect(json.names == known)
    }

    @Test func `without a key the token is for the grant's prefix`() throws {
        let answer = try Service.shared(.open).get("/qiniu/uptoken?grant=photos")
        let policy = try QiniuUploadTokenTests.read(answer, lifetime: 600).policy
        #expect(policy["scope"] == "demo-media:photos/")
        #expect(policy["isPrefixalScope"] == 1)
        #expect(policy["insertOnly"] == 1)
        #expect(answer.json["key"] == .null)
        #expect(answer.json["keyPrefix"] == "photos/")
    }

    @Test func `JSON, a form and a query that ask the same get the same`() throws {
        let service = try Service.shared(.open)
        let answers = [
            try service.get("/qiniu/uptoken?key=photos%2Fb+c.jpg&expires=120&bucket=demo-media&grant=photos"),
            try service.post(
                "/qiniu/uptoken",
                json: #"{"key": "photos/b c.jpg", "expires": 120, "bucket": "demo-media", "grant": "photos"}"#),
            try service.post("/qiniu/uptoken", json: #"{"key":"photos\/b\u0020c.jpg","expires":"120"}"#),
            try service.post(
                "/qiniu/uptoken", "application/x-www-form-urlencoded", "key=photos%2fb%20c.jpg&expires=120"),
            try service.post(
                "/qiniu/uptoken", "Application/JSON; charset=UTF-8", #"{"key":"photos/b c.jpg","expires":120}"#),
        ]
        for answer in answers {
            let policy = try QiniuUploadTokenTests.read(answer, lifetime: 120).policy
            #expect(policy["scope"] == "demo-media:photos/b c.jpg")
            #expect(answer.json["limitedBy"] == "requested")
        }
    }

    @Test func `keys of any UTF-8 and of JSON's special characters arrive as they are`() throws {
        let service = try Service.shared(.open)
        for key in ["photos/照片 1.jpg", #"photos/"quoted"\back:colon.jpg"#, "photos/😀é\u{301}<>&+=#%?;.jpg"] {
            let query = try service.get("/qiniu/uptoken?key=\(percent(key))")
            let policy = try QiniuUploadTokenTests.read(query, lifetime: 600).policy
            #expect(policy["scope"] == .string("demo-media:" + key))
            #expect(query.json["key"] == .string(key))
        }
        // JSON's escapes, with a surrogate pair.
        let answer = try service.post("/qiniu/uptoken", json: #"{"key": "photos/\u7167\u7247\ud83d\ude00"}"#)
        let policy = try QiniuUploadTokenTests.read(answer, lifetime: 600).policy
        #expect(policy["scope"] == "demo-media:photos/照片😀")
    }

    @Test func `R16: without overwrite every token is insert-only, with it none is`() throws {
        let service = try Service.shared(.open)
        let inserting = try service.get("/qiniu/uptoken?grant=twin")
        #expect(try QiniuUploadTokenTests.read(inserting, lifetime: 60).policy["insertOnly"] == 1)
        let overwriting = try service.get("/qiniu/uptoken?grant=fixed")
        #expect(try QiniuUploadTokenTests.read(overwriting, lifetime: 300).policy["insertOnly"] == nil)
    }

    @Test func `R16: what choose names may be chosen, and only tightened`() throws {
        let service = try Service.shared(.open)
        let path = "/qiniu/uptoken?key=tuned/a"
        let standard = try QiniuUploadTokenTests.read(try service.get(path), lifetime: 300).policy
        #expect(standard["fsizeLimit"] == 5000)
        #expect(standard["fsizeMin"] == 100)
        #expect(standard["deleteAfterDays"] == 30)
        #expect(standard["trafficLimit"] == 8_388_608)
        #expect(standard["fileType"] == 1)
        let tighter = path + "&fsizeLimit=4999&fsizeMin=101&deleteAfterDays=1&trafficLimit=819200"
        let chosen = try QiniuUploadTokenTests.read(try service.get(tighter), lifetime: 300).policy
        #expect(chosen["fsizeLimit"] == 4999)
        #expect(chosen["fsizeMin"] == 101)
        #expect(chosen["deleteAfterDays"] == 1)
        #expect(chosen["trafficLimit"] == 819_200)
        for looser in ["fsizeLimit=5001", "fsizeMin=99", "deleteAfterDays=31", "trafficLimit=8388609"] {
            let answer = try service.get("\(path)&\(looser)")
            answer.expectProblem(403, "not_in_grant", "tighten")
            #expect(answer.json["clause"] == "policy")
        }
    }

    @Test(
        "R16: a number that the vendor takes for none at all, or not at all, is no tightening",
        arguments: ["fsizeLimit=0", "deleteAfterDays=0", "trafficLimit=0", "trafficLimit=819199"])
    func tighteningToNothing(_ choice: String) throws {
        let answer = try Service.shared(.open).get("/qiniu/uptoken?key=tuned/a&\(choice)")
        #expect([400, 403].contains(answer.status), "\(answer.status)")
    }

    @Test func `R16: where the grant has no number of its own, the caller's stands`() throws {
        let service = try Service.shared(.open)
        let plain = try QiniuUploadTokenTests.read(try service.get("/qiniu/uptoken?key=tunedfree/a"), lifetime: 3600)
        #expect(plain.policy.names == ["scope", "deadline", "insertOnly"])
        let answer = try service.post(
            "/qiniu/uptoken", json: #"{"key": "tunedfree/a", "fsizeLimit": 9223372036854775807}"#)
        let chosen = try QiniuUploadTokenTests.read(answer, lifetime: 3600)
        #expect(chosen.policy["fsizeLimit"] == .integer(.max))
    }

    @Test(
        "R16: a field that choose does not name is refused, and one that nobody may choose is not even known")
    func unchosen() throws {
        let service = try Service.shared(.open)
        for field in ["fsizeLimit=1", "fsizeMin=1", "deleteAfterDays=1", "trafficLimit=819200"] {
            let answer = try service.get("/qiniu/uptoken?key=photos/a&\(field)")
            answer.expectProblem(403, "not_in_grant", "choose")
            #expect(answer.json["clause"] == "choose")
        }
        let never = [
            "scope=x", "deadline=1", "isPrefixalScope=0", "insertOnly=0", "saveKey=x", "forceSaveKey=true", "endUser=x",
            "persistentOps=x", "callbackUrl=x", "callbackBody=x", "returnUrl=x", "returnBody=x", "transform=x",
            "mimeLimit=x", "detectMime=0", "fileType=0",
        ]
        for field in never {
            try service.get("/qiniu/uptoken?key=tuned/a&\(field)").expectProblem(400, "unknown_parameter")
        }
    }

    @Test func `R13: a grant with a key of its own chooses it, whoever asks for what`() throws {
        let service = try Service.shared(.open)
        for query in ["grant=fixed", "key=fixed/report.pdf"] {
            let answer = try service.get("/qiniu/uptoken?" + query)
            let policy = try QiniuUploadTokenTests.read(answer, lifetime: 300).policy
            #expect(policy["scope"] == "demo-media:fixed/report.pdf")
            #expect(policy["isPrefixalScope"] == nil)
            #expect(answer.json["key"] == "fixed/report.pdf")
        }
        let other = try service.get("/qiniu/uptoken?grant=fixed&key=fixed/other.pdf")
        other.expectProblem(403, "not_in_grant", "key")
    }

    @Test func `HEAD decides as GET does, but issues nothing`() throws {
        let service = try Service.shared(.open)
        let yes = try service.ask("HEAD", "/qiniu/uptoken?key=photos/a.jpg")
        #expect(yes.status == 200)
        yes.expectAlwaysFields()
        let client = try service.connect()
        try client.send(service.text("HEAD", "/qiniu/uptoken?key=photos/a.jpg", ["Connection: close"]))
        #expect(try client.answer(toHead: true).status == 200)
        #expect(try client.isClosed(), "a HEAD's answer has a body")
        #expect(try service.ask("HEAD", "/qiniu/uptoken?key=elsewhere/a.jpg").status == 403)
        #expect(try service.ask("HEAD", "/qiniu/uptoken?kez=photos/a.jpg").status == 400)
        #expect(try service.ask("HEAD", "/qiniu/nothing").status == 404)
    }

    @Test func `a path that server.aliases names is the route, and only exactly that path`() throws {
        let service = try Service.shared(.closed)
        let answer = try service.get("/api/uptoken?key=users/alice/a", APIKey.alice.bearer)
        _ = try QiniuUploadTokenTests.read(answer, lifetime: 3600)
        for path in ["/api/uptoken/", "/API/uptoken", "//api/uptoken", "/api/%75ptoken", "/qiniu/uptoken/"] {
            try service.get(path, APIKey.alice.bearer).expectProblem(404, "not_found")
        }
    }
}
