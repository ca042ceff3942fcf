import Foundation
import TestTraits
import Testing

@testable import Bytes
@testable import Crypto
@testable import Providers

private let id = "STS.NUnitTest7cUcXe8qB2aH"
private let secret = "4kUnitTestTempSecret8vZ3p+/Qx"
private let expiration = "2025-09-05T11:01:38Z"

private func credentials(
    _ change: (inout [String: Any]) -> Void = { _ in }
) -> [String: Any] {
    var members: [String: Any] = [
        "AccessKeyId": id, "AccessKeySecret": secret, "SecurityToken": STSSample.token, "Expiration": expiration,
    ]
    change(&members)
    return members
}

private func success(_ change: (inout [String: Any]) -> Void = { _ in }) -> [UInt8] {
    var members: [String: Any] = [
        "RequestId": "6894B13B-6D71-4EF5-88FA-F32781734A7F",
        "AssumedRoleUser": ["Arn": "acs:ram::1:assumed-role/a/b", "AssumedRoleId": "33:b"],
        "Credentials": credentials(),
    ]
    change(&members)
    return json(members)
}

private func json(_ value: Any) -> [UInt8] {
    (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])).map { Array($0) } ?? []
}

private func with(_ name: String, _ value: Any?) -> [UInt8] {
    success { $0["Credentials"] = credentials { $0[name] = value } }
}

private func failure(_ code: String, status: Int, requestID: String = "R-1") -> UpstreamAnswer {
    UpstreamAnswer(
        status: status,
        body: json([
            "RequestId": requestID, "HostId": "sts.aliyuncs.com", "Code": code,
            "Message": "the hidden message of the vendor", "Recommend": "https://example.com",
        ]))
}

private func read(_ answer: UpstreamAnswer, at now: Int64 = STSSample.now) -> Result<SessionCredential, SessionFault> {
    do throws(SessionFault) { return .success(try STSAnswer.read(answer, at: now)) } catch { return .failure(error) }
}

private func fault(_ answer: UpstreamAnswer, at now: Int64 = STSSample.now) -> SessionFault? {
    if case .failure(let fault) = read(answer, at: now) { fault } else { nil }
}

private struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: [UInt8]
    let code: String

    init(_ name: String, _ body: [UInt8], _ code: String = "AnswerIncomplete") {
        testDescription = name
        self.body = body
        self.code = code
    }

    static func unreadable(_ name: String, _ text: String) -> Bad {
        Bad(name, Array(text.utf8), "AnswerUnreadable")
    }
}

