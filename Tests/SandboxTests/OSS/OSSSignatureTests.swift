import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Who may ask OSS, and by what signature; each refusal by its code.
@Suite struct OSSSignatureTests {
    private typealias Scheme = OSSTestCall.Scheme

    @Test(arguments: OSSTestCall.Scheme.allCases, [false, true])
    func `each way of signing is taken, by path and by host`(scheme: OSSTestCall.Scheme, isHosted: Bool) throws {
        let fixture = try OSSFixture()
        func call(_ method: String, _ body: String = "") -> OSSTestCall {
            OSSTestCall(method, "a b/图+%41?.txt", body) {
                $0.scheme = scheme
                $0.isHosted = isHosted
                $0.query = [("x-other", ""), ("prefix", "")]
            }
        }
        #expect(try fixture.outcome(call("PUT", "hello")) == "200")
        #expect(try fixture.send(call("GET")).text == "hello")
        #expect(try fixture.outcome(call("HEAD")) == "200")
        #expect(try fixture.outcome(call("DELETE")) == "204")
        #expect(try fixture.outcome(call("GET")) == "404 NoSuchKey")
    }

    @Test(arguments: OSSTestCall.Scheme.allCases)
    func `what was changed after it was signed is refused, and the answer tells what should have been signed`(
        scheme: OSSTestCall.Scheme
    ) throws {
        let fixture = try OSSFixture()
        let call = OSSTestCall("PUT", "a", "x") {
            $0.scheme = scheme
            $0.fields = [
                ("Content-Type", "text/plain"), ("x-oss-meta-a", "1"), ("Content-MD5", "ndTkYSaMgDT1yFZOFVxnpg=="),
            ]
            $0.query = [("x-oss-extra", "1")]
        }
        let changes: [(String, (inout SandboxRequest) -> Void)] = [
            ("method", { $0.method = Array("DELETE".utf8) }),
            ("key", { $0.target = Array($0.target.text.replacing("/a?", with: "/b?").utf8) }),
            ("parameter", { $0.target = Array($0.target.text.replacing("x-oss-extra=1", with: "x-oss-extra=2").utf8) }),
            ("type", { $0.set("Content-Type", "text/html") }),
            ("own field", { $0.set("x-oss-meta-a", "2") }),
            ("digest", { $0.set("Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA==") }),
            ("another field", { $0.fields.append(NameValue("x-oss-object-acl", "public-read")) }),
        ]
        for (what, change) in changes {
            var request = try call.request()
            change(&request)
            let answer = try fixture.answer(request, call.body)
            #expect(answer.outcome == "403 SignatureDoesNotMatch", "\(what)")
            #expect(answer.texts("StringToSign").count == 1 && answer.texts("SignatureProvided").count == 1)
            #expect(!answer.text.contains(OSSFixture.secret))
        }
        #expect(try fixture.answer(try call.request(), call.body).outcome == "200")
        #expect(try fixture.outcome(OSSTestCall("GET", "b") { $0.scheme = scheme }) == "404 NoSuchKey")
    }

    @Test(arguments: OSSTestCall.Scheme.allCases)
    func `the wrong key, the wrong secret and the wrong time are refused`(scheme: OSSTestCall.Scheme) throws {
        let fixture = try OSSFixture()
        func outcome(_ adjust: (inout OSSTestCall) -> Void) throws -> String {
            try fixture.outcome(
                OSSTestCall("PUT", "a") {
                    $0.scheme = scheme
                    adjust(&$0)
                })
        }
        #expect(try outcome { $0.keyID = "nobody" } == "403 InvalidAccessKeyId")
        #expect(try outcome { $0.secret = "other" } == "403 SignatureDoesNotMatch")
        #expect(try outcome { $0.bucket = "no-bucket" } == "404 NoSuchBucket")
        #expect(try outcome { $0.token = "none" } == "403 InvalidSecurityToken")
        let isURL = scheme == .v1URL || scheme == .v4URL
        #expect(try outcome { $0.time -= 901 } == (isURL ? "403 AccessDenied" : "403 RequestTimeTooSkewed"))
        #expect(try outcome { $0.time -= 600 } == "200")
        if !isURL {
            #expect(try outcome { $0.time += 901 } == "403 RequestTimeTooSkewed")
            #expect(try outcome { $0.time += 900 } == "200")
        }
    }

