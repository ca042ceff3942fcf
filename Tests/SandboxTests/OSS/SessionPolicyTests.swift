import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// What a session may do, by its policy.
@Suite struct SessionPolicyTests {
    private static func policy(_ statements: String...) -> String {
        #"{"Version":"1","Statement":["# + statements.joined(separator: ",") + "]}"
    }

    private static let uploads = policy(
        """
        {"Effect":"Allow","Action":["oss:PutObject","oss:AbortMultipartUpload","oss:ListParts"],
         "Resource":["acs:oss:*:*:demo-bucket/user/1/*"]}
        """,
        """
        {"Effect":"Allow","Action":"oss:ListObjects","Resource":"acs:oss:*:*:demo-bucket",
         "Condition":{"StringLike":{"oss:Prefix":["user/1/*"]}}}
        """)

    @Test(arguments: OSSTestCall.Scheme.allCases)
    func `uploads and listings below a prefix, and nothing else`(scheme: OSSTestCall.Scheme) throws {
        let fixture = try OSSFixture(policy: SessionPolicyTests.uploads)
        func outcome(
            _ method: String, _ key: String?, _ query: [(String, String)] = [], _ fields: [(String, String)] = []
        )
            throws -> String
        {
            try fixture.outcome(
                OSSTestCall(method, key) {
                    $0.scheme = scheme
                    $0.bySession()
                    $0.query = query
                    $0.fields = fields
                })
        }
        let denied = "403 AccessDenied"
        #expect(try outcome("PUT", "user/1/a") == "200")
        #expect(try outcome("POST", "user/1/a", [("uploads", "")]) == "200")
        #expect(try outcome("GET", "user/1/a", [("uploadId", "x")]) == "404 NoSuchUpload")
        #expect(try outcome("GET", nil, [("prefix", "user/1/")]) == "200")
        #expect(try outcome("GET", nil, [("prefix", "user/1/a"), ("list-type", "2")]) == "200")
        for (method, key) in [
            ("PUT", "user/10/a"), ("PUT", "user/1"), ("PUT", "User/1/a"), ("GET", "user/1/a"), ("HEAD", "user/1/a"),
            ("DELETE", "user/1/a"), ("PUT", nil),
        ] {
            #expect(try outcome(method, key) == denied, "\(method) \(key ?? "")")
        }
        for prefix in ["", "user/", "user/1", "user/10/", "*"] {
            #expect(try outcome("GET", nil, [("prefix", prefix)]) == denied, "\(prefix)")
        }
        #expect(try outcome("GET", nil) == denied)
        #expect(try outcome("GET", nil, [("uploads", ""), ("prefix", "user/1/")]) == denied)
        #expect(try outcome("GET", nil, [("bucketInfo", "")]) == denied)
        #expect(try outcome("POST", "user/2/a", [("uploads", "")]) == denied)
        // A copy reads, too.
        #expect(try outcome("PUT", "user/1/b", [], [("x-oss-copy-source", "/demo-bucket/user/1/a")]) == denied)
    }

    @Test(arguments: ["demo-bucket", "other-bucket"], OSSTestCall.Scheme.allCases)
    func `a key with colons does not pass for another bucket's or account's`(bucket: String, scheme: OSSTestCall.Scheme)
        throws
    {
        let fixture = try OSSFixture(policy: SessionPolicyTests.uploads)
        #expect(try fixture.outcome(OSSTestCall("PUT") { $0.bucket = "other-bucket" }) == "200")
        for key in ["x:demo-bucket/user/1/a", "a:b:demo-bucket/user/1/a", ":demo-bucket/user/1/a"] {
            let call = OSSTestCall("PUT", key) {
                $0.bucket = bucket
                $0.scheme = scheme
                $0.bySession()
            }
            #expect(try fixture.outcome(call) == "403 AccessDenied", "\(key)")
        }
        #expect(try fixture.outcome(OSSTestCall("PUT", "user/1/a:b") { $0.bySession() }) == "200")
    }

