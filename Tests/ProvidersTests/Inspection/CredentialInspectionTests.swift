import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// What is told of temporary keys, of calls to STS, and of JWTs.
@Suite struct CredentialInspectionTests {
    private let now = InspectionSample.now

    // MARK: Temporary keys

    private func answer(_ accessKey: String = "STS.AKID", end: Int64? = nil) -> String {
        """
        {"StatusCode":200,"Code":"Success","AccessKeyId":"\(accessKey)","AccessKeySecret":"SECRET-OF-THE-SESSION",
         "SecurityToken":"TOKEN-OF-THE-SESSION","Expiration":"\(ISO8601.write(end ?? now + 3600).text)"}
        """
    }

    @Test func `a temporary key is understood, and neither its secret nor its token is told`() throws {
        for text in [answer(), "{\"RequestId\":\"1\",\"Credentials\":\(answer())}"] {
            let inspection = try InspectionSample.inspect(text)
            #expect(inspection.kind == "STS credential" && inspection.verdict == .unverified)
            #expect(inspection[fact: "access key"] == "STS.AKID" && inspection.endsAt == now + 3600)
            #expect(!"\(inspection)".contains("OF-THE-SESSION"))
        }
        #expect(try InspectionSample.inspect(answer("STS.SANDBOX1"))[fact: "from"]?.contains("sandbox") == true)
    }

    @Test func `a temporary key is refused for what is wrong with it`() throws {
        try InspectionSample.expectRefusal(answer(end: now - 1), "expiry", "ended 1 s ago")
        try InspectionSample.expectRefusal(answer("LTAI1"), "access key", "STS.")
        try InspectionSample.expectRefusal(answer().replacing("Z\"", with: ".000Z\""), "form", "no other form")
        try InspectionSample.expectRefusal(
            answer().replacing("AccessKeyId", with: "accessKeyId"), "form", "AccessKeyId")
        try InspectionSample.expectRefusal(answer().replacing("TOKEN-OF", with: "TOKEN OF"), "form", "visible ASCII")
    }

    @Test func `a session of AWS is understood in each of its forms, and refused for what is wrong with it`() throws {
        let end = ISO8601.write(now + 3600).text
        let members =
            "\"AccessKeyId\":\"ASIA1\",\"SecretAccessKey\":\"SECRET-OF-THE-SESSION\","
            + "\"SessionToken\":\"TOKEN-OF-THE-SESSION\",\"Expiration\":\"\(end)\""
        let companion = "{\"credentials\":{\(members)},\"bucket\":\"media\",\"region\":\"eu-west-1\"}"
        let own = companion.replacing("\"A", with: "\"a").replacing("\"Se", with: "\"se").replacing("\"E", with: "\"e")
            .replacing("aSIA1", with: "ASIA1")
        for text in ["{\"Version\":1,\(members)}", companion, own] {
            let inspection = try InspectionSample.inspect(text)
            #expect(inspection.kind == "AWS session credential" && inspection.verdict == .unverified)
            #expect(inspection[fact: "access key"] == "ASIA1" && inspection.endsAt == now + 3600)
            #expect(!"\(inspection)".contains("OF-THE-SESSION"))
        }
        try InspectionSample.expectRefusal(companion.replacing("ASIA1", with: "AKIA1"), "access key", "permanent")
        try InspectionSample.expectRefusal(companion.replacing("TOKEN-OF", with: "TOKEN OF"), "form", "visible ASCII")
        try InspectionSample.expectRefusal(companion.replacing("Expiration", with: "Expires"), "form", "Expiration")
        try InspectionSample.expectRefusal(companion.replacing(end, with: "tomorrow"), "form", "such as")
    }

    // MARK: Calls

    private func call() throws -> String {
        let date = ISO8601.write(now)
        let headers = [
            NameValue("x-acs-action", "AssumeRole"), NameValue("x-acs-date", date),
            NameValue("x-acs-version", "2015-04-01"),
        ]
        let call = UpstreamCall(
            .post, authority: Array("sts.aliyuncs.com".utf8), path: Array("/".utf8),
            query: [NameValue("RoleArn", "acs:ram::1:role/a b")], headers: headers, body: Array("a=b".utf8))
        let key = try InspectionSample.key()
        let authorization = try ACS3Signature.authorization(for: call, accessKeyID: key.accessKey, key.sha256)
        return "POST /?RoleArn=acs%3Aram%3A%3A1%3Arole%2Fa%20b HTTP/1.1\r\nHost: sts.aliyuncs.com\r\nUser-Agent: x\r\n"
            + headers.map { "\($0.name.text): \($0.value.text)\r\n" }.joined()
            + "Authorization: \(authorization.text)\r\n\r\na=b"
    }

