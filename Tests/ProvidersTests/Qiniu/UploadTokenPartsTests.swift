import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

@Suite struct UploadTokenPartsTests {
    private let key: SigningKey

    init() throws { key = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("SK".utf8))) }

    private func token(_ policy: String) throws -> String {
        let encoded = Base64.urlSafe.encode(Array(policy.utf8)).text
        return "AK:\(try key.sha1.signature(over: encoded, .urlSafe)):\(encoded)"
    }

    private func parts(_ token: String) throws -> UploadTokenParts { try UploadTokenParts(Array(token.utf8).span) }

    @Test(
        arguments: [
            ("media", "media", nil), ("media:a.jpg", "media", "a.jpg"), ("media:a:b", "media", "a:b"),
            ("media:", "media", ""),
            ("media:中文 ~", "media", "中文 ~"),
        ] as [(String, String, String?)])
    func `a scope is cut at its first colon`(scope: String, bucket: String, object: String?) throws {
        let parts = try parts(token("{\"deadline\":1451491200,\"scope\":\"\(scope)\"}"))
        #expect(parts.bucket.text == bucket && parts.key?.text == object && parts.deadline == 1_451_491_200)
        #expect(parts.accessKey.text == "AK")
        #expect(try parts.isSigned(by: key))
    }

    @Test(arguments: [
        "{}", "{\"scope\":\"b\"}", "{\"deadline\":1}", "{\"scope\":\"\",\"deadline\":1}",
        "{\"scope\":\":k\",\"deadline\":1}",
        "{\"scope\":null,\"deadline\":1}", "{\"scope\":\"b\",\"deadline\":\"1\"}", "{\"scope\":\"b\",\"deadline\":1.5}",
        "{\"scope\":\"b\",\"deadline\":1,\"deadline\":2}", "[]", "", "x", "{\"scope\":\"b\",\"deadline\":1}x",
    ])
    func `a policy must have a scope and a deadline`(policy: String) throws {
        let token = try token(policy)
        #expect(throws: UploadTokenParts.Fault.self) { try parts(token) }
    }

    @Test func `a token has three parts`() throws {
        let good = try token("{\"scope\":\"b\",\"deadline\":1}")
        for bad in [
            "", ":", "::", good + ":", ":" + good, good.replacing(":", with: ""), String(good.dropLast()), "A:" + good,
            good + "=",
            good.replacing("=", with: ""), good + "\n", " :a:a",
        ] {
            #expect(throws: UploadTokenParts.Fault.self, "\(bad)") { try parts(bad) }
        }
    }

    @Test func `another key's signature does not hold, nor one over other bytes`() throws {
        let token = try token("{\"scope\":\"b\",\"deadline\":1}")
        let thief = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("guess".utf8)))
        let other = try SigningKey(accessKey: Array("AK2".utf8), secret: Secret(Array("SK".utf8)))
        #expect(try !parts(token).isSigned(by: thief))
        #expect(try !parts(token).isSigned(by: other))
        let forged = Base64.urlSafe.encode(Array("{\"scope\":\"c\",\"deadline\":1}".utf8)).text
        let pieces = token.components(separatedBy: ":")
        #expect(try !parts("AK:\(pieces[1]):\(forged)").isSigned(by: key))
        #expect(try !parts("AK::\(pieces[2])").isSigned(by: key))
        #expect(try !parts("AK:AAAA:\(pieces[2])").isSigned(by: key))
    }
}
