import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// Checks of Qiniu's vectors.
enum QiniuVectors {
    /// Semantic: the token's own signature must hold over its policy as sent, and the policy must be the expected one, types
    /// included. The reference token that one SDK printed must come out of our signer for its own policy text.
    static func uploadToken(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let key = try Signing.key(input)
        let reference = try #require(expected["referenceToken"]?.string).split(separator: ":").map(String.init)
        #expect(try key.sha1.signature(over: reference[2], .urlSafe) == reference[1])

        var policy = try #require(input["policy"]).members
        let insertOnly = policy.removeValue(forKey: "insertOnly")?.integer == 1
        let isPrefix = policy.removeValue(forKey: "isPrefixalScope")?.integer == 1
        let object = input["key"]?.string
        let endUser = policy["endUser"]?.bytes ?? []
        var grant = Settings(of: UploadToken.Fields())
        grant.policy = try Signing.values(.object(policy), by: PutPolicy.fields)
        grant.overwrite = !insertOnly
        do {
            let issuer = try UploadToken(
                grant, GrantContext(target: .anything, accessKey: key.accessKey))
            let answer = try Signing.issue(
                issuer, with: key, bucket: try #require(input["bucket"]?.string), key: object,
                extent: isPrefix ? .prefix : object == nil ? .bucket : .object, vendorName: endUser,
                now: try #require(input["now"]?.integer), lifetime: try #require(input["expires"]?.integer))
            let token = try #require(answer["uptoken"]?.string)
            #expect(answer["token"]?.string == token)
            try check(token, key, expected["policy"])
        } catch is IssueError {
            #expect(vector.mayReject, "a refusal is not among the right answers")
        }
    }

    private static func check(_ token: String, _ key: SigningKey, _ expected: JSON?) throws {
        let parts = token.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        #expect(Array(parts[0].utf8) == key.accessKey)
        #expect(try key.sha1.signature(over: parts[2], .urlSafe) == parts[1])
        let standard = parts[2].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        #expect(try JSON.read(try #require(Data(base64Encoded: standard))) == expected)
    }

    static func sign(_ vector: Vector) throws {
        let key = try Signing.key(try vector.input)
        let data = try #require(try vector.input["data"]?.string)
        let signature = try key.sha1.signature(over: data, .urlSafe)
        #expect(try vector.expected["token"]?.string == "\(key.accessKey.text):\(signature)")
    }

    static func signWithData(_ vector: Vector) throws {
        let key = try Signing.key(try vector.input)
        var data = ByteWriter()
        data.append(try #require(try vector.input["data"]).bytes)
        var token = ByteWriter()
        try SignedPolicy.write(policy: &data, .urlSafe, key.accessKey, key.sha1, into: &token)
        #expect(try vector.expected["token"]?.string == token.array.text)
    }

    static func parseUploadToken(_ vector: Vector) throws {
        let expected = try vector.expected
        let token = Array(try #require(try vector.input["token"]?.string).utf8)
        let parts = try UploadTokenParts(token.span)
        #expect(parts.accessKey == expected["accessKey"]?.bytes)
        #expect(parts.bucket == expected["bucket"]?.bytes)
        #expect(parts.deadline == expected["deadline"]?.integer)
        #expect((parts.policy["returnUrl"] != nil) == expected["hasReturnUrl"]?.boolean)
    }
}
