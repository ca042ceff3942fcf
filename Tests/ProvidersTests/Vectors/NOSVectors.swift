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
        var grant = Settings(of: NOSUploadToken.Fields())
        grant.policy = try Signing.values(.object(policy), by: NOSUploadToken.policyFields)
        grant.overwrite = overwrite
        let issuer = try NOSUploadToken(grant)
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

    static func authorization(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let key = try Signing.key(input)
        let fields = try #require(input["headers"]).members
        let date = fields["Date"]?.bytes ?? []
        var out = ByteWriter()
        var text = ByteWriter()
        var url = ByteWriter()
        try withRequest(input) { request in
            try NOSHeaderSignature.write(for: request, date: date.span, with: key, into: &out, using: &text)
            request.writeURL(on: try Self.endpoint("nos-eastchina1.126.net"), into: &url)
        }
        #expect(out.array.text == expected["authorization"]?.string)
        #expect(text.array.text == expected["stringToSign"]?.string)
        #expect(url.array.text == expected["url"]?.string)
    }

    /// Semantic: the parameters may have any order.
    static func presignedURL(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let key = try Signing.key(input)
        let deadline = try #require(input["now"]?.integer) + #require(input["expires"]?.integer)
        let endpoint = try endpoint(try #require(input["endpoint"]?.string))
        var out = ByteWriter()
        var scratch = ByteWriter()
        try withRequest(input) { request in
            try NOSPresignedURL.write(
                for: request, on: endpoint, until: deadline, with: key, into: &out, using: &scratch)
        }
        #expect(SplitURL(out.array.text).sorted == SplitURL(try #require(expected["url"]?.string)).sorted)
    }

    private static func endpoint(_ host: String) throws -> BaseURL {
        try #require(BaseURL(isSecure: false, Array(host.utf8)))
    }

    private static func withRequest(
        _ input: JSON, _ body: (borrowing NOSRequest) throws -> Void
    ) throws {
        let method = try #require(input["method"]).bytes
        let bucket = input["bucket"]?.bytes ?? []
        let key = input["key"]?.bytes ?? []
        let fields = input["headers"]?.members ?? [:]
        let parameters = (input["params"]?.members ?? [:]).shuffled().map { name, value in
            QueryParameter(
                name: Array(name.utf8),
                value: value.integer.map { Array(String($0).utf8) } ?? value.string?.utf8.map { $0 })
        }
        let (md5, type) = (fields["Content-MD5"]?.bytes ?? [], fields["Content-Type"]?.bytes ?? [])
        let lines = Signing.lines(fields)
        try body(
            NOSRequest(
                method: method.span, bucket: bucket.span, key: key.span, parameters: parameters,
                content: .init(md5: md5.span, type: type.span), fieldLines: lines.span))
    }
}
