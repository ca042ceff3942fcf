import Foundation
import Testing

@testable import TestService

@Suite("Callers over HTTP: R7, R8, R9, R10, R12, R14")
struct CallersTests {
    // MARK: R8

    @Test func `R8: a key is taken as a bearer token or in X-API-Key, the scheme in any case`() throws {
        let service = try Service.shared(.closed)
        let key = APIKey.alice.key
        for field in [
            "Authorization: Bearer \(key)", "authorization: bearer \(key)", "Authorization: BEARER \(key)",
            "X-API-Key: \(key)", "x-api-key:\(key)", "Authorization:\tBearer \(key) ",
        ] {
            let answer = try service.get("/qiniu/uptoken?grant=alice", field)
            answer.expectSuccess()
            #expect(answer.json["keyPrefix"] == "users/alice/")
        }
    }

    @Test(
        "R8: a credential that is wrong, doubled or of an unknown kind is 401, and never anonymous",
        arguments: [
            ["Authorization: Bearer wrong"], ["X-API-Key: wrong"], ["Authorization: Bearer"],
            ["Authorization: Bearer "],
            ["Authorization:"], ["X-API-Key:"], ["Authorization: \(APIKey.alice.key)"],
            ["Authorization: Basic YWxpY2U6a2V5"], ["Authorization: Token \(APIKey.alice.key)"],
            ["Authorization: Bearer\(APIKey.alice.key)"], ["Authorization: Bearer \(APIKey.alice.key)x"],
            ["Authorization: Bearer \(APIKey.alice.key.dropLast())"],
            ["Authorization: Bearer \(APIKey.alice.key.uppercased())"],
            ["Authorization: Bearer \(APIKey.alice.key),\(APIKey.alice.key)"],
            ["Authorization: Bearer \(Digests.hex(Digests.sha256(Array(APIKey.alice.key.utf8))))"],
            [APIKey.ended.bearer], ["X-API-Key: \(APIKey.ended.key)"],
            [APIKey.alice.bearer, APIKey.alice.bearer], [APIKey.alice.bearer, "X-API-Key: \(APIKey.alice.key)"],
            ["X-API-Key: \(APIKey.alice.key)", "X-API-Key: \(APIKey.alice.key)"],
            [APIKey.alice.bearer, "Authorization:"], [APIKey.alice.bearer, "X-API-Key:"],
            ["Authorization: Bearer \(String(repeating: "k", count: 600))"],
        ])
    func wrongCredentials(_ fields: [String]) throws {
        // Also where anybody may ask without one.
        for (setup, target) in [(Setup.closed, "/qiniu/uptoken?grant=alice"), (.open, "/qiniu/uptoken?key=photos/a")] {
            let answer = try Service.shared(setup).ask("GET", target, fields)
            answer.expectProblem(401, "unauthenticated")
            #expect(answer["WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
        }
    }

    @Test func `R8: who has no credential is told how to have one, where nothing is for anonymous`() throws {
        let service = try Service.shared(.closed)
        for target in ["/qiniu/uptoken", "/oss/sign", "/nos/token", "/api/uptoken"] {
            let answer = try service.get(target)
            answer.expectProblem(401, "unauthenticated")
            #expect(answer["WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
        }
    }

    @Test func `R9: keys of one id are one caller, other ids are others whatever their case`() throws {
        let service = try Service.shared(.closed)
        for key in [APIKey.alice, .aliceToo] {
            let answer = try service.get("/qiniu/uptoken?key=users/alice/a", key.bearer)
            answer.expectSuccess()
        }
        for key in [APIKey.upperAlice, .dotted, .bob] {
            try service.get("/qiniu/uptoken?key=users/alice/a", key.bearer).expectProblem(403, "not_in_grant")
            try service.get("/qiniu/uptoken?grant=alice", key.bearer).expectProblem(403, "not_in_grant")
        }
        // What is for one caller is not for everybody who is known, and what is for anonymous is for nobody else.
        let open = try Service.shared(.open)
        try open.get("/qiniu/uptoken?key=photos/a", APIKey.alice.bearer).expectProblem(403, "not_in_grant")
        try open.get("/qiniu/uptoken?key=hers/a").expectProblem(403, "not_in_grant")
        try open.get("/qiniu/uptoken?key=hers/a", APIKey.bob.bearer).expectProblem(403, "not_in_grant")
    }

    @Test func `R12: who is on the deny list gets nothing, and is known`() throws {
        let service = try Service.shared(.closed)
        try service.get("/qiniu/uptoken?grant=everybody", APIKey.denied.bearer).expectProblem(403, "forbidden")
        try service.get("/nos/token?object=a", APIKey.denied.bearer).expectProblem(403, "forbidden")
    }

    // MARK: R7

