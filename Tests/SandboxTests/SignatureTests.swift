import HTTP
import TestTraits
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// What a signature must cover and say, beside being right.
@Suite struct SignatureTests {
    @Test(arguments: Call.Scheme.allCases)
    func `GET and POST, query and form are answered`(scheme: Call.Scheme) throws {
        for method in [Method.get, .post] {
            for isForm in [false, true] {
                let call = Call(scheme) { ($0.method, $0.isForm) = (method, isForm) }
                #expect(try Fixture.code(call) == "200", "\(method) \(isForm)")
            }
        }
    }

    @Test(arguments: Call.Scheme.allCases)
    func `other methods and paths are refused`(scheme: Call.Scheme) throws {
        for method in ["HEAD", "OPTIONS", "PUT", "get"] {
            var request = try Call(scheme).request()
            request.method = Array(method.utf8)
            #expect(Fixture.code(request) == "UnsupportedHTTPMethod")
        }
        var request = try Call(scheme).request()
        request.target = Array("/x".utf8) + request.target.dropFirst()
        #expect(Fixture.code(request) == "InvalidAction.NotFound")
    }

    @Test(arguments: Call.Scheme.allCases)
    func `a time of 15 minutes off is accepted, one more second is not`(scheme: Call.Scheme) throws {
        for (offset, code) in [
            (-901, "InvalidTimeStamp.Expired"), (-900, "200"), (900, "200"), (901, "InvalidTimeStamp.Expired"),
            (-86_400 * 365, "InvalidTimeStamp.Expired"),
        ] as [(Int64, String)] {
            #expect(try Fixture.code(Call(scheme) { $0.time += offset }) == code, "\(offset)")
        }
    }

    @Test(
        arguments: Call.Scheme.allCases,
        ["2026-08-29", "2026-08-29T10:00:00+00:00", "2026-02-30T10:00:00Z", "1788000000"])
    func `a time in another form is refused`(scheme: Call.Scheme, time: String) throws {
        let name = scheme == .acs3 ? "x-acs-date" : "Timestamp"
        #expect(try Fixture.code(Call(scheme) { $0.overrides = [name: time] }) == "InvalidTimeStamp.Format")
    }

    @Test(arguments: Call.Scheme.allCases)
    func `an unknown key is not found, and a wrong secret does not match`(scheme: Call.Scheme) throws {
        #expect(try Fixture.code(Call(scheme) { $0.keyID = "LTAIother" }) == "InvalidAccessKeyId.NotFound")
        var sts = SandboxSTS(Fixture.settings)
        let answer = sts.answer(try Call(scheme) { $0.secret = "wrong" }.request(), at: Fixture.now)
        #expect(answer.status == 400)
        #expect(answer.text("Code") == "SignatureDoesNotMatch")
        // What both sides need to find the difference, and not the secret.
        let message = try #require(answer.text("Message"))
        #expect(message.contains(scheme == .acs3 ? "x-acs-action:AssumeRole\n" : "POST&%2F&AccessKeyId%3D"))
        #expect(!answer.body.text.contains(Fixture.secret))
    }

