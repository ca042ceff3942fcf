import Foundation
import Testing

@testable import TestService

/// What nobody gets a form or a stream for (R13, R16), each beside what is like it and is given.
@Suite("Attacks on OSS forms and streams")
struct OSSFormAttackTests {
    /// Two targets that differ by little: the first gets nothing, the second does.
    struct Attack: Sendable {
        let target: String
        let twin: String

        init(_ target: String, twin: String) {
            self.target = target
            self.twin = twin
        }
    }

    private static let form = "/oss/post-policy?key=pictures/a.png"
    private static let stream = "/oss/rtmp-url?expires=60"
    private static let longest = "pictures/" + String(repeating: "a", count: 1014)

    /// Keys as they stand in a query.
    private static let keys = [
        ("pictures/../x", "pictures/..x"), ("pictures/./x", "pictures/.x"), ("pictures/a/..", "pictures/a/..b"),
        ("pictures/..", "pictures/..."), ("pictures%2F..%2Fx", "pictures%2F..x"), ("..", "pictures/a"),
        ("pictures/%2e%2e/x", "pictures/%2e%2ex"), ("/pictures/a", "pictures//a"), ("//pictures/a", "pictures///a"),
        ("pictures", "pictures/a"), ("Pictures/a", "pictures/A"), ("x/pictures/a", "pictures/x/pictures/a"),
        ("pictures2/a", "pictures/2/a"), ("%20pictures/a", "pictures/%20a"), ("%5Cpictures/a", "pictures/%5Ca"),
        ("pictures/$%7Bfilename%7D", "pictures/$filename"), ("pictures/a$%7Bx%7D", "pictures/a%7Bx%7D$"),
        ("pictures/$(key)", "pictures/(key)$"), ("pictures/a%00", "pictures/a0"), ("pictures/a%0A", "pictures/a%250A"),
        ("pictures/a%0D%0Ab", "pictures/a%250Db"), ("pictures/a%7F", "pictures/a~"),
        ("pictures/%FF", "pictures/%C3%BF"),
        ("pictures/%C0%AE%C0%AE/x", "pictures/%C2%AE%C2%AE/x"), (longest + "a", longest), ("", "pictures/a"),
    ]

    private static let prefixes = [
        ("", "pictures/"), ("/", "pictures/"), ("pictures", "pictures/"), ("pictures/a", "pictures/a/"),
        ("pict", "pictures/pict/"), ("other/", "pictures/other/"), ("pictures/../", "pictures/.../"),
        ("pictures/./", "pictures/.a/"), ("pictures/a/../../", "pictures/a/..b/"), ("/pictures/", "pictures//"),
        ("pictures/$%7Bfilename%7D/", "pictures/$filename/"), ("pictures/%0A/", "pictures/%20/"),
        ("p", "pictures/p/"), ("PICTURES/", "pictures/PICTURES/"),
    ]

    private static let sizes = [
        "1001", "0", "-1", "9", "1e3", "0x3e8", "1000.0", "%201000", "1000%20", "+1000", "", "5368709121",
        "9223372036854775807", "9223372036854775808", "99999999999999999999999", "1000&maxSize=1000", "1000;1",
    ]

    private static let types = [
        "text/html", "image/*", "*/*", "image/png;charset=utf-8", "image/png,text/html", "IMAGE/PNG", "image/png%20",
        "image/png%00", "image/png%0D%0Ax-oss-object-acl:public-read", "", "image", "/", "image/", "/png",
        "image/png/x",
        "%5B%22image/png%22%5D", "image/svg%2Bxml", "image/p%C3%B1g", "$content-type",
        "image/png&contentType=image/png",
    ]

    /// Names that reach the form only by way of the grant.
    private static let names = [
        "callback", "callbackUrl", "callbackBody", "callback-var", "x-oss-callback", "x-oss-object-acl", "acl",
        "success_action_redirect", "success_action_status", "redirect", "overwrite", "x-oss-forbid-overwrite",
        "expiration", "conditions", "policy", "fields", "minSize", "contentTypes", "host", "endpoint", "url", "region",
        "x-oss-date", "x-oss-security-token", "accessid", "signature", "x-oss-meta-a", "content-length-range",
        "lifetime", "maxLifetime", "unscoped", "filename", "file", "dir", "Content-Type",
    ]