    @Test(arguments: OSSTestCall.Scheme.allCases)
    func `a session needs its token, and ends`(scheme: OSSTestCall.Scheme) throws {
        let fixture = try OSSFixture()
        func outcome(at now: Int64 = OSSFixture.now, _ adjust: (inout OSSTestCall) -> Void = { _ in }) throws -> String
        {
            try fixture.outcome(
                OSSTestCall("PUT", "a") {
                    $0.scheme = scheme
                    $0.bySession()
                    $0.time = now
                    adjust(&$0)
                }, at: now)
        }
        #expect(try outcome() == "200")
        #expect(try outcome { $0.token = nil } == "403 InvalidAccessKeyId")
        #expect(try outcome { $0.token = "other" } == "403 InvalidSecurityToken")
        #expect(try outcome { $0.secret = OSSFixture.secret } == "403 SignatureDoesNotMatch")
        #expect(try outcome(at: OSSFixture.now + 3599) == "200")
        #expect(try outcome(at: OSSFixture.now + 3600) == "403 SecurityTokenExpired")
    }

    @Test(arguments: OSSTestCall.Scheme.allCases, ["Content-Type", "Content-MD5", "Date", "x-oss-date"])
    func `a field that is signed once may not come twice`(scheme: OSSTestCall.Scheme, name: String) throws {
        let fixture = try OSSFixture()
        let call = OSSTestCall("PUT", "a", "x") { $0.scheme = scheme }
        var request = try call.request()
        for value in ["text/html", "text/plain"] {
            request.fields.append(NameValue(Array(name.utf8), Array(value.utf8)))
        }
        #expect(try fixture.answer(request, call.body).outcome == "400 InvalidArgument")
        #expect(try fixture.outcome(OSSTestCall("GET", "a")) == "404 NoSuchKey")
    }

    @Test func `who does not sign has no right, and no way to find out`() throws {
        let fixture = try OSSFixture()
        for (target, expected) in [
            ("/demo-bucket/a", "403 AccessDenied"), ("/no-bucket/a", "404 NoSuchBucket"), ("/", "403 AccessDenied"),
            ("/A_B/a", "400 InvalidBucketName"), ("/demo-bucket//a", "400 InvalidObjectName"),
            ("/demo-bucket/%zz", "400 InvalidURI"), ("/demo-bucket/%FF", "400 InvalidObjectName"),
            ("/demo-bucket/?prefix=a&prefix=b", "400 InvalidArgument"),
        ] {
            let request = SandboxRequest(Array("GET".utf8), target: Array(target.utf8), fields: [])
            #expect(try fixture.answer(request).outcome == expected, "\(target)")
        }
    }

