import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of Alibaba's vectors that are about forms, live channels and callbacks.
enum OSSFormVectors {
    static func postV1(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let members = try members(of: input) { try PostForm.signV1($0, with: Signing.key(input), into: &$1) }
        #expect(members["policy"] == expected["policy"] && members["Signature"] == expected["signature"])
        #expect(members == expected["formFields"])
    }

    static func postV4(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let key = try OSSV4Vectors.key(input)
        let members = try members(of: input) { try PostForm.signV4($0, with: key, into: &$1) }
        #expect(members["policy"] == expected["policy"] && members["x-oss-signature"] == expected["signature"])
        #expect(key.credential.text == expected["credential"]?.string)
        guard let fields = expected["formFields"] else { return }
        for (name, value) in members.members { #expect(fields[name] == value) }
    }

    private static func members(
        of input: JSON, _ sign: (Span<UInt8>, inout JSONObject) throws -> Void
    ) throws -> JSON {
        let policy = try #require(input["policyJson"]).bytes
        var out = ByteWriter()
        try out.append(object: { try sign(policy.span, &$0) })
        return try JSON.read(Data(out.array))
    }

    static func rtmpV1(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let (bucket, channel) = (try #require(input["bucket"]).bytes, try #require(input["channel"]).bytes)
        let playlist = try #require(input["playlistName"]).bytes
        let signed = try OSSSample.Signed {
            try RTMPURL(bucket: bucket.span, channel: channel.span, playlist: playlist.span).write(
                on: OSSVectors.endpoint(input), until: try #require(input["expires"]?.integer),
                by: OSSSigner.V1(
                    Signing.key(input), token: input["securityToken"]?.string.map { Array($0.utf8) }),
                into: &$0, using: &$1)
        }
        #expect(signed.text == expected["url"]?.string)
        OSSVectors.expect(signed.stringToSign, expected["stringToSign"])
    }

    static func verifyCallback(_ vector: Vector) throws {
        let input = try vector.input
        let pem = try #require(input["publicKeyPem"]).bytes
        let found = RSAPublicKey(pem: pem.span)
        let key = try #require(found)
        let query = try #require(input["query"]?.string)
        let target = try #require(input["path"]?.string) + (query.isEmpty ? "" : "?" + query)
        let (authorization, body) = (try #require(input["authorization"]).bytes, try #require(input["body"]).bytes)
        var scratch = ByteWriter()
        let bytes = UploadCallback.signature(in: authorization.span)
        let signature = try UploadCallback.claim(
            try #require(bytes), over: Array(target.utf8).span, body: body.span, using: &scratch)
        let isGenuine = try key.verifies(try #require(signature))
        #expect(isGenuine == (try vector.expected["valid"]?.boolean))
    }
}
