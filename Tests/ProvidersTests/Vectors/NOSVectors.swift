import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of NetEase's vectors.
enum NOSVectors {
    static func signEncodedPolicy(_ vector: Vector) throws {
        let key = try Signing.key(try vector.input)
        let encoded = try #require(try vector.input["encodedPolicy"]?.string)
        let signature = try key.sha256.signature(over: encoded, .standard)
        let token = "UPLOAD \(key.accessKey.text):\(signature):\(encoded)"
        #expect(try vector.expected["token"]?.string == token)
    }

    static func uploadToken(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let key = try Signing.key(input)
        let reference = try #require(expected["referenceToken"]?.string).dropFirst("UPLOAD ".count)
            .split(separator: ":").map(String.init)
        #expect(try key.sha256.signature(over: reference[2], .standard) == reference[1])

        var policy = try #require(input["policy"]).members
        let bucket = try #require(policy.removeValue(forKey: "Bucket")?.string)
        let object = try #require(policy.removeValue(forKey: "Object")?.string)
        let expires = try #require(policy.removeValue(forKey: "Expires")?.integer)
        let overwrite = policy.removeValue(forKey: "OverWrite")?.boolean ?? true
        var grant = FieldValues()
        grant["policy"] = .object(try Signing.values(.object(policy), by: NOSUploadToken.policyFields))
        grant["overwrite"] = .boolean(overwrite)
        let issuer = try NOSUploadToken(GrantFields(grant, target: .anything, accessKey: key.accessKey))
        let answer = try Signing.issue(
            issuer, with: key, bucket: bucket, key: object, extent: .object, now: expires - 60, lifetime: 60)
        let token = try #require(answer["token"]?.string)
        try #require(token.hasPrefix("UPLOAD \(key.accessKey.text):"))
        let parts = token.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        #expect(try key.sha256.signature(over: parts[2], .standard) == parts[1])
        #expect(try JSON.read(try #require(Data(base64Encoded: parts[2]))) == expected["policy"])
        // The vendor's own JSON has this order; nothing else tells a reader that ours has it too.
        let text = String(decoding: try #require(Data(base64Encoded: parts[2])), as: UTF8.self)
        #expect(text.hasPrefix("{\"Bucket\":\"\(bucket)\",\"Object\":\""))
        #expect(text.contains("\",\"Expires\":\(expires)"))
    }
}