    @Test(arguments: Call.Scheme.allCases)
    func `a nonce is good once, and a bad signature does not use it up`(scheme: Call.Scheme) throws {
        var sts = SandboxSTS(Fixture.settings)
        let good = try Call(scheme) { $0.nonce = "n1" }.request()
        #expect(
            sts.code(try Call(scheme) { ($0.nonce, $0.secret) = ("n1", "wrong") }.request()) == "SignatureDoesNotMatch")
        #expect(sts.code(good) == "200")
        #expect(sts.code(good) == "SignatureNonceUsed")
        // Another request with it, signed anew, is no better.
        let other = try Call(scheme) { ($0.nonce, $0.parameters[1].1) = ("n1", "bob") }.request()
        #expect(sts.code(other) == "SignatureNonceUsed")
        #expect(sts.code(try Call(scheme) { $0.nonce = "n2" }.request()) == "200")
        // As long as it could be sent again, and then its time has passed.
        #expect(sts.code(good, at: Fixture.now + 900) == "SignatureNonceUsed")
        #expect(sts.code(good, at: Fixture.now + 901) == "InvalidTimeStamp.Expired")
    }

    @Test func `a nonce is one, whichever signature it comes with`() throws {
        var sts = SandboxSTS(Fixture.settings)
        #expect(sts.code(try Call(.acs3) { $0.nonce = "n" }.request()) == "200")
        #expect(sts.code(try Call(.rpc) { $0.nonce = "n" }.request()) == "SignatureNonceUsed")
    }

    @Test func `two callers may use the same nonce`() throws {
        var settings = Fixture.settings
        settings.callers.append(Fixture.caller("LTAItwo", "2"))
        var sts = SandboxSTS(settings)
        #expect(sts.code(try Call { $0.nonce = "n" }.request()) == "200")
        #expect(sts.code(try Call { ($0.nonce, $0.keyID, $0.secret) = ("n", "LTAItwo", "2") }.request()) == "200")
    }

    @Test(arguments: Call.Scheme.allCases)
    func `a parameter error comes after the signature, and uses the nonce up`(scheme: Call.Scheme) throws {
        var sts = SandboxSTS(Fixture.settings)
        let bad = try Call(scheme) { ($0.nonce, $0.parameters) = ("n", []) }.request()
        #expect(sts.code(bad) == "MissingParameter.RoleArn")
        #expect(sts.code(try Call(scheme) { $0.nonce = "n" }.request()) == "SignatureNonceUsed")
        #expect(try Fixture.code(Call(scheme) { ($0.parameters, $0.secret) = ([], "x") }) == "SignatureDoesNotMatch")
    }

    @Test(arguments: Call.Scheme.allCases)
    func `another action or version is refused`(scheme: Call.Scheme) throws {
        let (action, version) = scheme == .acs3 ? ("x-acs-action", "x-acs-version") : ("Action", "Version")
        #expect(
            try Fixture.code(Call(scheme) { $0.overrides = [action: "GetCallerIdentity"] }) == "InvalidAction.NotFound")
        #expect(try Fixture.code(Call(scheme) { $0.overrides = [version: "2014-05-26"] }) == "InvalidVersion")
    }

    @Test(arguments: Call.Scheme.allCases)
    func `a parameter that is there twice is refused, even in query and form`(scheme: Call.Scheme) throws {
        let twice = Call(scheme) { $0.parameters.append(("RoleArn", Fixture.role)) }
        #expect(try Fixture.code(twice) == "InvalidParameter")
        var request = try Call(scheme) { $0.isForm = true }.request()
        request.target = Array("/?RoleSessionName=alice".utf8)
        #expect(Fixture.code(request) == "InvalidParameter")
    }

    @Test(arguments: ["/?a=%", "/?a=%f", "/?%zz=1", "/?a=%FF", "/?%C3=1"])
    func `what is no percent-encoded UTF-8 is refused`(target: String) throws {
        for scheme in Call.Scheme.allCases {
            var request = try Call(scheme) { $0.isForm = true }.request()
            request.target = Array(target.utf8)
            #expect(Fixture.code(request) == "InvalidParameter")
        }
    }

    @Test(arguments: Call.Scheme.allCases)
    func `a plus is a space, a bare name is empty, and empty pairs are nothing`(scheme: Call.Scheme) throws {
        let call = Call(scheme) { $0.parameters += [("X", "a b"), ("Y", "")] }
        var request = try call.request()
        let text = request.target.text.replacing("X=a%20b", with: "X=a+b").replacing("&Y=", with: "&Y&")
        request.target = Array(text.utf8)
        #expect(Fixture.code(request) == "200", "\(text)")
    }
}

/// Whatever comes is answered.
@Suite struct NonsenseTests {
    @Test func `requests of random pieces are refused one by one`() {
        var sts = SandboxSTS(Fixture.settings)
        let pieces = [
            "ACS3-HMAC-SHA256", " ", "Credential=", "SignedHeaders=", "Signature=", ",", ";", "=", "&", "%", "%4",
            "%C3", "+", "?",
            "/", "host", "x-acs-date", "Action", "AssumeRole", "AccessKeyId", "Policy", "{", "\"", "\n", "é", "\0",
            "9223372036854775808",
            "2026-08-29T10:00:00Z", "RoleArn", "acs:ram::1:role/", "Authorization", "content-type", ":",
        ]
        var random = SplitMix64(seed: 15)
        func text() -> [UInt8] {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                bytes += Array((pieces.randomElement(using: &random) ?? "").utf8)
            }
            if Bool.random(using: &random) { bytes.append(UInt8.random(in: 0...255, using: &random)) }
            return bytes
        }
        for _ in 0..<Rounds.share(of: 10_000) {
            let count = Int.random(in: 0..<5, using: &random)
            var fields = (0..<count).map { _ in NameValue(text(), text()) }
            if Bool.random(using: &random) { fields.append(NameValue(Array("Authorization".utf8), text())) }
            if Bool.random(using: &random) { fields.append(Call.form) }
            let isGet = Bool.random(using: &random)
            let request = SandboxRequest(
                Array((isGet ? "GET" : "POST").utf8), target: Array("/?".utf8) + text(), fields: fields, body: text())
            let answer = sts.answer(request, at: Fixture.now)
            #expect((400..<500).contains(answer.status))
            #expect(answer.names().count == 5)
        }
        #expect(sts.nonces.count == 0)
    }
}

