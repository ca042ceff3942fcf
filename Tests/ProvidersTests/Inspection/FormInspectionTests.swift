import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// What is told of forms that upload to OSS.
@Suite struct FormInspectionTests {
    private let now = InspectionSample.now

    private func form(
        v4: Bool, key name: String = "a/b.png", isPrefix: Bool = false, types: [String] = ["image/png"],
        deadline: Int64? = nil
    ) throws -> String {
        let policy = PostPolicy(
            sizes: 1...1000, contentTypes: types.count > 1 ? types.map { Array($0.utf8) } : [],
            fields: [
                NameValue("success_action_status", Array("200".utf8)),
                NameValue("x-oss-forbid-overwrite", Array("true".utf8)),
            ])
        let typed = types.count == 1 ? policy.limited(to: Array(types[0].utf8)) : policy
        let (bucket, key) = (Array("examplebucket".utf8), Array(name.utf8))
        let scope = try PostPolicy.Scope(
            OSS.v4, bucket: bucket.span, key: key.span, isPrefix: isPrefix, until: deadline ?? now + 600)
        let scoped = try ScopedKey(
            InspectionSample.key(), OSS.v4, region: Array("cn-hangzhou".utf8), product: Array("oss".utf8), at: now)
        var out = ByteWriter()
        var scratch = ByteWriter()
        try out.append(object: { form in
            if v4 {
                try PostForm.writeV4(
                    typed, scope, by: V4Signer(scoped, at: now), into: &form, using: &scratch)
            } else {
                try PostForm.writeV1(
                    typed, scope, by: OSSSigner.V1(InspectionSample.key()), into: &form, using: &scratch)
            }
        })
        return out.array.text
    }

    /// The answer of the service that a form stands in.
    private func answer(_ form: String, _ members: String = "\"bucket\":\"examplebucket\"") -> String {
        "{\"url\":\"https://examplebucket.oss-cn-hangzhou.aliyuncs.com/\",\"fields\":\(form),\(members)}"
    }

    @Test(arguments: [true, false])
    func `a form is genuine by itself and in its answer, and tells what it allows`(v4: Bool) throws {
        let form = try form(v4: v4)
        for text in [form, answer(form)] { try InspectionSample.expectGenuine(text, "OSS form", until: now + 600) }
        let inspection = try InspectionSample.inspect(answer(form))
        #expect(inspection[fact: "bucket"] == "examplebucket" && inspection[fact: "key"] == "a/b.png")
        #expect(inspection[fact: "x-oss-content-type"] == "image/png")
        #expect(inspection[fact: "size"] == "1 to 1000 bytes")
        #expect(inspection[fact: "x-oss-forbid-overwrite"] == "true")
        #expect(inspection[fact: "left to the form"] == "x-oss-object-acl, callback")
        #expect(inspection[fact: "without force"] == nil)
        let prefix = try InspectionSample.inspect(self.form(v4: v4, key: "a/", isPrefix: true))
        #expect(prefix.verdict == .genuine && prefix[fact: "key prefix"] == "a/")
        let open = try InspectionSample.inspect(self.form(v4: v4, types: ["image/png", "image/gif"]))
        #expect(open.verdict == .genuine && open[fact: "still to add"] == "x-oss-content-type")
    }