    @Test(arguments: [
        ("oss:ListBuckets", "acs:oss:*:*:*", "200", "403 AccessDenied"),
        ("oss:ListBuckets", "acs:oss:*:*:demo-bucket", "403 AccessDenied", "403 AccessDenied"),
        ("oss:ListBuckets", "acs:oss:*:*:*/*", "403 AccessDenied", "403 AccessDenied"),
        ("oss:PutBucket", "acs:oss:*:*:new-bucket", "403 AccessDenied", "200"),
        ("oss:PutBucket", "acs:oss:*:*:new-bucket/*", "403 AccessDenied", "403 AccessDenied"),
        ("OSS:PUTBUCKET", "acs:oss:*:*:new-?ucket", "403 AccessDenied", "200"),
        ("oss:PutBucket", "acs:oss:*:999:new-bucket", "403 AccessDenied", "403 AccessDenied"),
        ("oss:*", "acs:OSS:*:*:*", "403 AccessDenied", "403 AccessDenied"),
        ("oss:*", "acs:oss:*:*:${acs:account}", "403 AccessDenied", "403 AccessDenied"),
    ])
    func `buckets are listed and made where the policy says so`(
        action: String, resource: String, listing: String, making: String
    ) throws {
        let fixture = try OSSFixture(
            policy: SessionPolicyTests.policy(#"{"Effect":"Allow","Action":"\#(action)","Resource":"\#(resource)"}"#))
        func outcome(_ method: String, _ bucket: String?) throws -> String {
            try fixture.outcome(
                OSSTestCall(method) {
                    $0.bucket = bucket
                    $0.bySession()
                })
        }
        #expect(try outcome("GET", nil) == listing)
        #expect(try outcome("PUT", "new-bucket") == making)
    }

    @Test(arguments: [true, false])
    func `what is denied is denied, in whatever order the statements stand`(isDeniedFirst: Bool) throws {
        let statements = [
            #"{"Effect":"Deny","Action":"oss:GetObject","Resource":"acs:oss:*:*:demo-bucket/a"}"#,
            #"{"Effect":"Allow","Action":"oss:*","Resource":"acs:oss:*:*:demo-bucket/*"}"#,
        ]
        let ordered = isDeniedFirst ? statements : statements.reversed()
        let fixture = try OSSFixture(policy: SessionPolicyTests.policy(ordered[0], ordered[1]))
        for key in ["a", "b"] { #expect(try fixture.outcome(OSSTestCall("PUT", key) { $0.bySession() }) == "200") }
        #expect(try fixture.outcome(OSSTestCall("GET", "a") { $0.bySession() }) == "403 AccessDenied")
        #expect(try fixture.outcome(OSSTestCall("GET", "b") { $0.bySession() }) == "200")
        // Nor by way of a copy.
        let copy = OSSTestCall("PUT", "c") {
            $0.fields = [("x-oss-copy-source", "/demo-bucket/a")]
            $0.bySession()
        }
        #expect(try fixture.outcome(copy) == "403 AccessDenied")
    }

    @Test func `objects that are deleted together are looked at one by one`() throws {
        let fixture = try OSSFixture(
            policy: SessionPolicyTests.policy(
                #"{"Effect":"Allow","Action":"oss:DeleteObject","Resource":"acs:oss:*:*:demo-bucket/a*"}"#))
        for key in ["a1", "a2", "b"] { #expect(try fixture.outcome(OSSTestCall("PUT", key)) == "200") }
        func delete(_ keys: [String]) throws -> String {
            let body = "<Delete>" + keys.map { "<Object><Key>\($0)</Key></Object>" }.joined() + "</Delete>"
            let md5 = try Base64.standard.encode(Digest(.md5, of: Array(body.utf8).span).bytes.array).text
            return try fixture.outcome(
                OSSTestCall("POST", nil, body) {
                    $0.bySession()
                    $0.query = [("delete", "")]
                    $0.fields = [("Content-MD5", md5)]
                })
        }
        #expect(try delete(["a1", "b"]) == "403 AccessDenied")
        #expect(try fixture.outcome(OSSTestCall("GET", "a1")) == "200")
        #expect(try delete(["a1", "a2"]) == "200")
    }

    @Test func `a refusal tells what was asked and whether it was denied`() throws {
        let fixture = try OSSFixture(
            policy: SessionPolicyTests.policy(
                #"{"Effect":"Allow","Action":"*","Resource":"*"}"#,
                #"{"Effect":"Deny","Action":"oss:Put*","Resource":"acs:oss:*:*:demo-bucket/secret/*"}"#))
        let answer = try fixture.send(OSSTestCall("PUT", "secret/a") { $0.bySession() })
        #expect(answer.outcome == "403 AccessDenied" && answer.texts("NoPermissionType") == ["ExplicitDeny"])
        #expect(answer.texts("AuthAction") == ["oss:PutObject"])
        #expect(try fixture.outcome(OSSTestCall("PUT", "secret") { $0.bySession() }) == "200")
    }

    private static func verdict(
        _ statement: String,
        _ context: [(String, String)] = [
            ("acs:sourceip", "127.0.0.1"), ("acs:securetransport", "false"),
            ("acs:currenttime", "2026-08-29T10:00:00Z"),
            ("oss:prefix", "a/b"),
        ]
    ) throws -> IssuedSessionPolicy.Verdict {
        let policy = try #require(IssuedSessionPolicy(Array(SessionPolicyTests.policy(statement).utf8)))
        return policy.judge(
            IssuedSessionPolicy.Question(
                action: Array("oss:GetObject".utf8), resource: Array("acs:oss:oss-cn-hangzhou:12:b/k".utf8),
                context: context.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) }))
    }

    @Test(arguments: [
        (#""Action":"oss:Get*","Resource":"acs:oss:*:12:b/?""#, true),
        (#""Action":"OSS:getobject","Resource":"*""#, true),
        (#""Action":"oss:*","Resource":"acs:oss:*:13:b/k""#, false), (#""Action":"oss:Get","Resource":"*""#, false),
        (#""NotAction":"oss:Put*","Resource":"*""#, true), (#""NotAction":"oss:Get*","Resource":"*""#, false),
        (#""Action":"*","NotResource":"acs:oss:*:*:b/*""#, false),
        (#""Action":"*","NotResource":"acs:oss:*:*:c/*""#, true),
        (#""Action":"*","Resource":"acs:oss:*:*:B/k""#, false),
        (#""Action":"*","Resource":"acs:oss:*:*:b/k/*""#, false),
    ])
    func `actions and resources fit by wildcards`(members: String, isAllowed: Bool) throws {
        #expect(
            try SessionPolicyTests.verdict(#"{"Effect":"Allow",\#(members)}"#) == (isAllowed ? .allowed : .implicitDeny)
        )
        #expect(
            try SessionPolicyTests.verdict(#"{"Effect":"Deny",\#(members)}"#)
                == (isAllowed ? .explicitDeny : .implicitDeny))
    }

    @Test(arguments: [
        (#"{"StringEquals":{"oss:Prefix":["x","a/b"]}}"#, true), (#"{"StringEquals":{"oss:Prefix":"a/*"}}"#, false),
        (#"{"StringLike":{"oss:Prefix":"a/*"}}"#, true), (#"{"StringNotLike":{"oss:Prefix":"a/*"}}"#, false),
        (#"{"StringNotEquals":{"oss:Prefix":"c"}}"#, true), (#"{"IpAddress":{"acs:SourceIp":"127.0.0.0/8"}}"#, true),
        (#"{"IpAddress":{"acs:SourceIp":["10.0.0.0/8"]}}"#, false),
        (#"{"NotIpAddress":{"acs:SourceIp":"10.0.0.0/8"}}"#, true), (#"{"StringLike":{"oss:Delimiter":"*"}}"#, false),
        (#"{"StringNotLike":{"oss:Delimiter":"*"}}"#, true),
        (#"{"StringLike":{"oss:Prefix":"a/*"},"IpAddress":{"acs:SourceIp":"10.0.0.0/8"}}"#, false),
        (#"{"StringNotEquals":{"oss:Prefix":["c","a/b"]}}"#, false), (#"{"StringLike":{"oss:prefix":"A/*"}}"#, false),
        (#"{"StringEqualsIgnoreCase":{"oss:Prefix":"A/B"}}"#, true), (#"{"Bool":{"acs:SecureTransport":false}}"#, true),
        (#"{"Bool":{"acs:SecureTransport":"True"}}"#, false),
        (#"{"DateGreaterThan":{"acs:CurrentTime":"2026-08-29T17:59:59+08:00"}}"#, true),
        (#"{"DateGreaterThan":{"acs:CurrentTime":"2026-08-29T18:00:00+08:00"}}"#, false),
        (#"{"DateEquals":{"acs:CurrentTime":"2026-08-29T07:30:00-02:30"}}"#, true),
        (#"{"DateLessThan":{"acs:CurrentTime":"2026-08-29T10:00:01Z"}}"#, true),
        (#"{"DateNotEquals":{"acs:CurrentTime":["2026-08-29T18:00:00+08:00"]}}"#, false),
    ])
    func `a statement covers what its conditions hold for`(condition: String, holds: Bool) throws {
        let members = #""Action":"*","Resource":"*","Condition":\#(condition)"#
        #expect(
            try SessionPolicyTests.verdict(#"{"Effect":"Allow",\#(members)}"#) == (holds ? .allowed : .implicitDeny))
        #expect(
            try SessionPolicyTests.verdict(#"{"Effect":"Deny",\#(members)}"#) == (holds ? .explicitDeny : .implicitDeny)
        )
    }

    @Test(arguments: [
        #"{"Other":{"oss:Prefix":"a/b"}}"#, #"{"StringLike":{"oss:Unknown":"*"}}"#,
        #"{"StringNotLike":{"oss:Unknown":"*"}}"#, #"{"NumericLessThan":{"oss:Prefix":1}}"#,
        #"{"NumericNotEquals":{"acs:CurrentTime":1}}"#, #"{"ForAllValues:StringNotLike":{"oss:Prefix":"c"}}"#,
        #"{"stringLike":{"oss:Prefix":"a/*"}}"#, #"{"IpAddress":{"acs:SourceIp":"x"}}"#,
        #"{"NotIpAddress":{"acs:SourceIp":["10.0.0.0/8","x"]}}"#, #"{"NotIpAddress":{"oss:Prefix":"10.0.0.0/8"}}"#,
        #"{"Bool":{"acs:SecureTransport":"no"}}"#, #"{"DateNotEquals":{"acs:CurrentTime":"tomorrow"}}"#,
        #"{"DateLessThan":{"acs:CurrentTime":"2026-08-29"}}"#,
        #"{"DateLessThan":{"acs:CurrentTime":"2027-08-29T10:00:00+24:00"}}"#,
        #"{"DateGreaterThan":{"acs:CurrentTime":"2026-01-01T00:00:00 08:00"}}"#,
    ])
    func `a condition that is not understood allows nothing and denies all the same`(condition: String) throws {
        let members = #""Action":"*","Resource":"*","Condition":\#(condition)"#
        #expect(try SessionPolicyTests.verdict(#"{"Effect":"Allow",\#(members)}"#) == .implicitDeny)
        #expect(try SessionPolicyTests.verdict(#"{"Effect":"Deny",\#(members)}"#) == .explicitDeny)
    }

    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("**", "a", true), ("a*b*c", "aXbYc", true),
        ("a*b*c", "abcb", false),
        ("?", "é", true), ("?", "", false), ("??", "é", false), ("a?c", "abc", true), ("*.jpg", "a.jpg.jpg", true),
        ("*a*a*a*a*a*b", String(repeating: "a", count: 2000), false),
    ])
    func `wildcards`(pattern: String, text: String, fits: Bool) {
        #expect(Wildcard.matches(Array(pattern.utf8), Array(text.utf8)) == fits)
    }

    @Test func `a session of STS is held to the policy that AssumeRole was asked with`() throws {
        let sts = STSSide(Fixture.settings)
        let policy = SessionPolicyTests.uploads
        let call = try Call(.rpc) { $0.parameters.append(("Policy", policy)) }.request()
        let answer = OSSAnswer(response: try sts.answer(call, BodyReader(call.body), at: Fixture.now))
        let given = try #require(try? JSONReader.read(answer.bytes, as: .json))["Credentials"]
        let keyID = try #require(given?["AccessKeyId"]?.text)
        let session = try #require(sts.session(keyID))
        #expect(session.account.text == "1234567890123456")
        let question = IssuedSessionPolicy.Question(
            action: Array("oss:PutObject".utf8), resource: Array("acs:oss:r:a:demo-bucket/user/1/x".utf8), context: [])
        #expect(session.policy?.judge(question) == .allowed)
        let plain = try Call(.rpc).request()
        _ = try sts.answer(plain, BodyReader(plain.body), at: Fixture.now)
    }
}