@Suite struct ACS3Tests {
    @Test(arguments: [
        ("x-acs-action", "MissingAction"), ("x-acs-version", "MissingVersion"), ("x-acs-date", "MissingTimestamp"),
        ("x-acs-signature-nonce", "MissingSignatureNonce"), ("x-acs-content-sha256", "MissingContentSha256"),
        ("host", "IncompleteSignature"), ("authorization", "MissingAccessKeyId"),
    ])
    func `each field is needed`(name: String, code: String) throws {
        #expect(try Fixture.code(Call { $0.overrides = [name: nil] }) == code)
        if name != "host", name != "authorization" {
            #expect(try Fixture.code(Call { $0.overrides = [name: ""] }) == code)
        }
    }

    @Test(arguments: [
        "host", "x-acs-action", "x-acs-version", "x-acs-date", "x-acs-signature-nonce", "x-acs-content-sha256",
        "x-acs-anything", "content-type",
    ])
    func `each field that is sent must be signed`(name: String) throws {
        let fields = ["x-acs-anything", "content-type"].contains(name) ? [(name, "text/plain")] : []
        #expect(try Fixture.code(Call { $0.fields = fields }) == "200")
        #expect(try Fixture.code(Call { ($0.fields, $0.unsigned) = (fields, [name]) }) == "IncompleteSignature")
    }

    @Test func `other fields need not be signed, and may change`() throws {
        let fields = [("accept", "application/json"), ("user-agent", "curl/8 (x; y)")]
        #expect(try Fixture.code(Call { $0.fields = fields }) == "200")
        var request = try Call { ($0.fields, $0.unsigned) = (fields, ["accept", "user-agent"]) }.request()
        request.fields.append(Call.field("Accept", "*/*"))
        request.fields.append(Call.field("Via", "1.1 proxy"))
        #expect(Fixture.code(request) == "200")
    }

    @Test func `field names are found in any case, values without the space around them`() throws {
        var request = try Call().request()
        request.fields = request.fields.map {
            NameValue(Array($0.name.text.uppercased().utf8), Array(" \t\($0.value.text) ".utf8))
        }
        #expect(Fixture.code(request) == "200")
    }

    @Test func `the host is signed as it was sent, with its port`() throws {
        let call = Call { $0.overrides = ["host": "127.0.0.1:8443"] }
        #expect(try Fixture.code(call) == "200")
        for other in ["127.0.0.1", "127.0.0.1:8444", "localhost:8443", "127.0.0.1:08443"] {
            var request = try call.request()
            request.fields = request.fields.map { $0.name.text == "host" ? Call.field("host", other) : $0 }
            #expect(Fixture.code(request) == "SignatureDoesNotMatch")
        }
    }

    @Test(arguments: [
        "ACS3-HMAC-SHA256", "Bearer abc", "acs key:code", "ACS3-HMAC-SHA256 ",
        "acs3-hmac-sha256 Credential=ID,SignedHeaders=NAMES,Signature=CODE",
        "ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=NAMES",
        "ACS3-HMAC-SHA256 Credential=,SignedHeaders=NAMES,Signature=CODE",
        "ACS3-HMAC-SHA256 Credential=ID,Signature=CODE,SignedHeaders=NAMES",
        "ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=NAMES,Signature=CODE,",
        "ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=NAMES,Signature=CODE,Signature=CODE",
        "ACS3-HMAC-SHA256  Credential=ID,SignedHeaders=NAMES,Signature=CODE",
        "ACS3-HMAC-SHA256 Credential=ID, SignedHeaders=NAMES, Signature=CODE",
        "ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=,Signature=CODE",
        "ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=;NAMES,Signature=CODE",
        "ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=NAMES;,Signature=CODE",
        "ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=NAMES;x-never-sent,Signature=CODE",
        "ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=Host;NAMES,Signature=CODE",
        "ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=host;NAMES,Signature=CODE",
        "ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=NAMES;a,Signature=CODE",
    ])
    func `an authorization in another form is incomplete`(text: String) throws {
        let call = Call { $0.overrides = ["authorization": text.replacing("ID", with: Fixture.keyID)] }
        #expect(try Fixture.code(call) == "IncompleteSignature")
    }

    @Test func `the same template in the right form is accepted`() throws {
        let text = "ACS3-HMAC-SHA256 Credential=\(Fixture.keyID),SignedHeaders=NAMES,Signature=CODE"
        #expect(try Fixture.code(Call { $0.overrides = ["authorization": text] }) == "200")
    }

    @Test(arguments: ["ACS3-HMAC-SM3", "ACS3-RSA-SHA256"]) func `other algorithms are not supported`(name: String)
        throws
    {
        let text = "\(name) Credential=\(Fixture.keyID),SignedHeaders=NAMES,Signature=CODE"
        #expect(try Fixture.code(Call { $0.overrides = ["authorization": text] }) == "InvalidSignatureMethod")
    }

