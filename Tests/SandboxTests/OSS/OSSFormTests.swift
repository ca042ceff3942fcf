import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Uploads by forms.
@Suite struct OSSFormTests {
    /// A form as a browser sends it, signed by code of the tests alone.
    private struct Form {
        var isV4 = false
        var keyID = OSSFixture.keyID
        var secret = OSSFixture.secret
        var token: String?
        var expiration = "2026-12-31T00:00:00.000Z"
        /// JSON, without those that version 4 needs.
        var conditions = [#"{"bucket":"demo-bucket"}"#, #"["starts-with","$key","forms/"]"#]
        var fields: [(String, String)] = [("key", "forms/${filename}")]
        var file = "hello"
        var filename = "a.txt"
        /// Replaces the JSON of the policy.
        var policy: String?
        /// Whether version 4's fields are conditions, as they must be.
        var namesSigned = true
        var date = OSSFixture.now
        /// What comes behind the file.
        var end = "\r\n--B--\r\n"

        func request() throws -> (SandboxRequest, [UInt8]) {
            var fields = fields
            var conditions = conditions
            let moment = ISO8601.write(date).text.filter { $0 != "-" && $0 != ":" }
            let day = String(moment.prefix(8))
            if isV4 {
                let signed =
                    [
                        ("x-oss-signature-version", "OSS4-HMAC-SHA256"), ("x-oss-date", moment),
                        ("x-oss-credential", "\(keyID)/\(day)/cn-hangzhou/oss/aliyun_v4_request"),
                    ] + (token.map { [("x-oss-security-token", $0)] } ?? [])
                fields += signed
                if namesSigned { conditions += signed.map { #"{"\#($0.0)":"\#($0.1)"}"# } }
            } else {
                fields.append(("OSSAccessKeyId", keyID))
                if let token { fields.append(("x-oss-security-token", token)) }
            }
            let json =
                policy ?? #"{"expiration":"\#(expiration)","conditions":[\#(conditions.joined(separator: ","))]}"#
            let text = Data(json.utf8).base64EncodedString()
            var key = Array((isV4 ? "aliyun_v4" : "").utf8) + Array(secret.utf8)
            for part in isV4 ? [day, "cn-hangzhou", "oss", "aliyun_v4_request"] : [] {
                key = try HMACKey(.sha256, Secret(key)).sign(Array(part.utf8).span).bytes.array
            }
            let code = try HMACKey(isV4 ? .sha256 : .sha1, Secret(key)).sign(Array(text.utf8).span).bytes.array
            fields += [
                ("policy", text),
                isV4
                    ? ("x-oss-signature", Hex.encode(code).text)
                    : ("Signature", Data(code).base64EncodedString()),
            ]
            return OSSFormTests.request(fields, filename, file, end)
        }
    }

    private static func request(
        _ fields: [(String, String)], _ filename: String, _ file: String, _ end: String
    ) -> (SandboxRequest, [UInt8]) {
        var body = fields.map { "--B\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n" }.joined()
        body += "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(filename)\"\r\n"
        body += "Content-Type: text/plain\r\n\r\n\(file)\(end)"
        let request = SandboxRequest(
            Array("POST".utf8), target: Array("/".utf8),
            fields: [
                NameValue("Host", "demo-bucket.oss.localhost"),
                NameValue("Content-Type", "multipart/form-data; boundary=B"),
                // Whatever else is signed is not looked at.
                NameValue("Authorization", "OSS a:b"),
            ])
        return (request, Array(body.utf8))
    }

    private let fixture: OSSFixture

    init() throws { fixture = try OSSFixture(policy: OSSFormTests.sessionPolicy) }

    private static let sessionPolicy =
        #"{"Version":"1","Statement":[{"Effect":"Allow","Action":"oss:PutObject","Resource":"acs:oss:*:*:demo-bucket/forms/*"}]}"#

    private func send(
        at now: Int64 = OSSFixture.now, _ adjust: (inout Form) -> Void = { _ in }
    ) throws -> OSSAnswer {
        var form = Form()
        adjust(&form)
        let (request, body) = try form.request()
        return try fixture.answer(request, body, at: now)
    }

    private func outcome(at now: Int64 = OSSFixture.now, _ adjust: (inout Form) -> Void) throws -> String {
        try send(at: now, adjust).outcome
    }

    @Test(arguments: [false, true])
    func `a form is taken, and its file's name is the key's end`(isV4: Bool) throws {
        #expect(
            try outcome {
                $0.isV4 = isV4; $0.filename = "C:\\\\x\\\\ü b.txt"
            } == "204")
        let object = try fixture.send(OSSTestCall("GET", "forms/ü b.txt"))
        #expect(object.text == "hello" && object.field("Content-Type") == "text/plain")
        #expect(
            try outcome {
                $0.isV4 = isV4; $0.fields.append(("x-oss-meta-a", "1"))
            } == "204")
        #expect(try fixture.send(OSSTestCall("GET", "forms/a.txt")).field("x-oss-meta-a") == "1")
    }

