import Foundation
import Testing

@testable import TestService

@Suite("OSS forms over HTTP")
struct OSSPostPolicyTests {
    private static let own: Set = [
        "url", "fields", "bucket", "accessid", "host", "policy", "signature", "expire", "dir",
    ]
    private static let ownOfV4: Set = ["x_oss_signature_version", "x_oss_credential", "x_oss_date"]

    /// What a form has whatever it is for.
    private func read(
        _ answer: Answer, grant: String = "pictures", lifetime: Int64 = 600, limitedBy: String = "grant",
        beside names: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> PostedForm {
        let (json, form) = (answer.json, try PostedForm(answer.json))
        let deadline = try #require(json["expire"]?.integer)
        answer.expectTerms(
            grant: grant, lifetime: lifetime, limitedBy: limitedBy, deadline: deadline, sourceLocation: sourceLocation)
        let isV4 = form.fields["x-oss-signature"] != nil
        let expected = OSSPostPolicyTests.own.union(Answer.terms).union(names)
        #expect(
            json.names == (isV4 ? expected.union(OSSPostPolicyTests.ownOfV4) : expected), sourceLocation: sourceLocation
        )
        #expect(form.expiration == iso8601(deadline).replacing("Z", with: ".000Z"), sourceLocation: sourceLocation)
        #expect(form.url.text == (json["host"]?.string ?? "") + "/", sourceLocation: sourceLocation)
        #expect(json["accessid"] == .string(Setup.ossAccessKey), sourceLocation: sourceLocation)
        for (name, field) in [
            ("policy", "policy"), ("signature", isV4 ? "x-oss-signature" : "Signature"), ("callback", "callback"),
            ("x_oss_signature_version", "x-oss-signature-version"), ("x_oss_credential", "x-oss-credential"),
            ("x_oss_date", "x-oss-date"),
        ] {
            #expect(json[name]?.string == form.fields[field], "\(name)", sourceLocation: sourceLocation)
        }
        return form
    }

    private static let v4Fields: Set = [
        "policy", "x-oss-signature", "x-oss-signature-version", "x-oss-credential", "x-oss-date",
    ]

