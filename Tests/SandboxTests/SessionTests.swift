import HTTP
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// What is answered, and what AssumeRole must be asked with.
@Suite struct SessionTests {
    private func code(_ changes: [String: String?]) throws -> String {
        let call = Call { call in
            call.parameters = call.parameters.filter { changes[$0.0] == nil }
            call.parameters += changes.compactMap { entry in entry.value.map { (entry.key, $0) } }
        }
        return try Fixture.code(call)
    }

    @Test(arguments: Call.Scheme.allCases)
    func `the answer has the vendor's form`(scheme: Call.Scheme) throws {
        var sts = SandboxSTS(Fixture.settings)
        let answer = sts.answer(
            try Call(scheme) { $0.parameters += [("DurationSeconds", "900"), ("SourceIdentity", "me@x")] }.request(),
            at: Fixture.now)
        #expect(answer.status == 200)
        #expect(answer.names() == ["RequestId", "AssumedRoleUser", "Credentials", "SourceIdentity"])
        #expect(answer.names("AssumedRoleUser") == ["Arn", "AssumedRoleId"])
        #expect(
            answer.names("Credentials") == ["AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration"])
        #expect(answer.text("AssumedRoleUser", "Arn") == Fixture.role + "/alice")
        #expect(answer.text("AssumedRoleUser", "AssumedRoleId")?.hasSuffix(":alice") == true)
        #expect(answer.text("SourceIdentity") == "me@x")
        #expect(answer.text("Credentials", "AccessKeyId")?.hasPrefix("STS.SANDBOX") == true)
        #expect(answer.text("Credentials", "Expiration") == ISO8601.write(Fixture.now + 900).text)
        #expect(answer.text("Credentials", "SecurityToken")?.utf8.count == 516)
        let requestID = try #require(answer.text("RequestId"))
        #expect(requestID.utf8.count == 36 && requestID == requestID.uppercased())
    }

    @Test func `no two answers are alike, and each is remembered`() throws {
        var sts = SandboxSTS(Fixture.settings)
        var seen: Set<String> = []
        for _ in 0..<50 {
            let answer = sts.answer(try Call().request(), at: Fixture.now)
            let id = try #require(answer.text("Credentials", "AccessKeyId"))
            let secret = try #require(answer.text("Credentials", "AccessKeySecret"))
            let token = try #require(answer.text("Credentials", "SecurityToken"))
            let requestID = try #require(answer.text("RequestId"))
            for text in [id, secret, token, requestID] { #expect(seen.insert(text).inserted) }
            let isKnown = sts.session(Array(id.utf8))?.secret.constantTimeEquals(Secret(Array(secret.utf8)))
            #expect(isKnown == true)
        }
        for id in ["STS.SANDBOXother", Fixture.keyID] {
            let isKnown = sts.session(Array(id.utf8)) != nil
            #expect(!isKnown)
        }
    }

    @Test func `a refusal has the vendor's form`() throws {
        var sts = SandboxSTS(Fixture.settings)
        let answer = sts.answer(try Call { $0.parameters = [] }.request(), at: Fixture.now)
        #expect(answer.status == 400)
        #expect(answer.names() == ["RequestId", "HostId", "Code", "Message", "Recommend"])
        #expect(answer.text("HostId") == "127.0.0.1:1")
        #expect(answer.text("Message") == "Parameter RoleArn is required.")
        let requestID = try #require(answer.text("RequestId"))
        #expect(answer.text("Recommend")?.hasSuffix("requestId=" + requestID) == true)
    }

    @Test(arguments: [
        ("InvalidAccessKeyId.NotFound", 404), ("EntityNotExist.Role", 404), ("NoPermission", 403),
        ("SignatureDoesNotMatch", 400), ("SignatureNonceUsed", 400), ("InvalidTimeStamp.Expired", 400),
        ("InvalidAction.NotFound", 404), ("InvalidParameter.PolicyGrammar", 400),
    ])
    func `a code has its status`(code: String, status: Int) throws {
        var sts = SandboxSTS(Fixture.settings)
        _ = sts.answer(try Call { $0.nonce = "used" }.request(), at: Fixture.now)
        let session = sts.answer(try Call().request(), at: Fixture.now)
        let id = try #require(session.text("Credentials", "AccessKeyId"))
        let secret = try #require(session.text("Credentials", "AccessKeySecret"))
        let token = try #require(session.text("Credentials", "SecurityToken"))
        let calls: [String: Call] = [
            "InvalidAccessKeyId.NotFound": Call { $0.keyID = "x" },
            "EntityNotExist.Role": Call { $0.parameters[0].1 += "x" },
            "NoPermission": Call { ($0.keyID, $0.secret, $0.token) = (id, secret, token) },
            "SignatureDoesNotMatch": Call { $0.secret = "x" },
            "SignatureNonceUsed": Call { $0.nonce = "used" },
            "InvalidTimeStamp.Expired": Call { $0.time -= 1000 },
            "InvalidAction.NotFound": Call { $0.overrides = ["x-acs-action": "Nothing"] },
            "InvalidParameter.PolicyGrammar": Call { $0.parameters.append(("Policy", "{}")) },
        ]
        let answer = sts.answer(try #require(calls[code]).request(), at: Fixture.now)
        #expect(answer.text("Code") == code)
        #expect(answer.status == status)
    }

    @Test(arguments: [
        "acs:ram::1234567890123456:user/App-Uploader", "acs:ram:cn:1234567890123456:role/App-Uploader",
        "role/App-Uploader",
        "acs:ram::1234567890123456:role/", "acs:ram:::role/a", "acs:ram::12a4:role/a", "acs:ram::1:role/a b",
        "acs:ram::1:role/a:b", "acs:ram::1:role/a/b", "arn:ram::1:role/a",
        "acs:ram::1:role/" + String(repeating: "a", count: 65),
        "acs:ram::123456789012345678901:role/a", "acs:ram::1:role/é",
    ])
    func `a role is an ARN of a role`(text: String) throws {
        #expect(try code(["RoleArn": text]) == "InvalidParameter.RoleArn")
    }

    @Test func `a role must be one that exists`() throws {
        #expect(try code(["RoleArn": "acs:ram::1234567890123456:role/other"]) == "EntityNotExist.Role")
        #expect(try code(["RoleArn": "acs:ram::9999999999999999:role/App-Uploader"]) == "EntityNotExist.Role")
        #expect(try code(["RoleArn": nil]) == "MissingParameter.RoleArn")
        #expect(try code(["RoleArn": ""]) == "MissingParameter.RoleArn")
    }

    @Test(arguments: [
        ("ab", "200"), ("aZ0.@-_", "200"), (String(repeating: "a", count: 64), "200"),
        ("a", "InvalidParameter.RoleSessionName"),
        (String(repeating: "a", count: 65), "InvalidParameter.RoleSessionName"),
        ("a b", "InvalidParameter.RoleSessionName"), ("a*b", "InvalidParameter.RoleSessionName"),
        ("a/b", "InvalidParameter.RoleSessionName"), ("a:b", "InvalidParameter.RoleSessionName"),
        ("忍者神龟", "InvalidParameter.RoleSessionName"), ("a\nb", "InvalidParameter.RoleSessionName"),
        ("", "MissingParameter.RoleSessionName"),
    ])
    func `a session name has 2 to 64 of its characters`(name: String, code: String) throws {
        #expect(try self.code(["RoleSessionName": name]) == code)
    }

    @Test func `a session needs a name`() throws {
        #expect(try code(["RoleSessionName": nil]) == "MissingParameter.RoleSessionName")
    }

    @Test(arguments: [
        ("900", "200"), ("3600", "200"), ("43200", "200"), ("899", "InvalidParameter.DurationSeconds"),
        ("43201", "InvalidParameter.DurationSeconds"), ("0", "InvalidParameter.DurationSeconds"),
        ("-900", "InvalidParameter.DurationSeconds"), ("+900", "InvalidParameter.DurationSeconds"),
        ("0900", "InvalidParameter.DurationSeconds"), ("900.0", "InvalidParameter.DurationSeconds"),
        ("", "InvalidParameter.DurationSeconds"), ("1h", "InvalidParameter.DurationSeconds"),
        ("99999999999999999999", "InvalidParameter.DurationSeconds"),
    ])
    func `a session lasts 15 minutes to 12 hours`(duration: String, code: String) throws {
        #expect(try self.code(["DurationSeconds": duration]) == code)
    }

    @Test func `a session lasts an hour, or as long as the role's may`() throws {
        var settings = Fixture.settings
        for (maximum, seconds) in [(43_200, 3_600), (1_800, 1_800)] as [(Int64, Int64)] {
            settings.maximumDuration = maximum
            var sts = SandboxSTS(settings)
            let answer = sts.answer(try Call().request(), at: Fixture.now)
            #expect(answer.text("Credentials", "Expiration") == ISO8601.write(Fixture.now + seconds).text)
            let long = Call { $0.parameters.append(("DurationSeconds", "\(maximum + 1)")) }
            #expect(sts.code(try long.request()) == "InvalidParameter.DurationSeconds")
        }
    }

    @Test(arguments: [
        ("ExternalId", "ab", "200"), ("ExternalId", "aZ_0+=,.@:/-", "200"),
        ("ExternalId", String(repeating: "a", count: 1224), "200"), ("ExternalId", "a", "InvalidParameter.ExternalId"),
        ("ExternalId", "", "InvalidParameter.ExternalId"),
        ("ExternalId", String(repeating: "a", count: 1225), "InvalidParameter.ExternalId"),
        ("ExternalId", "a b", "InvalidParameter.ExternalId"), ("ExternalId", "é1", "InvalidParameter.ExternalId"),
        ("SourceIdentity", "aZ_0+=,.@-", "200"), ("SourceIdentity", "a", "InvalidParameter.SourceIdentity"),
        ("SourceIdentity", String(repeating: "a", count: 65), "InvalidParameter.SourceIdentity"),
        ("SourceIdentity", "a:b", "InvalidParameter.SourceIdentity"),
    ])
    func `who asks on behalf of whom is a word`(name: String, value: String, code: String) throws {
        #expect(try self.code([name: value]) == code)
    }

    @Test func `parameters that nobody knows are passed over`() throws {
        #expect(try code(["RegionId": "cn-hangzhou", "Nonsense": "1"]) == "200")
    }
}

/// Credentials that the sandbox gave out are credentials, too.
@Suite struct IssuedCredentialTests {
    private struct Session {
        let id: String, secret: String, token: String

        init(from sts: inout SandboxSTS) throws {
            let answer = sts.answer(try Call().request(), at: Fixture.now)
            id = try #require(answer.text("Credentials", "AccessKeyId"))
            secret = try #require(answer.text("Credentials", "AccessKeySecret"))
            token = try #require(answer.text("Credentials", "SecurityToken"))
        }
    }

    @Test(arguments: Call.Scheme.allCases)
    func `they are verified, and may assume no role`(scheme: Call.Scheme) throws {
        var sts = SandboxSTS(Fixture.settings)
        let session = try Session(from: &sts)
        func code(_ adjust: (inout Call) -> Void, at now: Int64 = Fixture.now) throws -> String {
            let call = Call(scheme) { call in
                (call.keyID, call.secret, call.token, call.time) = (session.id, session.secret, session.token, now)
                adjust(&call)
            }
            return sts.code(try call.request(), at: now)
        }
        #expect(try code({ _ in }) == "NoPermission")
        #expect(try code({ $0.secret += "x" }) == "SignatureDoesNotMatch")
        #expect(try code({ $0.token = nil }) == "MissingSecurityToken")
        #expect(try code({ $0.token = session.token + "x" }) == "InvalidSecurityToken.MismatchWithAccessKey")
        #expect(try code({ _ in }, at: Fixture.now + 3599) == "NoPermission")
        #expect(try code({ _ in }, at: Fixture.now + 3600) == "InvalidSecurityToken.Expired")
    }

    @Test(arguments: Call.Scheme.allCases)
    func `a token beside a key that has none is refused`(scheme: Call.Scheme) throws {
        #expect(try Fixture.code(Call(scheme) { $0.token = "t" }) == "InvalidSecurityToken.MismatchWithAccessKey")
    }

    @Test(arguments: Call.Scheme.allCases)
    func `a caller with a token of its own must send it`(scheme: Call.Scheme) throws {
        let settings = SandboxSTS.Settings(
            callers: [Fixture.caller("STS.x", "s", token: "t+/=")], roles: [Array(Fixture.role.utf8)])
        func code(_ token: String?) throws -> String {
            try Fixture.code(Call(scheme) { ($0.keyID, $0.secret, $0.token) = ("STS.x", "s", token) }, settings)
        }
        #expect(try code("t+/=") == "200")
        #expect(try code(nil) == "MissingSecurityToken")
        #expect(try code("t") == "InvalidSecurityToken.MismatchWithAccessKey")
    }
}