/// Each comes with status 200, and none is a credential.
private let bad: [Bad] = [
    .unreadable("empty", ""), .unreadable("white space", " \n"), .unreadable("a page", "<html><body>502</body></html>"),
    .unreadable("null", "null"), .unreadable("a list", "[]"), .unreadable("text", "\"Credentials\""),
    .unreadable("a number", "1"), .unreadable("XML", "<?xml version=\"1.0\"?><Error><Code>NoPermission</Code></Error>"),
    .unreadable("cut off", String(decoding: success().dropLast(), as: UTF8.self)),
    .unreadable("half", String(decoding: success().prefix(200), as: UTF8.self)),
    .unreadable("more behind", String(decoding: success(), as: UTF8.self) + "{}"),
    .unreadable("a byte order mark", "\u{FEFF}" + String(decoding: success(), as: UTF8.self)),
    .unreadable("single quotes", "{'Credentials':{}}"), .unreadable("a comma too many", "{\"a\":1,}"),
    .unreadable("a key twice", "{\"Credentials\":{},\"Credentials\":{}}"),
    .unreadable("deep", String(repeating: "{\"a\":", count: 9) + "1" + String(repeating: "}", count: 9)),
    .unreadable("many values", "{\"a\":[" + Array(repeating: "1", count: 300).joined(separator: ",") + "]}"),
    Bad("not UTF-8", [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], "AnswerUnreadable"),
    Bad("10 MB", [UInt8](repeating: UInt8(ascii: " "), count: 10 << 20), "AnswerTooLarge"),
    Bad(
        "one byte too many", [UInt8](repeating: UInt8(ascii: " "), count: STSAnswer.maximumLength + 1), "AnswerTooLarge"
    ),
    Bad("nothing", json([String: Any]())), Bad("no Credentials", success { $0["Credentials"] = nil }),
    Bad("Credentials null", success { $0["Credentials"] = NSNull() }),
    Bad("Credentials a list", success { $0["Credentials"] = [credentials()] }),
    Bad("Credentials a string", success { $0["Credentials"] = "x" }),
    Bad("no AccessKeyId", with("AccessKeyId", nil)), Bad("no AccessKeySecret", with("AccessKeySecret", nil)),
    Bad("no SecurityToken", with("SecurityToken", nil)), Bad("no Expiration", with("Expiration", nil)),
    Bad("AccessKeyId a number", with("AccessKeyId", 1)), Bad("AccessKeySecret null", with("AccessKeySecret", NSNull())),
    Bad("SecurityToken a list", with("SecurityToken", ["a"])),
    Bad("Expiration a number", with("Expiration", 1_757_070_098)),
    Bad("AccessKeyId empty", with("AccessKeyId", "")), Bad("AccessKeySecret empty", with("AccessKeySecret", "")),
    Bad("SecurityToken empty", with("SecurityToken", "")),
    Bad("AccessKeyId with a quote", with("AccessKeyId", "a\"b")),
    Bad("AccessKeyId with a line", with("AccessKeyId", "a\nb")),
    Bad("AccessKeyId with a space", with("AccessKeyId", "a b")), Bad("AccessKeyId not ASCII", with("AccessKeyId", "é")),
    Bad("AccessKeyId long", with("AccessKeyId", String(repeating: "a", count: 129))),
    Bad("AccessKeySecret with NUL", with("AccessKeySecret", "a\0b")),
    Bad("AccessKeySecret with a backslash", with("AccessKeySecret", "a\\b")),
    Bad("SecurityToken long", with("SecurityToken", String(repeating: "a", count: 16_385))),
    Bad("SecurityToken with a line", with("SecurityToken", "a\r\nX: y")),
    Bad("a fraction", with("Expiration", "2025-09-05T11:01:38.000Z")),
    Bad("an offset", with("Expiration", "2025-09-05T11:01:38+00:00")),
    Bad("no zone", with("Expiration", "2025-09-05T11:01:38")),
    Bad("30 February", with("Expiration", "2026-02-30T11:01:38Z")),
    Bad("a space", with("Expiration", "2025-09-05 11:01:38Z")),
    Bad("over", with("Expiration", "2025-09-05T10:01:37Z"), "AnswerExpired"),
    Bad("over now", with("Expiration", "2025-09-05T10:01:38Z"), "AnswerExpired"),
    Bad("long over", with("Expiration", "0000-01-01T00:00:00Z"), "AnswerExpired"),
    Bad("RequestId a number", success { $0["RequestId"] = 7 }),
    Bad("AssumedRoleUser a list", success { $0["AssumedRoleUser"] = [] }),
    Bad("a fault with 200", failure("NoPermission", status: 200).body, "NoPermission"),
    Bad("Success without a credential", json(["Code": "Success"])),
]

@Suite struct STSAnswerTests {
    @Test func `a good answer is a credential`() throws {
        let credential = try read(UpstreamAnswer(status: 200, body: success())).get()
        #expect(credential.accessKeyID.text == id)
        #expect(credential.securityToken.text == STSSample.token)
        #expect(credential.secret.constantTimeEquals(Secret(Array(secret.utf8))))
        #expect(credential.expiresAt == STSSample.now + 3600)
    }