    @Test func `a signature that is no signature is refused before anything is asked of it`() throws {
        let fixture = try OSSFixture()
        func outcome(_ target: String, _ fields: [(String, String)] = []) throws -> String {
            let fields = fields.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) }
            return try fixture.answer(SandboxRequest(Array("GET".utf8), target: Array(target.utf8), fields: fields))
                .outcome
        }
        let path = "/demo-bucket/a"
        let date = ("Date", HTTPDate.write(OSSFixture.now).text)
        for authorization in [
            "OSS x", "OSS :x", "OSS x:", "OSS a:b:c", "Basic x", "OSS4-HMAC-SHA256 x", "OSS2 x", "oss a:b",
        ] {
            #expect(
                try outcome(path, [("Authorization", authorization), date]) == "400 InvalidArgument", "\(authorization)"
            )
        }
        #expect(try outcome(path, [("Authorization", "OSS a:b")]) == "403 AccessDenied")
        #expect(try outcome(path, [("Authorization", "OSS a:b"), ("Date", "yesterday")]) == "403 AccessDenied")
        let twice = [("Authorization", "OSS a:b"), ("Authorization", "OSS a:b"), date]
        #expect(try outcome(path, twice) == "400 InvalidArgument")
        #expect(
            try outcome("\(path)?Signature=a&Expires=1&OSSAccessKeyId=b", [("Authorization", "OSS a:b"), date])
                == "400 InvalidArgument")
        #expect(try outcome("\(path)?OSSAccessKeyId=b") == "403 AccessDenied")
        #expect(try outcome("\(path)?Signature=a&Expires=x&OSSAccessKeyId=b") == "400 InvalidArgument")
        #expect(try outcome("\(path)?x-oss-signature-version=OSS2") == "400 InvalidArgument")
        #expect(try outcome("\(path)?x-oss-signature-version=OSS4-HMAC-SHA256") == "403 AccessDenied")
    }

    @Test func `version 4 is held to its scope`() throws {
        let fixture = try OSSFixture()
        for scheme in [OSSTestCall.Scheme.v4, .v4URL] {
            func outcome(_ adjust: (inout OSSTestCall) -> Void) throws -> String {
                try fixture.outcome(
                    OSSTestCall("PUT", "a") {
                        $0.scheme = scheme
                        adjust(&$0)
                    })
            }
            #expect(try outcome { $0.day = "20260101" } == "400 InvalidArgument")
            #expect(try outcome { $0.day = "2026" } == "400 InvalidArgument")
            #expect(try outcome { $0.region = "" } == "400 InvalidArgument")
            #expect(try outcome { $0.region = "ap-southeast-1" } == "200")
        }
        for (life, expected) in [(0, "400 InvalidArgument"), (604_800, "200"), (604_801, "400 InvalidArgument")] {
            let call = OSSTestCall("PUT", "a") {
                $0.scheme = .v4URL
                $0.life = Int64(life)
            }
            #expect(try fixture.outcome(call) == expected)
        }
        let early = OSSTestCall("PUT", "a") {
            $0.scheme = .v4URL
            $0.time += 901
        }
        #expect(try fixture.outcome(early) == "403 RequestTimeTooSkewed")
        var request = try OSSTestCall("PUT", "a").request()
        request.set("x-oss-content-sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(try fixture.answer(request).outcome == "400 InvalidArgument")
    }

    @Test(arguments: [OSSTestCall.Scheme.v4, .v4URL])
    func `further fields that version 4 signs must be the same`(scheme: OSSTestCall.Scheme) throws {
        let fixture = try OSSFixture()
        let call = OSSTestCall("PUT", "a", "12345") {
            $0.scheme = scheme
            $0.additional = ["content-length"]
        }
        #expect(try fixture.outcome(call) == "200")
        var request = try call.request()
        request.set("Content-Length", "6")
        #expect(try fixture.answer(request, Array("123456".utf8)).outcome == "403 SignatureDoesNotMatch")
    }

    @Test func `its requests are recognised among those of other vendors`() throws {
        let fixture = try OSSFixture()
        for scheme in Scheme.allCases {
            #expect(fixture.side.recognises(try OSSTestCall("GET", "a") { $0.scheme = scheme }.request()))
        }
        for (target, authorization) in [("/a", "QBox x"), ("/demo-bucket/a", "NOS a:b"), ("/other/a", nil), ("/", nil)]
        {
            let fields = authorization.map { [NameValue("Authorization", Array($0.utf8))] } ?? []
            let request = SandboxRequest(Array("GET".utf8), target: Array(target.utf8), fields: fields)
            #expect(!fixture.side.recognises(request), "\(target)")
        }
    }
}

extension SandboxRequest {
    /// Gives a field another value.
    mutating func set(_ name: String, _ value: String) {
        fields =
            fields.filter { $0.name.text.lowercased() != name.lowercased() }
            + [NameValue(Array(name.utf8), Array(value.utf8))]
    }
}