    @Test func `R7: faults are told in order: framing, host, path, credential, parameters, grant`() throws {
        let service = try Service.shared(.closed)
        let (alice, wrong) = (APIKey.alice.bearer, "Authorization: Bearer wrong")
        // Each has every fault that comes after its own.
        try service.raw(Array("GET /nothing?x=1 HTTP/3.0\r\nHost: evil.example\r\n\(wrong)\r\n\r\n".utf8))
            .expectProblem(400, "malformed_request")
        try service.get("/nothing?x=1", "Host: evil.example", wrong).expectProblem(421, "misdirected")
        try service.get("/nothing?x=1", wrong).expectProblem(404, "not_found")
        try service.ask("PUT", "/qiniu/uptoken?x=1", [wrong]).expectProblem(405, "method_not_allowed")
        try service.get("/qiniu/uptoken?x=1&expires=0", wrong).expectProblem(401, "unauthenticated")
        try service.get("/qiniu/uptoken?x=1&expires=0").expectProblem(401, "unauthenticated")
        try service.post("/qiniu/uptoken", "image/png", "{", wrong).expectProblem(401, "unauthenticated")
        try service.post("/qiniu/uptoken", json: "{", wrong).expectProblem(401, "unauthenticated")
        try service.get("/qiniu/uptoken?key=foreign/a&expires=0", alice).expectProblem(400, "invalid_parameter")
        try service.get("/qiniu/uptoken?key=foreign/a&x=1", alice).expectProblem(400, "unknown_parameter")
        try service.get("/qiniu/uptoken?key=foreign/a&expires=9999999", alice).expectProblem(403, "not_in_grant")
    }

    @Test func `R7: before authentication an error tells nothing of the configuration`() throws {
        let service = try Service.shared(.closed)
        let answers = [
            try service.get("/qiniu/uptoken?grant=everybody"), try service.get("/qiniu/uptoken", "X-API-Key: x"),
            try service.get("/nothing"), try service.get("/qiniu/uptoken", "Host: evil.example"),
            try service.get("/qiniu/uptoken", "Origin: https://evil.example"), try service.ask("PUT", "/qiniu/uptoken"),
            try service.raw(Array("GET / HTTP/1.1\r\n\r\n".utf8)), try service.get("/oss/sign", APIKey.ended.bearer),
        ]
        let names = [
            "closed-media", "demo-bucket", "everybody", "alice", "bob", "ended", "t.example.com", "app.example.com",
            "/api/uptoken", "epoll", "dispatch", InProcessService.folder,
        ]
        for answer in answers {
            #expect(answer.status >= 400)
            for name in names + CallersTests.secrets {
                #expect(!answer.text.contains(name), "\(name) in \(answer.text)")
                #expect(!answer.fields.contains { $0.value.contains(name) }, "\(name) in \(answer.fields)")
            }
        }
    }

    @Test func `R7: no error holds a secret, a token, a key or what was to be signed`() throws {
        let service = try Service.shared(.open)
        let marker = "do-not-repeat-me"
        let answers = [
            try service.get("/qiniu/uptoken?key=\(marker)/a"), try service.get("/qiniu/uptoken?expires=\(marker)"),
            try service.get("/qiniu/uptoken?bucket=\(marker)"), try service.get("/qiniu/uptoken?grant=\(marker)"),
            try service.get("/qiniu/uptoken?key=%ff\(marker)"),
            try service.get("/qiniu/uptoken?key=photos/../\(marker)"),
            try service.post("/oss/sign", "text/plain", marker),
            try service.post("/oss/sign", "text/plain", Signable(type: marker, resource: "/other/\(marker)").text),
            try service.post("/oss/sign", "text/plain", Signable(resource: "/demo-bucket/demo/a?\(marker)").text),
            try service.post("/oss/sign", json: "{\"contentToSign\": \"\(marker)\\n\"}"),
            try service.post("/oss/sign", json: "{\"contentToSign\": \"\(marker)"),
            try service.get("/oss/sign?content=\(marker)"), try service.get("/qiniu/uptoken", "X-API-Key: \(marker)"),
            try service.get("/qiniu/uptoken", "Authorization: \(marker)"), try service.get("/\(marker)"),
            try service.get("/grants", "Host: \(marker)"), try service.get("/qiniu/uptoken", "Origin: \(marker)"),
            try service.get("/oss/sign?accessKeyId=\(marker)&content=" + percent(Signable().text)),
        ]
        for answer in answers {
            #expect(answer.status >= 400)
            for text in CallersTests.secrets + [marker] {
                #expect(!answer.text.contains(text), "\(text) in \(answer.text)")
            }
        }
    }

    private static let secrets = [
        Setup.qiniuSecret, Setup.nosSecret, Setup.ossSecret, Setup.s3Secret, Setup.qiniuAccessKey, Setup.nosAccessKey,
        Setup.ossAccessKey, APIKey.alice.key, APIKey.ended.key,
    ]