    @Test(arguments: [true, false])
    func `a form is refused for what is wrong with it`(v4: Bool) throws {
        let form = try form(v4: v4)
        try InspectionSample.expectRefusal(form.replacing("a/b.png", with: "a/c.png"), "policy", "the form's key")
        try InspectionSample.expectRefusal(
            form.replacing("image/png", with: "image/gif"), "policy", "x-oss-content-type")
        try InspectionSample.expectRefusal(
            answer(form).replacing("//examplebucket", with: "//otherbucket"), "policy", "bucket")
        try InspectionSample.expectRefusal(
            answer(form, #""bucket":"otherbucket""#), "answer", "bucket beside it is not what is signed")
        try InspectionSample.expectRefusal(form, "expiry", "ended", at: now + 600)
        try InspectionSample.expectRefusal(form.replacing("AKID", with: "AKIE"), "access key", "no credential")
        let other = try self.form(v4: v4, key: "a/c.png")
        let policy = try #require(try JSONReader.read(Array(form.utf8), as: .json).text("policy")).text
        let otherPolicy = try #require(try JSONReader.read(Array(other.utf8), as: .json).text("policy")).text
        try InspectionSample.expectRefusal(form.replacing(policy, with: otherPolicy), "signature", "not that of this")
        try InspectionSample.expectRefusal(form.replacing(policy, with: "e30="), "form", "expiration")
        try InspectionSample.expectRefusal(form.replacing(policy, with: "x"), "form", "base64")
        let several = try self.form(v4: v4, types: ["image/png", "image/gif"])
        try InspectionSample.expectRefusal(
            several.replacing(#"{"key""#, with: #"{"x-oss-content-type":"text/html","key""#), "policy",
            "x-oss-content-type")
    }

    @Test
    func `it is told what a form may choose that has no condition, and what a condition on content-type is worth`()
        throws
    {
        func inspect(_ conditions: String) throws -> Inspection {
            let policy = "{\"expiration\":\"2026-12-01T00:00:00.000Z\",\"conditions\":[\(conditions)]}"
            return try InspectionSample.inspect(Base64.standard.encode(Array(policy.utf8)).text)
        }
        let all = "x-oss-content-type, x-oss-forbid-overwrite, x-oss-object-acl, callback"
        #expect(try inspect(#"{"bucket":"b"}"#)[fact: "left to the form"] == all)
        for condition in [#"["in","$content-type",["image/png"]]"#, #"{"Content-Type":"image/png"}"#] {
            let inspection = try inspect(condition)
            #expect(inspection[fact: "left to the form"] == all)
            #expect(inspection[fact: "without force"]?.contains("content-type") == true)
        }
        let both = try inspect(#"{"content-type":"image/png"},["in","$x-oss-content-type",["image/png"]]"#)
        #expect(both[fact: "without force"] == nil)
        #expect(both[fact: "left to the form"] == "x-oss-forbid-overwrite, x-oss-object-acl, callback")
        let pinned =
            #"{"x-oss-content-type":"a/b"},{"x-oss-forbid-overwrite":"true"},{"x-oss-object-acl":"default"},{"callback":"e30="}"#
        #expect(try inspect(pinned)[fact: "left to the form"] == nil)
    }

    @Test func `what version 4 asks of a form is asked`() throws {
        let form = try form(v4: true)
        try InspectionSample.expectRefusal(form.replacing("20261118/cn-", with: "20261119/cn-"), "scope", "day")
        try InspectionSample.expectRefusal(
            form.replacing("x-oss-signature\"", with: "x-oss-sign\""), "form", "signature")
        let policy = try #require(try JSONReader.read(Array(form.utf8), as: .json).text("policy"))
        let bare = Base64.standard.encode(
            Array("{\"expiration\":\"2026-12-01T00:00:00.000Z\",\"conditions\":[{\"bucket\":\"b\"},[\"eq\"]]}".utf8))
        let changed = form.replacing(policy.text, with: bare.text)
        try InspectionSample.expectRefusal(changed, "policy", "a condition for x-oss-date")
        try InspectionSample.expectRefusal(changed, "policy", "a condition must be")
        try InspectionSample.expectRefusal(changed, "expiry", "7 days")
    }

    @Test func `the vendor's names for web pages, and the policy alone, are understood`() throws {
        let form = try form(v4: false)
        let web = form.replacing("OSSAccessKeyId", with: "accessid").replacing("\"Signature\"", with: "\"signature\"")
        #expect(try InspectionSample.inspect(web).verdict == .genuine)
        let policy = try #require(try JSONReader.read(Array(form.utf8), as: .json).text("policy"))
        let alone = try InspectionSample.inspect(policy.text)
        #expect(alone.kind == "OSS form" && alone.verdict == .unverified && alone[fact: "key"] == "a/b.png")
        try InspectionSample.expectRefusal(policy.text, "expiry", "ended", at: now + 601)
    }
}