    @Test func `the answer to clients is exactly the documented one`() throws {
        let credential = try read(UpstreamAnswer(status: 200, body: success())).get()
        var out = ByteWriter()
        credential.writeAnswer(for: JSONMembers { $0.add("Bucket", "media") }, into: &out)
        #expect(
            out.array.text == "{\"StatusCode\":200,\"Code\":\"Success\",\"AccessKeyId\":\"\(id)\","
                + "\"AccessKeySecret\":\"\(secret)\",\"SecurityToken\":\"\(STSSample.token)\","
                + "\"Expiration\":\"2025-09-05T11:01:38Z\",\"Scope\":{\"Bucket\":\"media\"}}")
        let members = try JSON.read(Data(out.array)).members
        #expect(
            Set(members.keys) == Set(DistributeToken.route.answer.members.map(\.name))
                && members["StatusCode"] == .integer(200)
        )
    }

    @Test func `members beyond the documented ones do not matter`() throws {
        let body = success {
            $0["SourceIdentity"] = "Alice"
            $0["Credentials"] = credentials { $0["LastUpdated"] = "x" }
        }
        #expect(try read(UpstreamAnswer(status: 200, body: body)).get().accessKeyID.text == id)
    }

    @Test(arguments: bad) fileprivate func `no bad answer is a credential`(answer: Bad) {
        let fault = fault(UpstreamAnswer(status: 200, body: answer.body))
        #expect(fault?.code == answer.code)
        #expect(fault?.status == 200)
    }

    @Test func `there are forty bad answers and more`() { #expect(bad.count >= 40) }

    @Test func `no answer that is cut off anywhere is a credential`() {
        let whole = success()
        for length in 0..<whole.count {
            let fault = fault(UpstreamAnswer(status: 200, body: Array(whole.prefix(length))))
            #expect(fault?.code == "AnswerUnreadable")
        }
    }

    @Test func `nothing happens to 20,000 mutated answers`() {
        var random = SplitMix64(seed: 0x5757)
        let whole = success()
        for _ in 0..<20_000 {
            var body = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<body.count, using: &random)
                body[index] = UInt8.random(in: 0...255, using: &random)
            }
            guard let credential = try? read(UpstreamAnswer(status: 200, body: body)).get() else { continue }
            var out = ByteWriter()
            credential.writeAnswer(for: .none, into: &out)
            let members = try? JSON.read(Data(out.array)).members
            if members?.count != 7 || credential.expiresAt <= STSSample.now { Issue.record("\(body.text)") }
        }
    }

    @Test(arguments: [201, 202, 204, 206, 100, 0, -1, 999])
    func `no status but 200 is a success`(status: Int) {
        #expect(fault(UpstreamAnswer(status: status, body: success()))?.code == "AnswerUnreadable")
    }

    @Test(arguments: [300, 301, 302, 303, 304, 307, 308]) func `redirects are not followed`(status: Int) {
        let fault = fault(UpstreamAnswer(status: status, body: success()))
        #expect(fault?.code == "AnswerRedirects" && fault?.kind == .answer)
    }

    // MARK: The vendor's faults

    @Test(
        arguments: [
            ("NoPermission", 403), ("NoPermission", 500), ("NoPermission", 200), ("EntityNotExist.Role", 404),
            ("InvalidSecurityToken.Malformed", 503), ("Throttling.User", 400), ("Unheard-Of_1", 599),
        ])
    func `the vendor's fault is told by its code, status and request id`(code: String, status: Int) {
        let fault = fault(failure(code, status: status))
        #expect(fault?.code == code && fault?.status == status && fault?.requestID == "R-1" && fault?.kind == .vendor)
    }

    @Test(arguments: [
        "", "a b", "a\nb", "é", "<b>", String(repeating: "a", count: 65), "Success", "a\0", "\u{1B}[31m",
    ])
    func `a code that looks like none is not repeated`(code: String) {
        let fault = fault(failure(code, status: 503))
        #expect(fault?.code == "AnswerUnreadable" && fault?.kind == .answer)
        #expect(faultWithRequestID(code)?.requestID == nil)
    }

    /// The same text where the request id stands.
    private func faultWithRequestID(_ text: String) -> SessionFault? {
        fault(failure("NoPermission", status: 403, requestID: text.isEmpty ? " " : text + " "))
    }

    @Test(arguments: [400, 403, 404, 408, 429, 500, 502, 503, 504])
    func `a page instead of an answer tells no more than its status`(status: Int) {
        for body in ["<html>hidden</html>", "", "{", "[]", "{}", "{\"Code\":5}"] {
            let fault = fault(UpstreamAnswer(status: status, body: Array(body.utf8)))
            #expect(fault == SessionFault(.unreadable, status: status))
        }
    }

    @Test func `a fault tells nothing of the answer but code, status and request id`() throws {
        let found = try #require(fault(failure("NoPermission", status: 403)))
        #expect(everything(of: found).contains("NoPermission (HTTP 403, request R-1)"))
        #expect(!everything(of: found).contains("hidden"))
        for answer in bad {
            let found = try #require(fault(UpstreamAnswer(status: 200, body: answer.body)))
            #expect(!everything(of: found).contains("UnitTest") && !everything(of: found).contains("html"))
        }
    }

    // MARK: R17

    @Test(
        arguments: [
            (-301, false), (-300, true), (0, true), (300, true), (301, false), (1200, false), (-1200, false),
        ] as [(Int64, Bool)])
    func `R17: clocks more than five minutes apart give nothing`(skew: Int64, isTaken: Bool) {
        let date = HTTPDate.write(STSSample.now + skew)
        let answer = UpstreamAnswer(status: 200, headers: [NameValue("Date", date)], body: success())
        #expect(fault(answer)?.code == (isTaken ? nil : "ClockSkew"))
    }

    @Test func `any clock of ours is survived`() {
        let answer = UpstreamAnswer(
            status: 200, headers: [NameValue("Date", "Fri, 05 Sep 2025 10:01:38 GMT")], body: success())
        for now in [Int64.min, -1, 0, .max] { #expect(fault(answer, at: now)?.code == "ClockSkew") }
        let silent = UpstreamAnswer(status: 200, headers: [NameValue("Date", "yesterday")], body: success())
        #expect(fault(silent) == nil)
    }

    @Test func `a credential prints only its public half`() throws {
        let credential = try read(UpstreamAnswer(status: 200, body: success())).get()
        let text = everything(of: credential) + everything(of: [credential])
        #expect(text.contains(id) && !text.contains(secret) && !text.contains("CAIS"))
    }
}