    @Test func `a signed call is genuine, and refused one edit away`() throws {
        let call = try call()
        try InspectionSample.expectGenuine(call, "ACS3 Authorization", until: now + 900)
        #expect(try InspectionSample.inspect(call)[fact: "action"] == "AssumeRole")
        try InspectionSample.expectRefusal(call.replacing("a=b", with: "a=c"), "signature", "its body")
        try InspectionSample.expectRefusal(call.replacing("role%2Fa", with: "role%2Fb"), "signature", "this request")
        try InspectionSample.expectRefusal(
            call.replacing("2015-04-01", with: "2015-04-02"), "signature", "this request")
        try InspectionSample.expectRefusal(call.replacing("AKID", with: "AKIE"), "access key", "no credential")
        try InspectionSample.expectRefusal(
            call.replacing("x-acs-version:", with: "x-acs-ver:"), "form", "SignedHeaders")
        try InspectionSample.expectRefusal(call.replacing("Signature=", with: "Sign="), "form", "Signature")
    }

    // MARK: JWTs

    private func encoded(_ text: String) -> String {
        Base64.urlSafe.encode(Array(text.utf8)).text.replacing("=", with: "")
    }

    private func token(_ claims: String, header: String = #"{"alg":"HS256","kid":"k1"}"#) -> String {
        "\(encoded(header)).\(encoded(claims)).c2lnbmF0dXJl"
    }

    private func inspect(_ text: String, at now: Int64 = InspectionSample.now) throws -> Inspection {
        let inspection = InspectedJWT.inspect(
            try InspectionInput(reading: Array(text.utf8)), at: now, leeway: { $0.text == "i" ? 5 : 0 },
            judge: { token, inspection in
                inspection.tell("judged", token)
                inspection.holds("signature")
            })
        return try #require(inspection)
    }

    @Test func `a JWT tells its claims, and whoever knows the issuers says whether it is signed`() throws {
        let claims = #"{"iss":"i","sub":"42","exp":\#(now + 60),"scope":["upload"]}"#
        for text in [token(claims), "Bearer \(token(claims))", "Authorization: Bearer \(token(claims))"] {
            let inspection = try inspect(text)
            #expect(inspection.verdict == .genuine && inspection.endsAt == now + 60)
            #expect(inspection[fact: "header.kid"] == "k1" && inspection[fact: "claims.sub"] == "42")
            #expect(inspection[fact: "claims.scope"] == #"["upload"]"#)
            #expect(inspection[fact: "judged"] == token(claims))
        }
        #expect(try inspect(token(claims), at: now + 64).verdict == .genuine)
        #expect(try inspect(token(claims), at: now + 65).verdict == .refused)
        #expect(try inspect(token(claims.replacing("\"i\"", with: "\"j\"")), at: now + 60).verdict == .refused)
    }

    @Test(
        arguments: [
            (#"{"exp":1794999999}"#, #"{"alg":"HS256"}"#, "expiry"), ("{}", #"{"alg":"HS256"}"#, "expiry"),
            (#"{"exp":1795000060.5,"nbf":1795000001}"#, #"{"alg":"HS256"}"#, "nbf"),
            (#"{"exp":1795000060,"nbf":"1"}"#, #"{"alg":"HS256"}"#, "nbf"),
        ])
    func `a JWT that nobody would take is refused`(claims: String, header: String, check: String) throws {
        let inspection = try inspect(token(claims, header: header))
        #expect(inspection.verdict == .refused)
        #expect(inspection.checks.filter { $0.outcome == .fails }.map(\.name) == [check])
    }

    @Test func `a JWT without a signature is refused`() throws {
        let unsigned = token("{\"exp\":\(now + 60)}").split(separator: ".").dropLast().joined(separator: ".") + "."
        let checks = try inspect(unsigned).checks.filter { $0.outcome == .fails }
        #expect(checks.map(\.name) == ["signature"])
    }

    @Test(arguments: ["a.b", "a.b.c", "e30.e30.e30", "..", "eyJhbGciOiJIUzI1NiJ9..", "eyJhbGciOiJIUzI1NiJ9.W10.e30"])
    func `other texts with dots are no JWTs`(text: String) throws {
        let input = try InspectionInput(reading: Array(text.utf8))
        let inspection = InspectedJWT.inspect(input, at: now, leeway: { _ in 0 }, judge: { _, _ in })
        #expect(inspection == nil)
    }
}
