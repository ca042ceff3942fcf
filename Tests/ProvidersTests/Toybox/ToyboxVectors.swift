import Access
import Crypto
import Testing

@testable import Providers

enum ToyboxVectors {
    static func token(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let end = try #require(input["expires"]?.integer)
        let (grant, key) = (Settings(of: ToyboxToken.Fields()), try Signing.key(input))
        let issuer = try ToyboxToken(grant, GrantContext(target: .anything, accessKey: key.accessKey))
        let answer = try Signing.issue(
            issuer, with: key, bucket: try #require(input["bucket"]?.string), key: try #require(input["key"]?.string),
            extent: .object, now: end - 60, lifetime: 60)
        #expect(answer["token"] == expected["token"])
    }
}
