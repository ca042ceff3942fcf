import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Providers

@Suite struct STSPolicyTests {
    @Test func `one prefix, one statement`() throws {
        #expect(
            try STSSample.policy(["oss:PutObject", "oss:GetObject"], prefix: "users/42/")
                == #"{"Version":"1","Statement":[{"Effect":"Allow","Action":["oss:PutObject","oss:GetObject"],"#
                + #""Resource":["acs:oss:*:*:examplebucket/users/42/*"]}]}"#)
    }

    @Test func `listing is on the bucket, and only of the prefix`() throws {
        #expect(
            try STSSample.policy(["oss:PutObject"], prefix: "users/42/", listPrefix: true)
                == #"{"Version":"1","Statement":[{"Effect":"Allow","Action":["oss:PutObject"],"#
                + #""Resource":["acs:oss:*:*:examplebucket/users/42/*"]},"#
                + #"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["acs:oss:*:*:examplebucket"],"#
                + #""Condition":{"StringLike":{"oss:Prefix":["users/42/*"]}}}]}"#)
    }

    @Test func `unscoped is the whole bucket, and other services' actions everywhere`() throws {
        #expect(
            try STSSample.policy(["oss:*"], prefix: nil)
                == #"{"Version":"1","Statement":[{"Effect":"Allow","Action":["oss:*"],"#
                + #""Resource":["acs:oss:*:*:examplebucket","acs:oss:*:*:examplebucket/*"]}]}"#)
        #expect(
            try STSSample.policy(["oss:PutObjectAcl", "kms:Decrypt"], prefix: nil, listPrefix: true)
                == #"{"Version":"1","Statement":[{"Effect":"Allow","Action":["oss:PutObjectAcl"],"#
                + #""Resource":["acs:oss:*:*:examplebucket","acs:oss:*:*:examplebucket/*"]},"#
                + #"{"Effect":"Allow","Action":["kms:Decrypt"],"Resource":["*"]},"#
                + #"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["acs:oss:*:*:examplebucket"]}]}"#)
        #expect(
            try STSSample.policy(["kms:Decrypt"], prefix: nil)
                == #"{"Version":"1","Statement":[{"Effect":"Allow","Action":["kms:Decrypt"],"Resource":["*"]}]}"#)
    }