@Suite struct InstanceMetadataTests {
    private func session(_ text: String = "token-1") throws -> InstanceMetadata.Session {
        try InstanceMetadata.readSession(UpstreamAnswer(status: 200, body: Array(text.utf8)), at: STSSample.now)
    }

    @Test func `asks for a session, the role and its key, at the one address`() throws {
        let first = try STSSample.wire(InstanceMetadata.sessionCall(lifetime: 600))
        #expect(first.line == "PUT /latest/api/token HTTP/1.1" && first["host"] == "100.100.100.200")
        #expect(first["x-aliyun-ecs-metadata-token-ttl-seconds"] == "600" && first["content-length"] == "0")
        let second = try STSSample.wire(InstanceMetadata.roleCall(session("token-1\n")))
        #expect(second.line == "GET /latest/meta-data/ram/security-credentials/ HTTP/1.1")
        #expect(second["x-aliyun-ecs-metadata-token"] == "token-1")
        let call = try #require(try InstanceMetadata.credentialCall(role: Array("App-Role.1".utf8), session()))
        let third = try STSSample.wire(call)
        #expect(third.line == "GET /latest/meta-data/ram/security-credentials/App-Role.1 HTTP/1.1")
        #expect(third["x-aliyun-ecs-metadata-token"] == "token-1")
    }