    private static let playlists = [
        "a/b.m3u8", "../live.m3u8", "/live.m3u8", "live.m3u8/", "a%2F..%2Fb.m3u8", "live.m3u", "live.m3u8.ts", "live",
        ".m3u8", "live.m3u8%00", "live.m3u8%0A", "a%20b.m3u8", "%C3%A4%C3%A4.m3u8", "live.m3u8?x=1", "a%26b.m3u8",
        "a%3Ab.m3u8", "a%0Asecurity-token:x.m3u8", "$(x).m3u8", "$%7Bx%7D.m3u8", "a%5Cb.m3u8", "",
        String(repeating: "a", count: 124) + ".m3u8", "LIVE.M3U8", "live.m3u8&playlist=live.m3u8",
    ]

    private static let channels = [
        "stage-2", "studio", "STAGE-1", "stage-1/", "../stage-1", "stage-1%00", "stage-1%0A", "",
    ]

    private static let streamNames = [
        "key", "keyPrefix", "path", "url", "endpoint", "host", "Expires", "Signature", "OSSAccessKeyId",
        "security-token",
        "playlistName", "vod", "params", "app",
    ]

    static let all: [Attack] =
        keys.map { Attack("/oss/post-policy?key=\($0)", twin: "/oss/post-policy?key=\($1)") }
        + prefixes.map { Attack("/oss/post-policy?keyPrefix=\($0)", twin: "/oss/post-policy?keyPrefix=\($1)") }
        + sizes.map { Attack("\(form)&maxSize=\($0)", twin: "\(form)&maxSize=1000") }
        + types.map { Attack("\(form)&contentType=\($0)", twin: "\(form)&contentType=image/png") }
        // A name that begins with _ is nobody's.
        + names.map { Attack("\(form)&\($0)=x", twin: "\(form)&_\($0)=x") }
        + ["v2", "V4", "v4%20", "4", "", "v4&version=v1"].map {
            Attack("\(form)&version=\($0)", twin: "\(form)&version=v4")
        }
        + ["0", "-1", "3601", "604801", "4102444800", "1e3", ""].map {
            Attack("\(form)&expires=\($0)", twin: "\(form)&expires=3600")
        }
        + ["demo-other", "evil.example", "demo-bucket.evil", "DEMO-BUCKET", "", "demo-bucket/x"].map {
            Attack("\(form)&bucket=\($0)", twin: "\(form)&bucket=demo-bucket")
        }
        + ["avatar", "everywhere", "anything", "stage", "none", ""].map {
            Attack("\(form)&grant=\($0)", twin: "\(form)&grant=pictures")
        }
        + playlists.map { Attack("\(stream)&playlist=\($0)", twin: "\(stream)&playlist=live.m3u8") }
        + channels.map { Attack("\(stream)&channel=\($0)", twin: "\(stream)&channel=stage-1") }
        + streamNames.map { Attack("\(stream)&\($0)=x", twin: "\(stream)&_\($0)=x") }
        + ["demo-other", "evil.example"].map { Attack("\(stream)&bucket=\($0)", twin: "\(stream)&bucket=demo-bucket") }

    @Test func `nothing is issued, and to the twin of each it is`() throws {
        let service = try Service.shared(.forms)
        #expect(OSSFormAttackTests.all.count >= 40)
        for attack in OSSFormAttackTests.all {
            let answer = try service.get(attack.target)
            #expect(answer.status == 400 || answer.status == 403, "\(attack.target): \(answer.status)")
            for sign in ["://", "\"policy\":", "\"fields\":", "ignature\":", "rtmp"] {
                #expect(!answer.textWithoutType.contains(sign), "\(attack.target): \(answer.text)")
            }
            let twin = try service.get(attack.twin)
            if attack.twin.hasPrefix("/oss/rtmp-url") {
                _ = try Verified.stream(twin.json["url"]?.string)
            } else {
                #expect(throws: Never.self, "\(attack.twin): \(twin.text)") { try PostedForm(twin.json) }
            }
        }
    }