    @Test func `R16: a form for one key pins bucket, key, size, types, status, and that nothing is overwritten`() throws
    {
        let service = try Service.shared(.forms)
        for version in ["", "&version=v4", "&version=v1"] {
            let answer = try service.get("/oss/post-policy?key=pictures/2026/a.png\(version)")
            let form = try read(answer, beside: ["key"])
            #expect(form.url.text == "https://demo-bucket.\(Setup.ossEndpoint)/")
            #expect(answer.json["key"] == "pictures/2026/a.png")
            #expect(answer.json["dir"] == "pictures/2026/")
            #expect(answer.json["bucket"] == "demo-bucket")
            #expect(
                form.conditions == [
                    .object(["bucket": "demo-bucket"]), .list(["eq", "$key", "pictures/2026/a.png"]),
                    .list(["content-length-range", 10, 1000]),
                    .list(["in", "$x-oss-content-type", .list(["image/png", "image/jpeg"])]),
                    .object(["success_action_status": "200"]), .object(["x-oss-forbid-overwrite": "true"]),
                    .object(["x-oss-object-acl": "default"]),
                ])
            let signed =
                version.hasSuffix("v1") ? ["policy", "Signature", "OSSAccessKeyId"] : OSSPostPolicyTests.v4Fields
            let pinned: Set = ["key", "success_action_status", "x-oss-forbid-overwrite", "x-oss-object-acl"]
            #expect(Set(form.fields.keys) == signed.union(pinned))
            #expect(form.fields["x-oss-object-acl"] == "default")
            #expect(form.fields["key"] == "pictures/2026/a.png")
        }
    }

    @Test func `a form for a prefix takes any file below it, and a narrower prefix than the grant's may be asked for`()
        throws
    {
        let service = try Service.shared(.forms)
        for prefix in ["pictures/", "pictures/2026/11/", "pictures/照片 +&=%/"] {
            let answer = try service.get("/oss/post-policy?keyPrefix=\(percent(prefix))")
            let form = try read(answer, beside: ["keyPrefix"])
            #expect(answer.json["keyPrefix"] == .string(prefix))
            #expect(answer.json["dir"] == .string(prefix))
            #expect(form.fields["key"] == prefix + "${filename}")
            #expect(form.conditions.contains(.list(["starts-with", "$key", .string(prefix)])))
            #expect(form.fault(size: 10, ["x-oss-content-type": "image/png"]) == nil)
            #expect(form.fault(size: 10, ["x-oss-content-type": "image/png", "key": "pictures"]) == "key")
        }
    }

    @Test func `GET, JSON and a form get the same`() throws {
        let service = try Service.shared(.forms)
        for answer in [
            try service.get("/oss/post-policy?key=pictures/%E4%B8%AD&maxSize=99&contentType=image/png&expires=60"),
            try service.post(
                "/oss/post-policy",
                json: #"{"key":"pictures/中","maxSize":99,"contentType":"image/png","expires":60}"#),
            try service.post(
                "/oss/post-policy", "application/x-www-form-urlencoded",
                "key=pictures/%E4%B8%AD&maxSize=99&contentType=image%2Fpng&expires=60&_=1"),
        ] {
            let form = try read(answer, lifetime: 60, limitedBy: "requested", beside: ["key"])
            #expect(form.fields["key"] == "pictures/中")
            #expect(form.conditions.contains(.list(["content-length-range", 10, 99])))
        }
    }

    @Test func `R16: a size and a type that are asked for tighten the grant's`() throws {
        let service = try Service.shared(.forms)
        for size in [10, 999, 1000] as [Int64] {
            let answer = try service.get("/oss/post-policy?key=pictures/a&maxSize=\(size)&contentType=image/jpeg")
            let form = try read(answer, beside: ["key"])
            #expect(form.conditions.contains(.list(["content-length-range", 10, .integer(size)])))
            #expect(form.fields["x-oss-content-type"] == "image/jpeg")
            #expect(form.condition("x-oss-content-type") == "image/jpeg")
            #expect(form.fault(size: size) == nil)
            #expect(form.fault(size: size + 1) == "content-length-range")
            #expect(form.fault(size: size, ["x-oss-content-type": "image/png"]) == "x-oss-content-type")
        }
        for (size, clause) in [(9, "minSize"), (1, "minSize"), (1001, "maxSize"), (5_368_709_120, "maxSize")] {
            let answer = try service.get("/oss/post-policy?key=pictures/a&maxSize=\(size)")
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == .string(clause))
        }
        let answer = try service.get("/oss/post-policy?key=pictures/a&contentType=text/html")
        answer.expectProblem(403, "not_in_grant", "contentTypes")
        // Where the grant has no types, one may still be asked for.
        let loose = try PostedForm(try service.get("/oss/post-policy?key=any/a&contentType=text/html").json)
        #expect(loose.condition("x-oss-content-type") == "text/html")
        #expect(loose.fields["x-oss-content-type"] == "text/html")
        let longest = "text/" + String(repeating: "a", count: 123)
        try service.get("/oss/post-policy?key=any/a&contentType=\(longest)").expectSuccess()
        try service.get("/oss/post-policy?key=any/a&contentType=\(longest)a")
            .expectProblem(400, "invalid_parameter", "at most 128 bytes")
    }

    @Test func `any key comes through to the policy as it was asked for`() throws {
        let service = try Service.shared(.forms)
        let letters: [Character] = Array("aZ09-_.~ +&=%?#\"'\\/:;,<>[]{}()*!@^|`$é中😀\u{301}\u{2028}")
        for round in 0..<100 {
            let length = Int.random(in: 1...(round.isMultiple(of: 10) ? 250 : 20))
            let rest = String((0..<length).compactMap { _ in letters.randomElement() })
            let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
            if rest.contains("${") || rest.contains("$(") || parts.contains(".") || parts.contains("..") { continue }
            let key = "any/" + rest
            let answer = try service.get("/oss/post-policy?key=\(percent(key))")
            let form = try PostedForm(answer.json)
            #expect(Array((form.fields["key"] ?? "").utf8) == Array(key.utf8), "\(key)")
            #expect(form.fault(size: 1) == nil, "\(key)")
            #expect(form.fault(size: 1, ["key": key + "a"]) == "key", "\(key)")
        }
    }

    @Test func `the grant's callback is pinned, and its only type is given`() throws {
        let service = try Service.shared(.forms)
        for version in ["v1", "v4"] {
            let answer = try service.get("/oss/post-policy?key=reports/a.pdf&version=\(version)")
            let form = try read(answer, grant: "reports", lifetime: 3600, beside: ["key", "callback"])
            let callback = try Base64Text.decode(form.fields["callback"] ?? "", urlSafe: false)
            #expect(
                String(decoding: callback, as: UTF8.self)
                    == #"{"callbackUrl":"https://app.example.com/done?a=1","callbackHost":"app.example.com","#
                    + #""callbackBody":"bucket=${bucket}&object=${object}&by=${x:by}","#
                    + #""callbackBodyType":"application/x-www-form-urlencoded","callbackSNI":true}"#)
            #expect(form.condition("callback") == form.fields["callback"])
            #expect(form.condition("x-oss-content-type") == "application/pdf")
            #expect(form.conditions.contains(.list(["content-length-range", 0, 5_368_709_120])))
            #expect(form.fault(size: 5) == nil)
            #expect(form.fault(size: 5, ["callback": nil]) == "callback")
            #expect(form.fault(size: 5, ["callback": "e30="]) == "callback")
        }
    }

    @Test func `R16: with overwrite nothing is said of it`() throws {
        let answer = try Service.shared(.forms).get("/oss/post-policy?keyPrefix=any/")
        let form = try read(answer, grant: "anything", lifetime: 3600, beside: ["keyPrefix"])
        #expect(Set(form.fields.keys) == OSSPostPolicyTests.v4Fields.union(["key", "success_action_status"]))
        #expect(!form.text.contains("overwrite") && !form.text.contains("content-type"))
    }

    @Test func `no form publishes what it uploads, unless the grant leaves that open`() throws {
        let service = try Service.shared(.forms)
        for version in ["v4", "v1"] {
            for (key, acl) in [("pictures/a.png", "default"), ("reports/a.pdf", "private")] {
                let form = try PostedForm(try service.get("/oss/post-policy?key=\(key)&version=\(version)").json)
                let type: [String: String?] = ["x-oss-content-type": acl == "default" ? "image/png" : "application/pdf"]
                #expect(form.fault(size: 10, type) == nil)
                #expect(form.condition("x-oss-object-acl") == acl && form.fields["x-oss-object-acl"] == acl)
                // The vendor wants every field that a condition names, so it cannot be left out either.
                for other in ["public-read", "public-read-write", "PUBLIC-READ", "", nil] as [String?] {
                    #expect(
                        form.fault(size: 10, type.merging(["x-oss-object-acl": other]) { $1 }) == "x-oss-object-acl")
                }
            }
            let open = try PostedForm(try service.get("/oss/post-policy?key=any/a&version=\(version)").json)
            #expect(open.condition("x-oss-object-acl") == nil && open.fields["x-oss-object-acl"] == nil)
            #expect(open.fault(size: 10, ["x-oss-object-acl": "public-read"]) == nil)
        }
    }

    @Test func `R18: every clause of a grant is one that the vendor holds a form to`() throws {
        let service = try Service.shared(.forms)
        let form = try PostedForm(try service.get("/oss/post-policy?key=pictures/a.png").json)
        let png: [String: String?] = ["x-oss-content-type": "image/png"]
        #expect(form.fault(size: 10, png) == nil)
        #expect(form.fault(size: 1000, ["x-oss-content-type": "image/jpeg"]) == nil)
        #expect(form.fault(size: 9, png) == "content-length-range")
        #expect(form.fault(size: 1001, png) == "content-length-range")
        for (name, values) in [
            ("x-oss-content-type", ["text/html", "image/gif", "", "image/png;a", nil]),
            ("key", ["pictures/b.png", "pictures/a.png/", "pictures/a.pn", "x/pictures/a.png", nil]),
            ("x-oss-forbid-overwrite", ["false", "", nil]), ("success_action_status", ["201", nil]),
            ("x-oss-object-acl", ["public-read", "private", nil]),
            ("x-oss-date", ["20200101T000000Z", nil]), ("x-oss-credential", ["a/b", nil]),
        ] as [(String, [String?])] {
            for value in values {
                #expect(form.fault(size: 10, png.merging([name: value]) { $1 }) == name, "\(name) \(value ?? "none")")
            }
        }
    }

    @Test func `R13: a key or a prefix must be asked for, not both, and a grant's own key is nobody else's choice`()
        throws
    {
        let service = try Service.shared(.forms)
        try service.get("/oss/post-policy?grant=pictures").expectProblem(400, "missing_parameter", "key")
        try service.get("/oss/post-policy?key=pictures/a&keyPrefix=pictures/")
            .expectProblem(400, "invalid_parameter", "another key or prefix")
        try service.get("/oss/post-policy?keyPrefix=pictures").expectProblem(400, "invalid_parameter", "must end in /")
        let answer = try service.get("/oss/post-policy?grant=avatar&ext=png", APIKey.alice.bearer)
        let form = try read(answer, grant: "avatar", lifetime: 3600, beside: ["key"])
        #expect(form.fields["key"] == "avatars/apiKey-alice/me.png")
        #expect(answer.json["dir"] == "avatars/apiKey-alice/")
        for query in ["key=x.png", "ext=jpg", "keyPrefix=avatars/apiKey-alice/"] {
            try service.get("/oss/post-policy?grant=avatar&\(query)", APIKey.alice.bearer)
                .expectProblem(403, "not_in_grant")
        }
    }

    @Test func `R5: a form ends with the caller's credential`() throws {
        let answer = try Service.shared(.forms)
            .get("/oss/post-policy?grant=avatar&ext=png", APIKey.ending.bearer)
        let form = try PostedForm(answer.json)
        #expect(answer.json["limitedBy"] == "caller")
        #expect(form.expiration == iso8601(APIKey.ending.notAfter ?? 0).replacing("Z", with: ".000Z"))
    }

    @Test func `an unscoped grant is for any bucket that OSS can have`() throws {
        let service = try Service.shared(.forms)
        let answer = try service.get("/oss/post-policy?bucket=other-1&key=a/b", APIKey.bob.bearer)
        #expect(try PostedForm(answer.json).url.host == "other-1.\(Setup.ossEndpoint)")
        #expect(answer.json["dir"] == "a/")
        let short = try service.get("/oss/post-policy?bucket=other-1&key=a", APIKey.bob.bearer)
        #expect(try PostedForm(short.json).condition("bucket") == "other-1")
        #expect(short.json["dir"] == "")
        for bucket in ["Other", "a.b", "a_b", "ab", "-abc", "abc-", "evil.example"] {
            try service.get("/oss/post-policy?bucket=\(bucket)&key=a", APIKey.bob.bearer)
                .expectProblem(400, "invalid_parameter", "3 to 63")
        }
    }
}