    @Test func `a policy is JSON without an escaped slash`() throws {
        let all = SessionPolicy.oss.objectActions
        let text = try STSSample.policy(all, prefix: "報告/a b&c'd~<>/", listPrefix: true)
        let policy = try JSON.read(Data(text.utf8))
        #expect(!text.contains("\\") && policy["Version"] == .string("1"))
        guard case .array(let statements)? = policy["Statement"] else {
            Issue.record("no statements")
            return
        }
        #expect(statements.count == 2)
        #expect(statements[0]["Action"] == .array(all.map { .string($0) }))
        #expect(statements[0]["Resource"] == .array([.string("acs:oss:*:*:examplebucket/報告/a b&c'd~<>/*")]))
        #expect(
            statements[1]["Condition"]?["StringLike"]?["oss:Prefix"] == .array([.string("報告/a b&c'd~<>/*")]))
        for statement in statements {
            #expect(statement["Principal"] == nil && statement["Effect"] == .string("Allow"))
        }
    }

    static let hostile = [
        "", "/", "a", "a/b", "user/1", "*", "*/", "a*/", "a/*/", "a?/", "?/", "${oss:x}/", "$/", "a$b/", "$(x)/", "/a/",
        "../", "a/../b/", "./", "a/./", "a\"/", "a\\/", "a\n/", "a\0/", "a\u{7F}/", "a/\",\"*/", "a/*",
        #"a/"],"Effect":"Deny"},{"x":["/"#, "\u{0}", "a/ \r\n/", String(repeating: "k", count: 1023) + "/",
    ]

    @Test(arguments: hostile) func `no prefix that says more than itself`(prefix: String) {
        #expect(throws: SessionPolicy.Fault.prefix) { try STSSample.policy(["oss:GetObject"], prefix: prefix) }
    }

    @Test func `no prefix that is not UTF-8`() throws {
        let actions = try SessionActions([Array("oss:GetObject".utf8)], of: .oss, isUnscoped: false)
        #expect(throws: SessionPolicy.Fault.prefix) {
            var out = ByteWriter()
            let prefix: [UInt8] = [0x61, 0xFF, 0x2F]
            try SessionPolicy.oss.write(
                actions, on: Array("bucket".utf8).span, prefix: prefix.span, listPrefix: false, into: &out)
        }
    }

    @Test func `every byte in a prefix is itself or refused`() throws {
        for byte in UInt8(1)...127 {
            let prefix = "a" + String(UnicodeScalar(byte)) + "b/"
            guard let text = try? STSSample.policy(["oss:GetObject"], prefix: prefix) else {
                #expect(byte < 0x20 || byte == 0x7F || "*?$\"\\".utf8.contains(byte), "\(byte)")
                continue
            }
            #expect(text.hasSuffix(#""Resource":["acs:oss:*:*:examplebucket/"# + prefix + #"*"]}]}"#))
        }
    }

    @Test(arguments: ["", "a/b", "a*", "a:b", "a\"", "é", String(repeating: "a", count: 64)])
    func `no bucket that is none`(bucket: String) {
        #expect(throws: SessionPolicy.Fault.bucket) {
            try STSSample.policy(["oss:GetObject"], bucket: bucket, prefix: "a/")
        }
    }

    @Test func `2,048 bytes are taken and one more is not`() throws {
        func length(_ actions: [String], prefix count: Int) -> Int? {
            let prefix = String(repeating: "x", count: count) + "/"
            return try? STSSample.policy(actions, prefix: prefix, listPrefix: true).utf8.count
        }
        // With listing the prefix stands there twice, so a set of actions meets the limit or misses it by one.
        var longest: Set<Int> = []
        for actions in [["oss:GetObject"], ["oss:GetObjectTagging"], SessionPolicy.oss.objectActions] {
            let count = try #require((1...1022).last { length(actions, prefix: $0) != nil })
            #expect(count < 1022)
            longest.insert(try #require(length(actions, prefix: count)))
        }
        #expect(longest == [SessionPolicy.maximumLength - 1, SessionPolicy.maximumLength])
    }

    @Test func `what is refused leaves nothing behind`() throws {
        let actions = try SessionActions(
            SessionPolicy.oss.objectActions.map { Array($0.utf8) }, of: .oss, isUnscoped: false)
        var out = ByteWriter()
        out.append("before")
        let long = Array((String(repeating: "k", count: 1000) + "/").utf8)
        do throws(SessionPolicy.Fault) {
            try SessionPolicy.oss.write(
                actions, on: Array("bucket".utf8).span, prefix: long.span, listPrefix: true, into: &out)
            Issue.record("written")
        } catch {
            #expect(error == .tooLong)
        }
        let text = out.array.text
        #expect(text == "before")
    }

    // MARK: Actions

    private func problem(_ actions: [String], isUnscoped: Bool = false) -> String? {
        do throws(FieldProblem) {
            _ = try SessionActions(actions.map { Array($0.utf8) }, of: .oss, isUnscoped: isUnscoped)
            return nil
        } catch {
            return "\(error.path): \(error.reason)"
        }
    }

    @Test func `R17: the object-level actions of OSS need nothing else`() {
        #expect(problem(SessionPolicy.oss.objectActions) == nil)
        for action in SessionPolicy.oss.objectActions { #expect(problem([action]) == nil) }
    }

    @Test(arguments: [
        "oss:*", "*", "*:*", "oss:Get*", "oss:GetObject?", "oss:PutObjectAcl", "oss:GetObjectAcl", "oss:PutBucket",
        "oss:ListBuckets", "oss:DeleteBucket", "oss:PutBucketPolicy", "oss:ListObjects", "oss:PutObjectTagging",
        "oss:DeleteObjectVersion", "sts:AssumeRole", "kms:Decrypt", "ram:*", "oss:getobject", "OSS:GetObject",
        "oss:GetObject ", " oss:GetObject", "oss:GetObject\"", "oss:", "", "GetObject", "oss:GetObject:x",
    ])
    func `R17: all other actions do`(action: String) {
        #expect(problem([action]) != nil)
        #expect(problem(["oss:GetObject", action]) != nil)
    }

    @Test(arguments: ["oss:*", "oss:Get*", "oss:PutObjectAcl", "kms:Decrypt", "oss:ListObjects", "ots-x:Get?ow"])
    func `R17: unscoped takes them`(action: String) { #expect(problem([action], isUnscoped: true) == nil) }

    @Test(arguments: ["*", "*:*", "oss", "oss:a b", "oss:a\"b", "oss:", ":a", "o*s:a", "a:b:c", "oss:é", ""])
    func `nothing takes what is no action`(action: String) { #expect(problem([action], isUnscoped: true) != nil) }

    @Test func `actions are named, once each, and listing has its own field`() {
        #expect(problem([]) == "actions: must name at least one action")
        #expect(problem(["oss:GetObject", "oss:GetObject"]) == "actions: names oss:GetObject twice")
        #expect(problem(["oss:ListObjects"])?.contains("listPrefix") == true)
        #expect(problem(["oss:PutBucket"])?.contains("unscoped") == true)
    }
}