    @Test func `a signature in upper case is another`() throws {
        var request = try Call().request()
        request.fields = request.fields.map { field in
            guard field.name.text == "Authorization" else { return field }
            let parts = field.value.text.split(separator: "Signature=")
            return Call.field("Authorization", parts[0] + "Signature=" + parts[1].uppercased())
        }
        #expect(Fixture.code(request) == "SignatureDoesNotMatch")
    }

    @Test func `the body must be the one whose digest was signed`() throws {
        for isForm in [false, true] {
            var request = try Call { $0.isForm = isForm }.request()
            request.body.append(UInt8(ascii: "&"))
            #expect(Fixture.code(request) == "SignatureDoesNotMatch")
        }
        // The digest of the body that came, but not signed as such.
        var request = try Call { $0.isForm = true }.request()
        request.body = Array("RoleArn=x".utf8)
        let hash = Hex.encode(try Digest(.sha256, of: request.body.span).bytes.array).text
        request.fields = request.fields.map {
            $0.name.text == "x-acs-content-sha256" ? Call.field("x-acs-content-sha256", hash) : $0
        }
        #expect(Fixture.code(request) == "SignatureDoesNotMatch")
    }

    @Test func `a body that is no form holds no parameters`() throws {
        let call = Call { call in
            call.isForm = true
            call.overrides = ["content-type": "application/json"]
        }
        #expect(try Fixture.code(call) == "MissingParameter.RoleArn")
    }

    @Test func `the key beside the authorization must be the same`() throws {
        #expect(try Fixture.code(Call { $0.fields = [("x-acs-accesskey-id", Fixture.keyID)] }) == "200")
        #expect(try Fixture.code(Call { $0.fields = [("x-acs-accesskey-id", "other")] }) == "SignatureDoesNotMatch")
    }
}

@Suite struct RPCTests {
    @Test(arguments: [
        ("Action", "MissingAction"), ("Version", "MissingVersion"), ("AccessKeyId", "MissingAccessKeyId"),
        ("SignatureMethod", "MissingSignatureMethod"), ("SignatureVersion", "MissingSignatureVersion"),
        ("SignatureNonce", "MissingSignatureNonce"), ("Timestamp", "MissingTimestamp"),
        ("Signature", "MissingSignature"), ("Format", "InvalidParameter.Format"),
    ])
    func `each common parameter is needed`(name: String, code: String) throws {
        #expect(try Fixture.code(Call(.rpc) { $0.overrides = [name: nil] }) == code)
        #expect(try Fixture.code(Call(.rpc) { $0.overrides = [name: ""] }) == code)
    }

    @Test(arguments: [
        ("SignatureMethod", "HMAC-SHA256", "InvalidSignatureMethod"),
        ("SignatureVersion", "2.0", "InvalidSignatureVersion"),
        ("SignatureType", "BEARERTOKEN", "InvalidSignatureType"), ("Format", "XML", "InvalidParameter.Format"),
        ("Format", "json", "InvalidParameter.Format"), ("Signature", "AAAA", "SignatureDoesNotMatch"),
    ])
    func `each must say what is supported`(name: String, value: String, code: String) throws {
        #expect(try Fixture.code(Call(.rpc) { $0.overrides = [name: value] }) == code)
    }

    @Test func `an empty signature type is allowed`() throws {
        #expect(try Fixture.code(Call(.rpc) { $0.overrides = ["SignatureType": ""] }) == "200")
    }

    @Test func `a parameter that was not signed is refused`() throws {
        var request = try Call(.rpc).request()
        request.target += Array("&DurationSeconds=43200".utf8)
        #expect(Fixture.code(request) == "SignatureDoesNotMatch")
        request = try Call(.rpc) { $0.isForm = true }.request()
        request.target = Array("/?DurationSeconds=43200".utf8)
        #expect(Fixture.code(request) == "SignatureDoesNotMatch")
    }

    @Test func `fields of ACS3 beside it are passed over, as long as none of them authorises`() throws {
        var request = try Call(.rpc).request()
        request.fields += [Call.field("x-acs-action", "AssumeRole"), Call.field("x-acs-version", "2015-04-01")]
        #expect(Fixture.code(request) == "200")
        request.fields.append(Call.field("Authorization", "ACS3-HMAC-SHA256 Credential=a,SignedHeaders=b,Signature=c"))
        #expect(Fixture.code(request) != "200")
    }

    @Test func `a request without any signature is told what is missing`() {
        let request = SandboxRequest(Array("GET".utf8), target: Array("/".utf8), fields: [Call.field("Host", "h")])
        #expect(Fixture.code(request) == "MissingAction")
    }
}
