import Foundation
import Testing

@testable import TestService

/// What other implementations of these tokens have stumbled over.
@Suite("Traps of Qiniu's protocol, over HTTP")
struct QiniuTrapTests {
    @Test func `keys that only look alike are different keys, and prefixes match as bytes`() throws {
        let service = try Service.shared(.open)
        // One letter, composed and decomposed.
        let keys = ["photos/\u{E9}.jpg", "photos/e\u{301}.jpg"]
        #expect(keys[0] == keys[1], "Swift's own comparison holds them for equal")
        let scopes = try keys.map { key in
            let answer = try service.get("/qiniu/uptoken?grant=photos&key=\(percent(key))")
            return Array(try QiniuUploadTokenTests.read(answer, lifetime: 600).text.utf8)
        }
        for (scope, key) in zip(scopes, keys) { #expect(scope.firstRange(of: Array(key.utf8)) != nil) }
        #expect(scopes[0].firstRange(of: Array(keys[1].utf8)) == nil)
    }

    @Test func `a slash stands as it is, the text keeps its padding, and a plus stays a plus`() throws {
        let service = try Service.shared(.open)
        for key in ["photos/a+b.jpg", "photos/a b.jpg", "photos/a%2Fb.jpg", "photos/ab.jpg", "photos/abc.jpg"] {
            let answer = try service.get("/qiniu/uptoken?grant=photos&key=\(percent(key))")
            let reading = try QiniuUploadTokenTests.read(answer, lifetime: 600)
            #expect(!reading.text.contains("\\/") && reading.text.contains("\"demo-media:\(key)\""))
            let encoded = answer.json["uptoken"]?.string?.split(separator: ":").last ?? ""
            #expect(!encoded.isEmpty && encoded.utf8.count % 4 == 0)
        }
        // A query's + is a space; JSON's is itself.
        let form = try service.get("/qiniu/uptoken?grant=photos&key=photos/a+b.jpg")
        #expect(form.json["key"] == "photos/a b.jpg")
        let json = try service.post("/qiniu/uptoken", json: #"{"grant": "photos", "key": "photos\/a+b.jpg"}"#)
        #expect(json.json["key"] == "photos/a+b.jpg")
    }

    @Test func `a size beyond 2^53 keeps its last digit`() throws {
        let service = try Service.shared(.open)
        for size in ["9007199254740993", "9223372036854775807"] {
            let answer = try service.post(
                "/qiniu/uptoken", json: #"{"grant": "tunedfree", "key": "tunedfree/a", "fsizeLimit": \#(size)}"#)
            let text = try QiniuUploadTokenTests.read(answer, lifetime: 3600).text
            #expect(text.contains("\"fsizeLimit\":\(size)"))
        }
        let over = try service.get("/qiniu/uptoken?grant=tunedfree&key=tunedfree/a&fsizeLimit=9223372036854775808")
        over.expectProblem(400, "invalid_parameter", "fsizeLimit")
    }

    @Test func `a line break of two characters is no one character, and no key`() throws {
        let service = try Service.shared(.open)
        for key in ["photos/a\r\n.jpg", "photos/a\n.jpg", "photos/a\r.jpg"] {
            try service.get("/qiniu/uptoken?grant=photos&key=\(percent(key))")
                .expectProblem(400, "invalid_parameter", "key")
        }
    }
}
