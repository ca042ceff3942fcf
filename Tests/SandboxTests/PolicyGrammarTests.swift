import Testing

@testable import Bytes
@testable import Sandbox

@Suite struct PolicyGrammarTests {
    static let statement = #"{"Effect":"Allow","Action":["oss:PutObject"],"Resource":["acs:oss:*:*:b/p/*"]}"#

    static func policy(_ statement: String) -> String { #"{"Version":"1","Statement":[\#(statement)]}"# }

    private func code(_ policy: String) throws -> String {
        try Fixture.code(Call { $0.parameters.append(("Policy", policy)) })
    }

    @Test(arguments: [
        policy(statement), policy(statement + "," + statement), #"{"Statement":[\#(statement)],"Version":"1"}"#,
        policy(#"{"Effect":"Deny","NotAction":"oss:*","NotResource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":["acs:oss:oss-cn-hangzhou:123:用户/é *~'()!/*:x"]}"#),
        policy(
            #"{"Effect":"Allow","Action":"oss:ListObjects","Resource":"acs:oss:*:*:b","Condition":{"StringLike":{"oss:Prefix":["p/*"]}}}"#
        ),
        policy(
            #"{"Effect":"Allow","Action":"oss:Get*","Resource":"*","Condition":{"Bool":{"acs:SecureTransport":true},"IpAddress":{"acs:SourceIp":"10.0.0.0/8"},"ForAnyValue:StringEquals":{"oss:k":["a",1]}}}"#
        ),
        policy(
            #"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"NumericLessThanEquals":{"oss:k":1},"NotIpAddress":{"acs:SourceIp":"10.0.0.0/8"},"ForAllValues:StringNotLike":{"oss:k":"a"}}}"#
        ),
        " " + policy(statement) + "\n",
    ])
    func `a policy is accepted`(policy: String) throws {
        #expect(try code(policy) == "200")
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "null", "1", #""x""#, "policy", policy(statement) + "x",
        policy(statement) + policy(statement),
        policy(""), policy("1"), policy("{}"), policy(statement + ","),
        #"{"Version":1,"Statement":[\#(statement)]}"#, #"{"Version":"2","Statement":[\#(statement)]}"#,
        #"{"Statement":[\#(statement)]}"#, #"{"Version":"1"}"#, #"{"Version":"1","Statement":\#(statement)}"#,
        #"{"version":"1","statement":[\#(statement)]}"#, #"{"Version":"1","Statement":[\#(statement)],"Id":"x"}"#,
        #"{"Version":"1","Version":"1","Statement":[\#(statement)]}"#,
        policy(#"{"Action":"*","Resource":"*"}"#), policy(#"{"Effect":"Allow","Resource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"*"}"#), policy(#"{"Effect":"allow","Action":"*","Resource":"*"}"#),
        policy(#"{"Effect":["Allow"],"Action":"*","Resource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"*","NotAction":"*","Resource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","NotResource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":[],"Resource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":[]}"#),
        policy(#"{"Effect":"Allow","Action":[1],"Resource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"PutObject","Resource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"oss:","Resource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"oss:Put Object","Resource":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"b/p/*"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"acs:oss:*:b"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"acs:oss:*:*:"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"arn:oss:*:*:b"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Principal":"*"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Sid":"x"}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":[]}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":{}}}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":"x"}}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":{"noservice":true}}}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":{"a:b":null}}}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":{"a:b":[]}}}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":{"a:b":[{}]}}}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Other":{"a:b":"c"}}}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"stringLike":{"a:b":"c"}}}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"NumericLike":{"a:b":1}}}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"ForNoValue:StringLike":{"a:b":"c"}}}"#),
        policy(#"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"":{"a:b":"c"}}}"#),
        "// c\n" + policy(statement), policy(statement.replacing("\"", with: "'")),
        String(repeating: "[", count: 2000),
    ])
    func `what is no policy has not passed the grammar`(policy: String) throws {
        #expect(try code(policy) == "InvalidParameter.PolicyGrammar")
    }

    @Test func `a policy has at most 2048 characters, whatever their bytes`() throws {
        func policy(_ fill: String) -> String {
            Self.policy(#"{"Effect":"Allow","Action":"*","Resource":"acs:oss:*:*:\#(fill)"}"#)
        }
        let room = 2048 - policy("").utf16.count
        #expect(try code(policy(String(repeating: "a", count: room))) == "200")
        #expect(try code(policy(String(repeating: "用", count: room))) == "200")
        #expect(try code(policy(String(repeating: "a", count: room + 1))) == "InvalidParameter.PolicySize")
        #expect(try code(policy(String(repeating: "用", count: room + 1))) == "InvalidParameter.PolicySize")
        #expect(try code(String(repeating: "x", count: 2049)) == "InvalidParameter.PolicySize")
    }
}
