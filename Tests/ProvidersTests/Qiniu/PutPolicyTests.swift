import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

@Suite struct PutPolicyTests {
    private static let samples = [
        """
        {"endUser":"u-\\"1","saveKey":"p/$(etag)","forceSaveKey":true,"returnUrl":"app://中文?a=/b","returnBody":"{\\"k\\": $(key)}",\
        "fsizeMin":0,"fsizeLimit":9223372036854775807,"detectMime":-1,"mimeLimit":"!a/b;c/*","keylimit":["p/\\"é\\"","p/b"],\
        "fileType":4,"deleteAfterDays":36500,"trafficLimit":838860800,"persistentWorkflowTemplateID":"t","persistentType":0}
        """,
        """
        {"callbackUrl":"http://10.0.0.1/cb;https://h/cb","callbackHost":"h","callbackBody":"{\\"key\\":\\"$(key)\\"}",\
        "callbackBodyType":"application/json","callbackFetchKey":1,"persistentOps":"a/1|saveas/bWVkaWE6cC9h;b",\
        "persistentNotifyUrl":"https://h/ops","persistentPipeline":"pipe","persistentType":1,"forceSaveKey":false,\
        "transform":"imageView2/1","transformFallbackMode":"skip","transformFallbackKey":"p/fallback"}
        """,
    ]

    private let key: SigningKey

    init() throws { key = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("SK".utf8))) }

    /// The put policy in a token for `media:p/a.jpg`.
    private func policy(_ fields: String, target: Grant.Target = .anything) throws -> [String: JSON] {
        let json = try JSON.read(Data(fields.utf8))
        var grant = Settings(of: UploadToken.Fields())
        grant.policy = try Signing.values(json, by: PutPolicy.fields)
        let issuer = try UploadToken(
            grant, GrantContext(target: target, bucket: Array("media".utf8), accessKey: key.accessKey))
        let answer = try Signing.issue(
            issuer, with: key, bucket: "media", key: "p/a.jpg", extent: .object,
            vendorName: json["endUser"]?.bytes ?? [],
            now: 1_700_000_000, lifetime: 60)
        let parts = try UploadTokenParts(try #require(answer["uptoken"]).bytes.span)
        #expect(try parts.isSigned(by: key))
        let encoded = try #require(answer["uptoken"]?.string?.components(separatedBy: ":").last)
        return try JSON.read(try #require(VendorSide.decoded(encoded))).members
    }

    @Test(arguments: samples)
    func `every field is in the token with the vendor's type`(fields: String) throws {
        var expected = try JSON.read(Data(fields.utf8)).members
        expected["scope"] = .string("media:p/a.jpg")
        expected["deadline"] = .integer(1_700_000_060)
        expected["insertOnly"] = .integer(1)
        let prefix = Grant.Target.prefix(try KeyTemplate(Array("p/".utf8)))
        #expect(try policy(fields, target: prefix) == expected)
    }

    @Test func `the two samples have every field there is`() throws {
        let names = try Self.samples.flatMap { try JSON.read(Data($0.utf8)).members.keys }
        #expect(Set(names) == Set(PutPolicy.fields.descriptions.map(\.name)))
    }

    @Test func `a limit of types has them looked for in the content (R16)`() throws {
        #expect(try policy("{\"mimeLimit\":\"image/*\"}")["detectMime"] == .integer(1))
        #expect(try policy("{}")["detectMime"] == nil)
    }
}
