import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of Alibaba's vectors.
enum OSSVectors {
    /// The signature alone: whether such a string is ever signed is the policy's matter, and it refuses all four of these.
    static func signV1(_ vector: Vector) throws {
        let input = try vector.input
        let key = try Signing.key(input)
        var fields = FieldValues()
        fields["methods"] = .strings([Array("GET".utf8)])
        let issuer = try RemoteSignature(GrantFields(fields, target: .anything, accessKey: key.accessKey))
        let answer = try Signing.issue(
            issuer, with: key, bucket: "examplebucket", key: "any", extent: .object, now: 0, lifetime: 900
        ) { ask in
            ask.parameters.reset()
            let content = try #require(input["contentToSign"]).bytes
            try ask.parameters.add(name: Array("contentToSign".utf8).span, value: content.span, form: .text)
            try ask.read(by: RemoteSignature.route.parameters)
        }
        let expected = try vector.expected
        #expect(answer["authorization"] == expected["authorization"])
        #expect(answer["signature"] == expected["signature"])
    }
}