    @Test(arguments: [(Int64.min, "1"), (0, "1"), (21_600, "21600"), (.max, "21600")] as [(Int64, String)])
    func `a session's lifetime is brought within bounds`(lifetime: Int64, text: String) throws {
        let wire = try STSSample.wire(InstanceMetadata.sessionCall(lifetime: lifetime))
        #expect(wire["x-aliyun-ecs-metadata-token-ttl-seconds"] == text)
    }

    @Test(arguments: ["", "a/b", "../a", "a b", "a\r\nX: y", "a?b", "é", String(repeating: "a", count: 65)])
    func `no path is made of what is no role`(role: String) throws {
        let call = try InstanceMetadata.credentialCall(role: Array(role.utf8), session())
        #expect(call == nil)
        #expect(throws: SessionFault.self) {
            try InstanceMetadata.readRole(UpstreamAnswer(status: 200, body: Array(role.utf8)), at: 0)
        }
    }

    @Test func `the role is one line`() throws {
        for text in ["App", "App\n", "App\r\n"] {
            let role = try InstanceMetadata.readRole(UpstreamAnswer(status: 200, body: Array(text.utf8)), at: 0)
            #expect(role.text == "App")
        }
        for text in ["App\nOther", "App\n\n", "<html>", "\n"] {
            #expect(throws: SessionFault.self) {
                try InstanceMetadata.readRole(UpstreamAnswer(status: 200, body: Array(text.utf8)), at: 0)
            }
        }
    }

    @Test(arguments: [
        "", "a b", "a\r\nX: y", "é", String(repeating: "a", count: 1025), String(repeating: "a", count: 99_999),
    ])
    func `no session token that is none`(text: String) {
        #expect(throws: SessionFault.self) { try session(text) }
    }

    @Test func `an instance without a role says so`() {
        let answer = UpstreamAnswer(status: 404, body: Array("<html>404</html>".utf8))
        for fault in [
            #expect(throws: SessionFault.self) { try InstanceMetadata.readRole(answer, at: 0) },
            #expect(throws: SessionFault.self) { try InstanceMetadata.readCredential(answer, at: 0) },
        ] {
            #expect(fault?.code == "NoInstanceRole" && fault?.kind == .noRole)
        }
    }

    private func answer(_ change: (inout [String: Any]) -> Void = { _ in }) -> UpstreamAnswer {
        var members = credentials()
        members["Code"] = "Success"
        members["LastUpdated"] = "2025-09-05T05:01:38Z"
        change(&members)
        return UpstreamAnswer(status: 200, body: json(members))
    }

    @Test func `the role's key signs as any other, its token beside it`() throws {
        let credential = try InstanceMetadata.readCredential(answer(), at: STSSample.now)
        #expect(credential.expiresAt == STSSample.now + 3600)
        let call = try STSSample.request().call(
            to: STSSample.authority, signedBy: STSKey.kept(by: credential.signingKey(), .acs3), nonce: STSSample.nonce,
            at: STSSample.now)
        let wire = try STSSample.wire(call)
        #expect(wire["x-acs-security-token"] == STSSample.token && wire["x-acs-accesskey-id"] == id)
    }

    @Test func `no key without Success`() throws {
        let failed = #expect(throws: SessionFault.self) {
            try InstanceMetadata.readCredential(answer { $0["Code"] = "Failed" }, at: STSSample.now)
        }
        #expect(failed?.code == "Failed" && failed?.kind == .vendor)
        for name in ["Code", "AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration"] {
            let fault = #expect(throws: SessionFault.self) {
                try InstanceMetadata.readCredential(answer { $0[name] = nil }, at: STSSample.now)
            }
            #expect(fault?.code == "AnswerIncomplete")
        }
        let over = #expect(throws: SessionFault.self) {
            try InstanceMetadata.readCredential(answer(), at: STSSample.now + 3600)
        }
        #expect(over?.code == "AnswerExpired")
    }

    @Test func `a session prints nothing`() throws {
        #expect(!everything(of: try session("token-1")).contains("token-1"))
    }
}