    // MARK: R14

    @Test func `R14: caller.id in a prefix is the key's id, and binds the vendor's name of the caller too`() throws {
        let service = try Service.shared(.closed)
        let answer = try service.get("/qiniu/uptoken?grant=alice", APIKey.alice.bearer)
        let policy = try QiniuUploadTokenTests.read(answer, lifetime: 3600).policy
        #expect(policy["scope"] == "closed-media:users/alice/")
        #expect(policy["isPrefixalScope"] == 1)
        #expect(policy["endUser"] == "alice")
        for key in ["users/bob/a", "users/alice", "users/alice2/a", "users/Alice/a", "users/${caller.id}/a"] {
            let answer = try service.get("/qiniu/uptoken?grant=alice&key=\(percent(key))", APIKey.alice.bearer)
            #expect([400, 403].contains(answer.status), "\(answer.text)")
        }
    }

    @Test func `R14: no two callers ever get the same prefix, nor one inside another's`() throws {
        let service = try Service.shared(.closed)
        var prefixes: [String] = []
        for key in [APIKey.alice, .upperAlice, .dotted, .bob] {
            let answer = try service.get("/qiniu/uptoken?grant=everybody&expires=60", key.bearer)
            let policy = try QiniuUploadTokenTests.read(answer, lifetime: 60).policy
            #expect(policy["scope"] == .string("closed-media:all/apiKey-\(key.id)/"))
            prefixes.append(try #require(answer.json["keyPrefix"]?.string))
        }
        for (index, one) in prefixes.enumerated() {
            for other in prefixes[(index + 1)...] {
                #expect(!one.hasPrefix(other) && !other.hasPrefix(one))
            }
        }
        // Two keys of one id are the same caller.
        let again = try service.get("/qiniu/uptoken?grant=everybody", APIKey.aliceToo.bearer)
        #expect(again.json["keyPrefix"] == .string(prefixes[0]))
    }

    @Test func `R14: date, uuid and ext make a key that the server chooses`() throws {
        let service = try Service.shared(.closed)
        var keys: Set<String> = []
        for asked in ["jpg", "png", "jpg"] {
            let days = [formatted(now, "d/%Y/%m/%d/")]
            let answer = try service.get("/qiniu/uptoken?grant=stamped&ext=\(asked)", APIKey.bob.bearer)
            let policy = try QiniuUploadTokenTests.read(answer, lifetime: 3600).policy
            let key = try #require(answer.json["key"]?.string)
            #expect(policy["scope"] == .string("closed-media:" + key))
            let day = try #require((days + [formatted(now, "d/%Y/%m/%d/")]).first(where: key.hasPrefix))
            let name = key.dropFirst(day.count)
            let uuid = #/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.(jpg|png)/#
            #expect(name.wholeMatch(of: uuid) != nil, "\(key)")
            #expect(name.hasSuffix("." + asked))
            keys.insert(key)
        }
        #expect(keys.count == 3)
    }

    @Test(
        "R14: an extension that the grant does not list is not granted, nor the key that it is taken from",
        arguments: ["ext=gif", "ext=jp", "key=me.gif", "key=me", "key=me.JPG", "key=me.jpg", "key=d/me.jpg&ext=jpg"])
    func badExtensions(_ query: String) throws {
        let service = try Service.shared(.closed)
        try service.get("/qiniu/uptoken?grant=stamped&" + query, APIKey.bob.bearer)
            .expectProblem(403, "not_in_grant", "extension")
    }

    @Test("R14: what is no extension is told so", arguments: ["", "JPG", ".jpg", "jpgjpgjpg", "j%2Fg", "jpg%20"])
    func noExtensions(_ name: String) throws {
        try Service.shared(.closed).get("/qiniu/uptoken?ext=" + name, APIKey.bob.bearer)
            .expectProblem(400, "invalid_parameter", "ext must be 1 to 8 of a-z 0-9")
    }

    @Test func `R14: without an extension there is no key, and a random key is nobody's to name`() throws {
        let service = try Service.shared(.closed)
        try service.get("/qiniu/uptoken?grant=stamped", APIKey.bob.bearer).expectProblem(
            400, "missing_parameter", "ext is needed")
        let first = try service.get("/qiniu/uptoken?grant=numbered", APIKey.bob.bearer)
        let second = try service.get("/qiniu/uptoken?grant=numbered", APIKey.bob.bearer)
        let key = try #require(first.json["key"]?.string)
        #expect(key != second.json["key"]?.string)
        try service.get("/qiniu/uptoken?grant=numbered&key=\(key)", APIKey.bob.bearer).expectProblem(
            403, "not_in_grant")
    }
}
