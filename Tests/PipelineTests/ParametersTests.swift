import Foundation
import Testing

@testable import TestService

@Suite("Parameters over HTTP: R3, R4, R5, R13")
struct ParametersTests {
    // MARK: R3

    @Test(
        "R3: a name that nobody knows is refused with the nearest known one",
        arguments: [
            ("/qiniu/uptoken?kez=a", "kez", "key"), ("/qiniu/uptoken?Key=a", "Key", "key"),
            ("/qiniu/uptoken?expire=1", "expire", "expires"), ("/qiniu/uptoken?bukcet=a", "bukcet", "bucket"),
            ("/nos/token?objct=a", "objct", "object"), ("/oss/sign?contentTosign=a", "contentTosign", "contentToSign"),
            ("/oss/sign?string_to_sign=a", "string_to_sign", "stringToSign"),
        ])
    func unknown(_ fault: (target: String, name: String, nearest: String)) throws {
        let answer = try Service.shared(.open).get(fault.target)
        answer.expectProblem(400, "unknown_parameter", "did you mean \(fault.nearest)?")
        #expect(answer.json["parameter"] == .string(fault.name))
    }

    @Test func `R3: a name near no other is refused too, in a query, a form and JSON`() throws {
        let service = try Service.shared(.open)
        for answer in [
            try service.get("/qiniu/uptoken?key=photos/a&somethingElse=1"),
            try service.get("/qiniu/uptoken?key=photos/a&=1"),
            try service.get("/qiniu/uptoken?key=photos/a&secret=1"),
            try service.post("/qiniu/uptoken", json: #"{"key": "photos/a", "somethingElse": "1"}"#),
            try service.post("/qiniu/uptoken", "application/x-www-form-urlencoded", "key=photos/a&somethingElse"),
        ] {
            answer.expectProblem(400, "unknown_parameter")
        }
    }

    @Test(
        "R3: an empty list is a value of the wrong kind, and does not hide an unknown name",
        arguments: [
            #"{"grant": "photos", "key": []}"#, #"{"key": "photos/a", "expires": []}"#,
            #"{"key": "photos/a", "somethingElse": []}"#,
        ])
    func emptyLists(_ body: String) throws {
        let answer = try Service.shared(.open).post("/qiniu/uptoken", json: body)
        #expect(answer.status == 400, "\(answer.text.prefix(200))")
    }

    @Test func `R3: the same name twice is refused, whatever the values`() throws {
        let service = try Service.shared(.open)
        for answer in [
            try service.get("/qiniu/uptoken?key=photos/a&key=photos/b"),
            try service.get("/qiniu/uptoken?key=photos/a&key=photos/a"),
            try service.get("/qiniu/uptoken?key=photos/a&%6bey=photos/a"),
            try service.post("/qiniu/uptoken", "application/x-www-form-urlencoded", "key=photos/a&key=photos/a"),
        ] {
            answer.expectProblem(400, "invalid_parameter", "key is given more than once")
        }
        let twice = try service.post("/qiniu/uptoken", json: #"{"key": "photos/a", "key": "photos/a"}"#)
        twice.expectProblem(400, "invalid_parameter", "key: the body is not proper JSON")
        let escaped = try service.post("/qiniu/uptoken", json: #"{"key": "photos/a", "ke\u0079": "photos/b"}"#)
        escaped.expectProblem(400, "invalid_parameter", "key: the body is not proper JSON")
    }

    @Test func `R3: a POST is asked by its body alone, a GET by its query alone`() throws {
        let service = try Service.shared(.open)
        for target in ["/qiniu/uptoken?key=photos/a", "/qiniu/uptoken?expires=60"] {
            try service.post(target, json: #"{"key": "photos/a"}"#).expectProblem(400, "unknown_parameter", "body")
        }
        try service.ask("POST", "/qiniu/uptoken?key=photos/a").expectProblem(400, "unknown_parameter", "body")
        try service.ask("GET", "/qiniu/uptoken", ["Content-Type: application/json"], body: #"{"key": "photos/a"}"#)
            .expectProblem(400, "invalid_parameter", "query")
        // An empty query is none.
        try service.post("/qiniu/uptoken?", json: #"{"key": "photos/a"}"#).expectSuccess()
    }

    @Test func `R3: names that begin with _ are ignored, as often as they come`() throws {
        let service = try Service.shared(.open)
        try service.get("/qiniu/uptoken?key=photos/a&_=1700000000&_=2&_key=x&_t").expectSuccess()
        try service.post("/qiniu/uptoken", json: #"{"key": "photos/a", "_": 1, "_a": true}"#).expectSuccess()
        try service.post("/qiniu/uptoken", "application/x-www-form-urlencoded", "_=1&key=photos%2Fa").expectSuccess()
        // And count for nothing.
        try service.get("/nos/token?_object=a").expectProblem(400, "missing_parameter")
    }

    @Test(
        "R3: bad JSON is refused with the reason, and never answered otherwise",
        arguments: [
            "", "{", "[]", "null", "\"key\"", "1", "{\"key\": \"photos/a\",}", "{key: \"photos/a\"}",
            "{'key': 'photos/a'}", "{\"key\": \"photos/a\"} x", "{\"key\": \"photos/a\"}{}", "\u{FEFF}{}",
            "{\"key\": \"photos/a\nb\"}", "{\"key\": \"\\ud800\"}", "{\"key\": \"\\x41\"}", "{\"key\": \"photos/a",
            "// hello\n{}", "{\"expires\": 060}", "{\"expires\": +60}", "{\"expires\": NaN}", "{\"expires\": 0x3c}",
            "{\"expires\": .5}", "{\"key\": undefined}",
        ])
    func badJSON(_ body: String) throws {
        let answer = try Service.shared(.open).post("/qiniu/uptoken", json: body)
        answer.expectProblem(400, "invalid_parameter", "JSON")
    }

    @Test(
        "R3: JSON values of the wrong type are refused by name",
        arguments: [
            (#"{"key": 1}"#, "key"), (#"{"key": true}"#, "key"), (#"{"key": null}"#, "key"),
            (#"{"key": ["photos/a"]}"#, "key"), (#"{"key": ["photos/a", "photos/b"]}"#, "key"),
            (#"{"key": {"a": "b"}}"#, "key"), (#"{"key": [1]}"#, "key"), (#"{"bucket": 1}"#, "bucket"),
            (#"{"grant": 1}"#, "grant"), (#"{"key": "photos/a", "expires": true}"#, "expires"),
            (#"{"key": "photos/a", "expires": [60]}"#, "expires"),
            (#"{"key": "photos/a", "expires": ["60"]}"#, "expires"),
            (#"{"key": "photos/a", "expires": null}"#, "expires"),
            (#"{"key": "tuned/a", "fsizeLimit": "x"}"#, "fsizeLimit"),
            (#"{"key": "tuned/a", "fsizeLimit": 1e3}"#, "fsizeLimit"),
        ])
    func wrongTypes(_ fault: (body: String, name: String)) throws {
        let answer = try Service.shared(.open).post("/qiniu/uptoken", json: fault.body)
        answer.expectProblem(400, "invalid_parameter", fault.name)
        #expect(answer.json["parameter"] == .string(fault.name))
        if fault.body.contains("\"key\": null") { #expect(answer.json["detail"]?.string == "key must be a string") }
    }

    @Test(
        "R3: escapes that are none, and text that is not UTF-8, are refused",
        arguments: [
            "key=%", "key=%4", "key=%zz", "key=photos/%ff", "key=photos/%c0%af", "key=photos/%ed%a0%80", "%ff=a",
            "ke%zz=a",
        ])
    func badEncoding(_ query: String) throws {
        let service = try Service.shared(.open)
        try service.get("/qiniu/uptoken?" + query).expectProblem(400, "invalid_parameter")
        try service.post("/qiniu/uptoken", "application/x-www-form-urlencoded", query)
            .expectProblem(400, "invalid_parameter")
    }

    @Test func `R3: bytes that are not UTF-8 are refused in JSON and in plain text too`() throws {
        let service = try Service.shared(.open)
        for (path, type, body) in [
            ("/qiniu/uptoken", "application/json", Array("{\"key\": \"photos/".utf8) + [0xFF] + Array("\"}".utf8)),
            ("/oss/sign", "text/plain", Array(Signable().text.utf8) + [0xFF]),
        ] {
            let head =
                "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n"
            let answer = try service.raw(Array(head.utf8) + body)
            #expect([400, 422].contains(answer.status), "\(answer.text)")
        }
    }

    // MARK: R4

    @Test func `R4: several grants that fit are ambiguous, and the parameter grant narrows them`()
        throws
    {
        let service = try Service.shared(.open)
        for (target, names) in [
            ("/qiniu/uptoken", "photos, fixed, tuned, tunedfree, twin"),
            ("/qiniu/uptoken?key=photos/twin/a", "photos, twin"),
        ] {
            let answer = try service.get(target)
            answer.expectProblem(
                400, "ambiguous_grant", "several grants admit this: \(names); name one with the parameter grant")
            #expect(answer.json["parameter"] == "grant")
        }
        for grant in ["photos", "twin"] {
            let answer = try service.get("/qiniu/uptoken?key=photos/twin/a&grant=\(grant)")
            answer.expectSuccess()
            #expect(answer.json["grant"] == .string(grant))
        }
        // A key that only one of them fits is that one's.
        #expect(try service.get("/qiniu/uptoken?key=photos/a").json["grant"] == "photos")
    }

    @Test func `R4: grants are never united: what none gives by itself is not given`() throws {
        let service = try Service.shared(.open)
        try service.get("/qiniu/uptoken?grant=photos&key=tuned/a").expectProblem(403, "not_in_grant")
        try service.get("/qiniu/uptoken?key=photos/twin/a&bucket=demo-files").expectProblem(
            403, "not_in_grant", "bucket")
        try service.get("/qiniu/uptoken?key=elsewhere/a").expectProblem(403, "not_in_grant", "keyPrefix")
    }

    @Test func `R4: a foreign grant, one of another route and one that does not exist answer alike`() throws {
        let service = try Service.shared(.open)
        var bodies: Set<String> = []
        for grant in ["hers", "nothing", "files", "", "HERS", "photos%00"] {
            let answer = try service.get("/qiniu/uptoken?key=hers/a&grant=\(grant)")
            answer.expectProblem(403, "not_in_grant")
            let identifier = try #require(answer["X-Request-Id"])
            bodies.insert(answer.text.replacing(identifier, with: "ID"))
        }
        #expect(bodies.count == 1)
        // It is there for whom it is for.
        try service.get("/qiniu/uptoken?key=hers/a&grant=hers", APIKey.alice.bearer).expectSuccess()
    }

    // MARK: R5

    @Test(
        "R5: a lifetime that is no whole number of seconds within the grant's maximum is refused",
        arguments: [
            "0", "-1", "%2B5", "+5", "1.5", "1e2", "060", "", "%2060", "60s", "0x3c", "3601", "2147483648",
            "9223372036854775807", "9223372036854775808", "18446744073709551617", "%D9%A1", "60%00",
        ])
    func badLifetimes(_ text: String) throws {
        let service = try Service.shared(.open)
        let answer = try service.get("/qiniu/uptoken?key=photos/a&expires=\(text)")
        answer.expectProblem(400, "invalid_parameter", "expires")
        #expect(answer.json["parameter"] == "expires" && answer.text.contains("seconds"))
    }

    @Test(
        "R5: the same in JSON, as number and as string",
        arguments: [
            "0", "-1", "1.5", "1e2", "3601", "9223372036854775808", "1e400", "\"\"", "\"+5\"", "\" 60\"", "60.0",
        ])
    func badJSONLifetimes(_ value: String) throws {
        let service = try Service.shared(.open)
        let answer = try service.post("/qiniu/uptoken", json: "{\"key\": \"photos/a\", \"expires\": \(value)}")
        answer.expectProblem(400, "invalid_parameter", "expires")
    }

    @Test func `R5: from one second to the maximum is granted, and limitedBy says whose end it is`() throws {
        let service = try Service.shared(.open)
        for seconds: Int64 in [1, 600, 3600] {
            let answer = try service.get("/qiniu/uptoken?key=photos/a&expires=\(seconds)")
            _ = try QiniuUploadTokenTests.read(answer, lifetime: seconds)
            #expect(answer.json["limitedBy"] == "requested")
        }
        #expect(try service.get("/qiniu/uptoken?key=photos/a").json["limitedBy"] == "grant")
        // Without maxLifetime the lifetime is the maximum.
        try service.get("/nos/token?object=a&expires=601").expectProblem(400, "invalid_parameter", "600 seconds")
    }

    @Test func `R5: nothing outlives the caller's own key`() throws {
        let service = try Service.shared(.closed)
        let end = try #require(APIKey.ending.notAfter)
        for expires in ["", "&expires=7200"] {
            let answer = try service.get("/qiniu/uptoken?grant=everybody\(expires)", APIKey.ending.bearer)
            answer.expectSuccess()
            #expect(answer.json["limitedBy"] == "caller")
            #expect(answer.json["deadline"] == .integer(end))
            #expect(answer.json["expiresAt"] == .string(iso8601(end)))
        }
        let shorter = try service.get("/qiniu/uptoken?grant=everybody&expires=60", APIKey.ending.bearer)
        #expect(shorter.json["limitedBy"] == "requested")
        #expect(shorter.json["expiresIn"] == 60)
        // What is signed already cannot be shortened.
        let url = Signable(verb: "GET", type: "", date: "\(end + 60)").text
        try service.post("/oss/sign", "text/plain", url, APIKey.ending.bearer)
            .expectProblem(403, "credential_too_short")
        let earlier = Signable(verb: "GET", type: "", date: "\(end - 60)").text
        try service.post("/oss/sign", "text/plain", earlier, APIKey.ending.bearer).expectSuccess()
    }

    // MARK: R13

    @Test(
        "R13: keys that are refused everywhere",
        arguments: [
            "", "/photos/a", "photos/../a", "photos/..", "..", ".", "photos/./a", "./photos/a", "photos/%00a",
            "photos/%0Aa", "photos/%0D%0Aa", "photos/%7F", "photos/%1F", "photos/$(fname)", "photos/$%7Bx%7D",
            "photos/%FF", "photos/%C0%AE%C0%AE/a", "photos/%2E%2E/a",
        ])
    func badKeys(_ key: String) throws {
        let service = try Service.shared(.open)
        for target in ["/qiniu/uptoken?key=", "/nos/token?object="] {
            try service.get(target + key).expectProblem(400, "invalid_parameter")
        }
    }

    @Test func `R13: key= is not the same as no key`() throws {
        let service = try Service.shared(.open)
        for answer in [
            try service.get("/qiniu/uptoken?grant=photos&key="), try service.get("/qiniu/uptoken?grant=photos&key"),
            try service.post("/qiniu/uptoken", json: #"{"grant": "photos", "key": ""}"#),
            try service.post("/qiniu/uptoken", "application/x-www-form-urlencoded", "grant=photos&key="),
        ] {
            answer.expectProblem(400, "invalid_parameter", "key must not be empty")
        }
    }

    @Test func `R13: dots inside names, the prefix itself and the longest key are fine`() throws {
        let service = try Service.shared(.open)
        for key in ["photos/a..b", "photos/...", "photos/.hidden", "photos/", "photos//a", "photos/$a(b)"] {
            let policy = try QiniuUploadTokenTests.read(
                try service.get("/qiniu/uptoken?key=\(percent(key))"), lifetime: 600
            ).policy
            #expect(policy["scope"] == .string("demo-media:" + key))
            #expect(policy["isPrefixalScope"] == nil)
        }
        let longest = "photos/" + String(repeating: "k", count: 743)
        try service.get("/qiniu/uptoken?key=\(longest)").expectSuccess()
        try service.get("/qiniu/uptoken?key=\(longest)k").expectProblem(400, "invalid_parameter", "longer")
    }

    @Test(
        "R13: a key begins with the grant's prefix, byte for byte",
        arguments: ["photos", "photo/a", "Photos/a", "photosa", "xphotos/a", "photos%5Ca", "ph%C3%B6tos/a"])
    func foreignKeys(_ key: String) throws {
        let answer = try Service.shared(.open).get("/qiniu/uptoken?key=" + key)
        answer.expectProblem(403, "not_in_grant")
    }
}