    @Test func `a form whose file comes first is told that the fields behind it are ignored`() throws {
        let field = "\r\n--B\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\nforms/a\r\n--B--\r\n"
        let (first, body) = OSSFormTests.request([], "a.txt", "x", field)
        let answer = try fixture.answer(first, body)
        #expect(answer.outcome == "403 AccessDenied" && answer.text.contains("file must come last"))
        let (last, other) = OSSFormTests.request([("key", "forms/a")], "a.txt", "x", "\r\n--B--\r\n")
        let anonymous = try fixture.answer(last, other)
        #expect(anonymous.outcome == "403 AccessDenied" && !anonymous.text.contains("file must come last"))
    }

    @Test func `the answer is the one that the form asks for`() throws {
        let created = try send { $0.fields.append(("success_action_status", "201")) }
        #expect(created.status == 201 && created.texts("Key") == ["forms/a.txt"])
        #expect(try outcome { $0.fields.append(("success_action_status", "200")) } == "200")
        #expect(try outcome { $0.fields.append(("success_action_status", "404")) } == "204")
        let there = try send { $0.fields.append(("success_action_redirect", "http://localhost/x?y=1")) }
        #expect(there.status == 303)
        #expect(
            there.field("Location")?.hasPrefix("http://localhost/x?y=1&bucket=demo-bucket&key=forms%2Fa.txt&etag=")
                == true)
    }