    @Test func `JSON gets no further than a query`() throws {
        let service = try Service.shared(.forms)
        for (body, twin) in [
            (#""maxSize":1001"#, #""maxSize":1000"#), (#""maxSize":10.5"#, #""maxSize":"10""#),
            (#""maxSize":[10]"#, #""maxSize":10"#), (#""maxSize":true"#, #""maxSize":11"#),
            (#""maxSize":{"a":10}"#, #""_maxSize":{"a":10}"#), (#""key":"pictures/b""#, #""_key":"pictures/b""#),
            (#""contentType":["image/png"]"#, #""contentType":"image/png""#), (#""callback":{}"#, #""_callback":{}"#),
            (#""contentType":null"#, #""contentType":"image/jpeg""#), (#""fields":{"acl":"x"}"#, #""_fields":{}"#),
            (#""keyPrefix":"pictures/""#, #""_keyPrefix":"pictures/""#),
        ] {
            let answer = try service.post("/oss/post-policy", json: #"{"key":"pictures/a",\#(body)}"#)
            #expect(answer.status == 400 || answer.status == 403, "\(body): \(answer.text)")
            let given = try service.post("/oss/post-policy", json: #"{"key":"pictures/a",\#(twin)}"#)
            #expect(throws: Never.self, "\(twin): \(given.text)") { try PostedForm(given.json) }
        }
    }

    @Test func `no key writes conditions or fields of its own`() throws {
        let service = try Service.shared(.forms)
        for key in [
            #"pictures/"],["starts-with","$key","#, #"pictures/\"]]}"#, #"pictures/a","callback":"x"#, "pictures/a\\",
            #"pictures/\u0022]"#, "pictures/\u{2028}a", "pictures/]}", "pictures/$key", "pictures/*",
        ] {
            let answer = try service.get("/oss/post-policy?key=\(percent(key))")
            let form = try PostedForm(answer.json)
            #expect(form.conditions.count == 7)
            #expect(form.conditions.contains(.list(["eq", "$key", .string(key)])), "\(form.text)")
            #expect(form.fields["key"] == key)
            #expect(form.fields.count == 9)
            #expect(answer.json["key"] == .string(key))
        }
    }

    /// What a client may put in each of the three fields that the vendor takes a type from; nil for nothing.
    private static let sentTypes: [String?] = [
        nil, "image/png", "image/jpeg", "text/html", "image/svg+xml", "application/pdf", "IMAGE/PNG",
        "image/png;text/html", "",
    ]

    @Test func `an object gets one of the grant's types, whatever fields and parts the client adds`() throws {
        let service = try Service.shared(.forms)
        for (query, types) in [
            ("key=pictures/a.png", ["image/png", "image/jpeg"]), ("keyPrefix=pictures/", ["image/png", "image/jpeg"]),
            ("key=pictures/a.png&contentType=image/jpeg", ["image/jpeg"]), ("key=reports/a.pdf", ["application/pdf"]),
            ("key=any/a&contentType=image/png", ["image/png"]),
        ] {
            for version in ["v1", "v4"] {
                let form = try PostedForm(try service.get("/oss/post-policy?\(query)&version=\(version)").json)
                var published: Set<String> = []
                for first in OSSFormAttackTests.sentTypes {
                    for part in OSSFormAttackTests.sentTypes {
                        for last in OSSFormAttackTests.sentTypes {
                            let changes: [String: String?] = ["X-OSS-Content-Type": first, "Content-Type": last]
                            guard form.fault(size: 10, changes) == nil else { continue }
                            published.insert(form.objectType(part: part, changes))
                        }
                    }
                }
                #expect(published == Set(types), "\(query), \(version)")
                // A page that sends the fields as they are, with a file that its browser takes for HTML.
                if types.count == 1 {
                    #expect(form.fault(size: 10) == nil && form.objectType(part: "text/html") == types[0])
                } else {
                    #expect(form.fault(size: 10) == "x-oss-content-type")
                }
            }
        }
    }

    @Test func `what is changed in a policy no longer verifies`() throws {
        let service = try Service.shared(.forms)
        for version in ["v1", "v4"] {
            let answer = try service.get("\(OSSFormAttackTests.form)&version=\(version)")
            guard case .object(var members) = answer.json, case .object(var fields)? = members["fields"] else {
                throw Program.Failure(description: "no form: \(answer.text)")
            }
            let policy = try PostedForm(answer.json).text
            for (old, new) in [
                ("pictures/a.png", "pictures/b.png"), ("1000]", "9000]"), ("image/jpeg", "text/html1"),
                ("demo-bucket", "demo-backet"), ("\"eq\"", "\"in\""), (".000Z", ".999Z"),
            ] {
                try #require(policy.contains(old))
                let text = Base64Text.encode(Array(policy.replacing(old, with: new).utf8), urlSafe: false)
                fields["policy"] = .string(text)
                members["fields"] = .object(fields)
                #expect(throws: Program.Failure.self) { try PostedForm(.object(members)) }
            }
        }
    }
}
