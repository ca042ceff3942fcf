import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct AWSSTSRequestTests {
    private func form(_ call: UpstreamCall) throws -> [String] {
        try STSSample.wire(call).form.map { "\($0.0)=\($0.1)" }
    }

    @Test func `AssumeRole is written and signed as the vendor's SDK does it`() throws {
        let vector = try #require(Vector.all.first { $0.id == "sts.query.sign/assume-role" })
        let body = try #require(vector.input["body"]?.string)
        let account = try AWSSTSSample.account { $0.externalId = AWSSTSSample.bytes("x:1/2") }
        let policy =
            #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:PutObject"],"#
            + #""Resource":["arn:aws:s3:::examplebucket/user/1/*"]}]}"#
        let call = try AWSSTSSample.exchange(AWSSTSSample.request(account, policy: policy)).call
        #expect(call.body.text == body)
        let wire = try STSSample.wire(call)
        #expect(wire.line == "POST / HTTP/1.1" && wire["host"] == "sts.us-east-1.amazonaws.com")
        #expect(wire["authorization"] == (try vector.expected["authorization"]?.string))
    }

    @Test func `GetFederationToken has a name and no role, and a name of 32 bytes at most`() throws {
        let account = try AWSSTSSample.account(.federationToken)
        let call = try AWSSTSSample.exchange(AWSSTSSample.request(account)).call
        #expect(
            try form(call) == [
                "Action=GetFederationToken", "Version=2011-06-15", "Name=user-1", "DurationSeconds=900",
                "Policy=\(AWSSTSSample.policy)",
            ])
        #expect(account.longestName == 32)
        let none: [UInt8] = []
        for subject in ["a", String(repeating: "x", count: 200), "授权"] {
            let principal = Principal(.apiKey, id: Array(subject.utf8), subject: Array(subject.utf8))
            let name = try SessionName(none.span, for: principal, atMost: account.longestName)
            #expect((2...32).contains(name.text.count))
            let other = Principal(.apiKey, id: Array((subject + "y").utf8), subject: Array((subject + "y").utf8))
            #expect(try name != SessionName(none.span, for: other, atMost: account.longestName))
        }
    }

    @Test func `AssumeRoleWithWebIdentity has its token in the body, and no signature`() throws {
        let account = try AWSSTSSample.account(.webIdentity)
        let request = AWSSTSSample.request(account)
        guard case .tokenFile(let file) = request.proof else {
            Issue.record("another proof")
            return
        }
        let call = try AWSSTSSample.exchange(request, token: "eyJh.eyJ+.sig_-").call
        #expect(file.text == "/var/run/token")
        #expect(
            try form(call) == [
                "Action=AssumeRoleWithWebIdentity", "Version=2011-06-15",
                "RoleArn=arn:aws:iam::111122223333:role/Upload", "RoleSessionName=user-1", "DurationSeconds=900",
                "Policy=\(AWSSTSSample.policy)", "WebIdentityToken=eyJh.eyJ+.sig_-",
            ])
        let wire = try STSSample.wire(call)
        #expect(wire["authorization"] == nil && wire["x-amz-date"] == nil)
        for token in ["a", "a b c d", String(repeating: "t", count: 20_001)] {
            #expect(throws: CredentialCallFault.self) { try AWSSTSSample.exchange(request, token: token) }
        }
    }

    @Test func `an exchange reads the answer of its own action, and no other's`() throws {
        for call in AWSSTS.Call.allCases {
            let account = try AWSSTSSample.account(call)
            let exchange = try AWSSTSSample.exchange(
                AWSSTSSample.request(account, seconds: 3600), token: call == .webIdentity ? "token" : "")
            for other in AWSSTS.Call.allCases {
                let body = AWSSTSSample.granted().replacing("AssumeRoleR", with: "\(other.action)R")
                let answer = UpstreamAnswer(status: 200, body: Array(body.utf8))
                guard call == other else {
                    #expect(throws: SessionFault.self) { try exchange.read(answer, AWSSTSSample.now) }
                    continue
                }
                guard case .credential(let credential) = try exchange.read(answer, AWSSTSSample.now) else {
                    Issue.record("there is more")
                    continue
                }
                #expect(credential.expiresAt == AWSSTSSample.now + 3600)
            }
        }
    }

    @Test func `R17: everything that shapes a session is in its key`() throws {
        func key(
            _ account: AWSSTSAccount, _ name: String = "user-1", _ seconds: Int64 = 900, _ policy: String = "{}"
        ) throws -> CredentialKey {
            try CredentialKey(
                account, AWSSTSSample.request(account, name: name, seconds: seconds, policy: policy), for: nil)
        }
        let account = try AWSSTSSample.account()
        let keys = [
            try key(account), try key(account, "user-2"), try key(account, "user-1", 901),
            try key(account, "user-1", 900, "{} "), try key(AWSSTSSample.account(.federationToken)),
            try key(AWSSTSSample.account(.webIdentity)), try key(AWSSTSSample.account(secret: "another")),
            try key(AWSSTSSample.account { $0.region = AWSSTSSample.bytes("us-east-2") }),
            try key(AWSSTSSample.account { $0.roleArn = AWSSTSSample.bytes("arn:aws:iam::111122223333:role/Uploads") }),
            try key(AWSSTSSample.account { $0.externalId = AWSSTSSample.bytes("ab") }),
            try key(AWSSTSSample.account { $0.sourceIdentity = AWSSTSSample.bytes("ab") }),
            try key(AWSSTSSample.account { $0.endpoints = .texts("https://minio.example.com") }),
        ]
        #expect(try Set(keys).count == keys.count && keys[0] == key(account))
    }

    // MARK: Policies

    private func policy(
        _ prefix: String?, _ partition: AWSSTS.Partition = .aws, actions: [String] = ["s3:PutObject"],
        list: Bool = false
    ) throws -> String {
        let policy = SessionPolicy.s3(in: partition)
        let actions = try SessionActions(actions.map { Array($0.utf8) }, of: policy, isUnscoped: prefix == nil)
        var out = ByteWriter()
        let (bucket, text) = (Array("media".utf8), Array((prefix ?? "").utf8))
        if prefix == nil {
            try policy.write(actions, on: bucket.span, prefix: nil, listPrefix: list, into: &out)
        } else {
            try policy.write(actions, on: bucket.span, prefix: text.span, listPrefix: list, into: &out)
        }
        return out.array.text
    }

    @Test func `a policy is of the prefix alone, in its partition`() throws {
        #expect(
            try policy("user/1/", list: true)
                == #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:PutObject"],"#
                + #""Resource":["arn:aws:s3:::media/user/1/*"]},{"Effect":"Allow","Action":["s3:ListBucket"],"#
                + #""Resource":["arn:aws:s3:::media"],"Condition":{"StringLike":{"s3:prefix":["user/1/*"]}}}]}"#)
        #expect(try policy("a/", .china).contains(#"["arn:aws-cn:s3:::media/a/*"]"#))
        #expect(try policy(nil, .government).contains(#"["arn:aws-us-gov:s3:::media","arn:aws-us-gov:s3:::media/*"]"#))
    }

    @Test func `characters that AWS refuses stand as escapes, and count as long as they are`() throws {
        let text = try policy("报告/é😀/")
        #expect(text.contains(#"media/\u62a5\u544a/\u00e9\ud83d\ude00/*"]"#) && text.utf8.allSatisfy { $0 < 0x80 })
        guard case .array(let statements)? = try JSON.read(Data(text.utf8))["Statement"] else {
            Issue.record("no statements")
            return
        }
        #expect(statements.map { $0["Resource"] } == [.array([.string("arn:aws:s3:::media/报告/é😀/*")])])
        #expect(try policy(String(repeating: "报", count: 300) + "/").utf8.count > 1800)
        #expect(throws: SessionPolicy.Fault.tooLong) { try policy(String(repeating: "报", count: 330) + "/") }
    }

    @Test(arguments: STSPolicyTests.hostile) func `no prefix that says more than itself`(prefix: String) {
        #expect(throws: SessionPolicy.Fault.prefix) { try policy(prefix) }
    }

    @Test(arguments: ["s3:*", "s3:PutObjectAcl", "s3:PutObjectTagging", "s3:ListBucket", "oss:PutObject", "PutObject"])
    func `R17: actions that reach beyond objects need more`(action: String) {
        #expect(throws: FieldProblem.self) { try policy("a/", actions: [action]) }
    }
}