    @Test(arguments: [false, true])
    func `what the policy does not allow is refused`(isV4: Bool) throws {
        let denied = "403 AccessDenied"
        func outcome(_ adjust: (inout Form) -> Void) throws -> String {
            try self.outcome {
                $0.isV4 = isV4
                adjust(&$0)
            }
        }
        #expect(try outcome { $0.fields = [("key", "other/a")] } == denied)
        #expect(try outcome { $0.conditions[0] = #"{"bucket":"other"}"# } == denied)
        #expect(try outcome { $0.expiration = "2026-01-01T00:00:00.000Z" } == denied)
        #expect(try outcome { $0.expiration = ISO8601.write(OSSFixture.now).text } == "204")
        #expect(try outcome { $0.conditions.append(#"["eq","$x-oss-meta-a","1"]"#) } == denied)
        let range = #"["content-length-range",2,6]"#
        #expect(try outcome { $0.conditions.append(range) } == "204")
        #expect(
            try outcome {
                $0.conditions.append(range); $0.file = "1234567"
            } == "400 EntityTooLarge")
        #expect(
            try outcome {
                $0.conditions.append(range); $0.file = "1"
            } == "400 EntityTooSmall")
        let types = #"["in","$x-oss-content-type",["image/png","image/jpeg"]]"#
        #expect(try outcome { $0.conditions.append(types) } == denied)
        #expect(
            try outcome {
                $0.conditions.append(types)
                $0.fields.append(("x-oss-content-type", "text/html"))
            } == denied)
        #expect(
            try outcome {
                $0.conditions.append(types)
                $0.fields += [("Content-Type", "text/html"), ("x-oss-content-type", "image/png")]
            } == "204")
        #expect(try fixture.send(OSSTestCall("GET", "forms/a.txt")).field("Content-Type") == "image/png")
        #expect(try outcome { $0.conditions.append(#"["not-in","$x-oss-meta-a",["1"]]"#) } == "204")
        #expect(
            try outcome {
                $0.conditions.append(#"["not-in","$x-oss-meta-a",["1"]]"#)
                $0.fields.append(("x-oss-meta-a", "1"))
            } == denied)
        #expect(try outcome { $0.keyID = "nobody" } == "403 InvalidAccessKeyId")
        #expect(try outcome { $0.secret = "other" } == "403 SignatureDoesNotMatch")
        if isV4 {
            #expect(try outcome { $0.namesSigned = false } == denied)
            #expect(try outcome { $0.date -= 604_801 } == denied)
            #expect(try outcome { $0.date -= 604_000 } == "204")
            #expect(try outcome { $0.date += 901 } == "403 RequestTimeTooSkewed")
        }
    }

    @Test(arguments: [
        "", "x", "[]", #"{"conditions":[]}"#, #"{"expiration":"2030-01-01T00:00:00.000Z"}"#,
        #"{"expiration":"2030-01-01","conditions":[]}"#, #"{"expiration":1,"conditions":[]}"#,
        #"{"expiration":"2030-01-01T00:00:00.000Z","conditions":{}}"#,
        #"{"expiration":"2030-01-01T00:00:00.000Z","conditions":["x"]}"#,
        #"{"expiration":"2030-01-01T00:00:00.000Z","conditions":[["eq","key","x"]]}"#,
        #"{"expiration":"2030-01-01T00:00:00.000Z","conditions":[["ends-with","$key","x"]]}"#,
        #"{"expiration":"2030-01-01T00:00:00.000Z","conditions":[["eq","$key",1]]}"#,
        #"{"expiration":"2030-01-01T00:00:00.000Z","conditions":[["eq","$key"]]}"#,
        #"{"expiration":"2030-01-01T00:00:00.000Z","conditions":[["content-length-range",5,1]]}"#,
        #"{"expiration":"2030-01-01T00:00:00.000Z","conditions":[["content-length-range","1","5"]]}"#,
        #"{"expiration":"2030-01-01T00:00:00.000Z","conditions":[["in","$key","x"]]}"#,
    ])
    func `a policy that is none is refused, although it is signed`(policy: String) throws {
        #expect(try outcome { $0.policy = policy } == "400 InvalidPolicyDocument")
    }

    @Test(arguments: [false, true])
    func `a session's form is held to the session's policy`(isV4: Bool) throws {
        func outcome(at now: Int64 = OSSFixture.now, _ adjust: (inout Form) -> Void = { _ in }) throws -> String {
            try self.outcome(at: now) {
                $0.isV4 = isV4
                ($0.keyID, $0.secret, $0.token) = (OSSFixture.sessionID, OSSFixture.sessionSecret, OSSFixture.token)
                $0.conditions = []
                adjust(&$0)
            }
        }
        #expect(try outcome() == "204")
        #expect(try outcome(at: OSSFixture.now + 3599) == "204")
        #expect(try outcome(at: OSSFixture.now + 3600) == "403 SecurityTokenExpired")
        for key in ["other/a", "forms", "x:demo-bucket/forms/a", "${filename}", "other/${filename}"] {
            let found = try outcome {
                $0.fields = [("key", key)]
                // Its folders are no part of the key.
                $0.filename = "forms/a"
            }
            #expect(found == "403 AccessDenied", "\(key)")
        }
        #expect(
            try outcome { ($0.keyID, $0.secret) = (OSSFixture.keyID, OSSFixture.secret) } == "403 InvalidSecurityToken")
        #expect(try outcome { $0.token = nil } == "403 InvalidAccessKeyId")
        #expect(try outcome { $0.token = "other" } == "403 InvalidSecurityToken")
    }

    @Test func `a form that is no whole form leaves nothing`() throws {
        let (request, body) = try Form().request()
        for count in stride(from: 0, to: body.count - 4, by: 7) {
            do {
                let answer = try fixture.answer(request, Array(body[..<count]))
                #expect(answer.status >= 400)
            } catch let fault as BodyReader.Fault {
                #expect(fault == .malformed("the form does not end with its boundary") || fault != .interrupted)
            }
            #expect(fixture.side.store.object(Array("forms/a.txt".utf8), in: Array("demo-bucket".utf8)) == nil)
        }
        var pieces = [body]
        let cut = BodyReader(length: body.count + 1) { () throws(BodyReader.Fault) in
            guard let piece = pieces.popLast() else { throw .interrupted }
            return piece
        }
        #expect(throws: BodyReader.Fault.interrupted) {
            _ = try fixture.side.answer(request, cut, at: OSSFixture.now)
        }
        #expect(fixture.side.store.object(Array("forms/a.txt".utf8), in: Array("demo-bucket".utf8)) == nil)
        #expect(try outcome { $0.fields.append(("key", "forms/b")) } == "400 MalformedPOSTRequest")
        #expect(try outcome { $0.fields = [] } == "403 AccessDenied")
        #expect(
            try outcome {
                $0.fields = []; $0.conditions = []
            } == "400 InvalidArgument")
        let (unsigned, content) = OSSFormTests.request([("key", "forms/a")], "a", "x", "\r\n--B--\r\n")
        #expect(try fixture.answer(unsigned, content).outcome == "403 AccessDenied")
        let forbid = ("x-oss-forbid-overwrite", "true")
        #expect(try outcome { $0.fields.append(forbid) } == "204")
        #expect(try outcome { $0.fields.append(forbid) } == "409 FileAlreadyExists")
    }

    @Test func `the bucket of a policy is the one that the form came to, whatever a field says`() throws {
        try fixture.side.store.makeBucket(Array("other-bucket".utf8))
        var form = Form()
        form.fields.append(("bucket", "demo-bucket"))
        var (request, body) = try form.request()
        #expect(try fixture.answer(request, body).outcome == "204")
        request.set("Host", "other-bucket.oss.localhost")
        #expect(try fixture.answer(request, body).outcome == "403 AccessDenied")
        #expect(fixture.side.store.object(Array("forms/a.txt".utf8), in: Array("other-bucket".utf8)) == nil)
    }

    @Test(arguments: ["x-oss-meta-a\nSet-Cookie: b", "x-oss-meta-a b", "x-oss-meta-a:", "x-oss-meta-ü"])
    func `a form's field that could be no field of an answer is refused`(name: String) throws {
        #expect(try outcome { $0.fields.append((name, "1")) } == "400 MalformedPOSTRequest")
        #expect(try outcome { $0.fields.append(("x:ü b", "1")) } == "204")
    }

    @Test func `fields are held up to a limit, however many there are`() throws {
        let long = String(repeating: "a", count: 2 << 20)
        #expect(try outcome { $0.fields += (1...3).map { ("f\($0)", long) } } == "204")
        #expect(try outcome { $0.fields += (1...4).map { ("f\($0)", long) } } == "400 EntityTooLarge")
        #expect(try outcome { $0.fields.append(("f", long + "a")) } == "400 EntityTooLarge")
    }
}
