import Foundation
import Testing

@testable import TestService

/// What nobody gets signed of a request to OSS, whatever it is asked with, though he is granted all that a grant can have (R13,
/// R15). Beside every attack stands its twin, which differs in nothing else and is signed.
@Suite("Attacks on signed OSS requests and URLs")
struct OSSAttackTests {
    /// What is asked beside the version, of one route or the other.
    struct Attack: Sendable {
        let attack: [(String, String)]
        let twin: [(String, String)]

        init(_ attack: [(String, String)], _ twin: [(String, String)]) {
            self.attack = attack
            self.twin = twin
        }

        static func query(_ attack: String, _ twin: String, method: String = "GET") -> Attack {
            func asked(_ query: String) -> [(String, String)] {
                [("key", "in/a"), ("method", method)] + query.split(separator: " ").map { ("query", String($0)) }
            }
            return Attack(asked(attack), asked(twin))
        }

        static func header(_ attack: String, _ twin: String = "x-oss-meta-a:1") -> Attack {
            let asked = [("key", "in/a"), ("method", "PUT"), ("header", "content-type:a/b")]
            return Attack(asked + [("header", attack)], asked + [("header", twin)])
        }

        static func key(_ attack: String, _ twin: String = "in/a") -> Attack {
            Attack([("key", attack)], [("key", twin)])
        }

        static func method(_ attack: String, _ twin: String) -> Attack {
            Attack([("key", "in/a"), ("method", attack)], [("key", "in/a"), ("method", twin)])
        }
    }

    private static let queries: [Attack] = [
        // Other operations: access lists, links, restoring, processing, tags, callbacks, deleting many or a version.
        .query("acl", "versionId=1"), .query("acl", "uploads", method: "POST"),
        .query("acl", "x-oss-traffic-limit=819200", method: "PUT"), .query("symlink", "versionId=1"),
        .query("symlink", "x-oss-traffic-limit=819200", method: "PUT"), .query("restore", "uploads", method: "POST"),
        .query("cleanRestoredObject", "uploads", method: "POST"), .query("delete", "uploads", method: "POST"),
        .query("x-oss-process=image/resize,w_1", "response-content-type=image/png"),
        .query("x-oss-process", "uploads", method: "POST"),
        .query("x-oss-process=image/resize|sys/saveas,o_Yg", "uploads", method: "POST"),
        .query("x-oss-async-process=x", "uploads", method: "POST"), .query("asyncFetch", "uploads", method: "POST"),
        .query("tagging", "versionId=1"), .query("tagging", "x-oss-traffic-limit=819200", method: "PUT"),
        .query("callback=eyJ9", "x-oss-traffic-limit=819200", method: "PUT"),
        .query("callback-var=eyJ9", "x-oss-traffic-limit=819200", method: "PUT"),
        .query("uploadId=1 callback=eyJ9", "uploadId=1", method: "POST"),
        .query("uploadId=1 x-oss-callback=eyJ9", "uploadId=1", method: "POST"),
        .query("uploadId", "uploadId=1", method: "DELETE"), .query("uploadId=", "uploadId=1", method: "POST"),
        .query("uploadId partNumber=1", "uploadId=1 partNumber=1", method: "PUT"),
        .query("uploadId=1 partNumber=", "uploadId=1 partNumber=1", method: "PUT"), .query("versionId", "versionId=1"),
        .query("versionId=1", "uploadId=1", method: "DELETE"), .query("style/x", "versionId=1"),
        .query("style=x", "versionId=1"), .query("img", "versionId=1"), .query("live", "versionId=1"),
        .query("vod", "versionId=1"), .query("seal", "uploads", method: "POST"), .query("qos", "versionId=1"),
        // Of buckets and the account.
        .query("policy", "versionId=1"), .query("lifecycle", "x-oss-traffic-limit=819200", method: "PUT"),
        .query("cors", "versionId=1"), .query("logging", "versionId=1"), .query("website", "versionId=1"),
        .query("list-type=2", "max-parts=5 uploadId=1"), .query("prefix=", "versionId=1"),
        .query("versions", "versionId=1"), .query("location", "versionId=1"), .query("bucketInfo", "versionId=1"),
        .query("regionList", "versionId=1"), .query("continuation-token=x", "versionId=1"),
        // Expiry and credential names.
        .query("Expires=9999999999", "response-content-type=a/b"), .query("expires=1", "response-content-type=a/b"),
        .query("OSSAccessKeyId=x", "response-content-type=a/b"), .query("Signature=x", "response-content-type=a/b"),
        .query("security-token=x", "response-content-type=a/b"), .query("x-oss-expires=604800", "versionId=1"),
        .query("x-oss-date=20300101T000000Z", "versionId=1"), .query("x-oss-credential=x", "versionId=1"),
        .query("x-oss-signature=x", "versionId=1"), .query("x-oss-signature-version=OSS2", "versionId=1"),
        .query("x-oss-additional-headers=host", "versionId=1"), .query("x-oss-security-token=x", "versionId=1"),
        .query("x-oss-access-key-id=x", "versionId=1"), .query("X-Oss-Expires=1", "versionId=1"),
        // Operations put together, taken apart, and spelled otherwise.
        .query("uploads acl", "uploads", method: "POST"), .query("uploads uploadId=1", "uploadId=1", method: "POST"),
        .query("partNumber=1", "uploadId=1 partNumber=1", method: "PUT"), .query("uploads", "versionId=1"),
        .query("position=1", "position=1 append", method: "POST"), .query("Uploads", "uploads", method: "POST"),
        .query("uploadid=1", "uploadId=1"), .query("uploads&acl", "uploads", method: "POST"),
        .query("uploads%26acl", "uploads", method: "POST"), .query("uploads uploads", "uploads", method: "POST"),
        .query("versionId=1 versionid=1", "versionId=1"), .query("=acl", "versionId=1"), .query("=", "versionId=1"),
        .query("uploadId=1\u{0}", "uploadId=1"), .query("uploadId=1\r\nx-oss-acl:1", "uploadId=1"),
        .query("?acl", "versionId=1"), .query("&acl", "versionId=1"), .query("#acl", "versionId=1"),
        .query("response-expires=x", "response-content-type=x"), .query("response-header=x", "response-content-type=x"),
        .query("max-parts=5", "max-parts=5 uploadId=1"),
    ]

    private static let headers: [Attack] = [
        .header("x-oss-acl:public-read"), .header("x-oss-object-acl:public-read"), .header("X-OSS-Object-ACL:private"),
        .header("x-oss-copy-source:/demo-bucket/secret"), .header("x-oss-copy-source-range:bytes=0-9"),
        .header("x-oss-copy-source-if-match:x"), .header("x-oss-symlink-target:secret"), .header("x-oss-callback:eyJ9"),
        .header("x-oss-callback-var:eyJ9"), .header("x-oss-process:x"), .header("x-oss-tagging:a=b"),
        .header("x-oss-tagging-directive:Copy"), .header("x-oss-metadata-directive:COPY"),
        .header("x-oss-security-token:x"), .header("x-oss-date:20300101T000000Z"), .header("Date:x", "range:bytes=0-1"),
        .header("x-oss-content-sha256:x"), .header("x-oss-server-side-encryption-key-id:x"), .header("Expires:1"),
        .header("Authorization:OSS a:b"), .header("Host:evil.example"), .header("Cookie:a"),
        .header("x-oss-storage-class:Archive"), .header("x-oss-complete-all:yes"), .header("x-oss-rename-source:/a"),
        .header("x-oss-persistent-headers:a"), .header("x-oss-access-point:a"), .header("x-oss-meta:1"),
        .header("x-oss-meta-:1"), .header("x-oss-meta-*:1"), .header("x-oss-meta-a b:1"), .header("x_oss_acl:1"),
        .header(" x-oss-acl:1"), .header("x-oss-acl :1"), .header("x-oss-meta-ä:1"), .header("x-oss-meta-a:"),
        .header("x-oss-meta-a"), .header(":1"), .header(""), .header("x-oss-meta-a\r\nx-oss-acl:public-read"),
        .header("x-oss-meta-a:1\r\nx-oss-acl: public-read"), .header("x-oss-meta-a:1\nx-oss-acl:public-read"),
        .header("x-oss-meta-a:\u{0}"), .header("x-oss-meta-a:\u{3000}"), .header("x-oss-meta-a:a\u{A0}"),
        .header("Content-Type:text/html"), .header("content-md5:x"), .header("content-md5: "),
        .header("content-length:-1", "x-oss-forbid-overwrite:true"),
    ]

    private static let targets: [Attack] = [
        .key("in/../x"), .key("in/./x"), .key("in/.."), .key("in/."), .key(".."), .key("in/a\0"), .key("in/a\n"),
        .key("in/a\r\nx"), .key("in/a\u{7F}"), .key("in/$(key)"), .key("in/${key}"), .key("/in/a"), .key("//in/a"),
        .key("in"), .key("IN/a"), .key("xin/a"), .key(" in/a"), .key("secret"), .key(""), .key("@evil.example/in/a"),
        .key("https://evil.example/in/a"), .key("in/" + String(repeating: "a", count: 1021)), .key("in%2F..%2Fx"),
        .method("PATCH", "PUT"), .method("OPTIONS", "GET"), .method("put", "PUT"), .method("PUT ", "PUT"),
        .method("PUT\n\n\n", "PUT"), .method("", "GET"), .method("GET\n", "GET"),
        .method("GET\nx-oss-object-acl:public-read\n", "GET"), .method("GET\nx-oss-meta-a:1", "GET"),
        .method("POST", "PUT"),
        .method("CONNECT", "HEAD"), .method("PUTS", "PUT"),
    ]

    @Test(
        "nothing is signed of an attack, and its twin is",
        arguments: ["/oss/authorization", "/oss/presigned-url"])
    func attacks(_ route: String) throws {
        let service = try Service.shared(.ossRequests)
        for version in ["v4", "v1"] {
            for pair in OSSAttackTests.queries + OSSAttackTests.headers + OSSAttackTests.targets {
                func target(_ parameters: [(String, String)]) -> String {
                    let all = parameters + [("version", version)]
                    return "\(route)?" + all.map { "\($0)=\(percent($1))" }.joined(separator: "&")
                }
                let attack = target(pair.attack)
                OSSAttackTests.expectNothing(try service.get(attack), attack)
                // Version 1 does not sign such a header, and says so.
                let twin =
                    pair.twin.contains { $0.1.hasPrefix("range:") } && version == "v1" ? [("key", "in/a")] : pair.twin
                _ = try SentOSSRequest(try service.get(target(twin)).json)
            }
        }
        #expect(OSSAttackTests.queries.count + OSSAttackTests.headers.count + OSSAttackTests.targets.count > 150)
    }

    private static func expectNothing(
        _ answer: Answer, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            answer.status == 400 || answer.status == 403, "\(what): \(answer.status)", sourceLocation: sourceLocation)
        for sign in ["://", "ignature\"", "Signature=", "OSS4-", "OSS \(Setup.ossAccessKey)"] {
            #expect(!answer.textWithoutType.contains(sign), "\(what): \(answer.text)", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: ["/oss/authorization", "/oss/presigned-url"])
    func `JSON gives no header another shape`(_ route: String) throws {
        let service = try Service.shared(.ossRequests)
        for json in [
            #"{"x-oss-meta-a:b":"1"}"#, #"{"x-oss-meta-a":"1\r\nx-oss-acl: public-read"}"#,
            #"{"x-oss-meta-a\r\n":"1"}"#,
            #"{"x-oss-meta-a":true}"#, #"{"x-oss-meta-a":1,"X-Oss-Meta-A":"2"}"#, #"{"x-oss-meta-a":["1"]}"#,
            #"{"x-oss-meta-a":"1","X-Oss-Meta-A":"2"}"#,
            #"{"":"1"}"#, #"["content-type:a/b","Content-Type:c/d"]"#, #"[["x-oss-meta-a:1"]]"#, "[]", "{}", "7",
            "null",
        ] {
            let body = #"{"key":"in/a","method":"PUT","header":\#(json)}"#
            OSSAttackTests.expectNothing(try service.post(route, json: body), body)
        }
        let many = (0...32).map { "&header=x-oss-meta-\($0):1" }.joined()
        OSSAttackTests.expectNothing(try service.get("\(route)?key=in/a&method=PUT\(many)"), "33 headers")
        let answer = try service.get("\(route)?key=in/a&method=PUT\(many.dropLast("&header=x-oss-meta-32:1".count))")
        #expect(try SentOSSRequest(answer.json).fields.count { $0.key.hasPrefix("x-oss-meta-") } == 32)
    }

    @Test(arguments: ["/oss/authorization", "/oss/presigned-url"])
    func `nobody chooses host, date or signer`(_ route: String) throws {
        let service = try Service.shared(.ossRequests)
        for extra in [
            "endpoint=evil.example", "host=evil.example", "date=1", "url=x", "signature=x", "region=cn-beijing",
            "accessKeyId=x", "product=oss", "securityToken=x", "additionalHeaders=host", "unscoped=true", "callback=x",
        ] {
            try service.get("\(route)?key=in/a&\(extra)").expectProblem(400, "unknown_parameter")
        }
        try service.get("\(route)?key=in/a&bucket=other-bucket").expectProblem(403, "not_in_grant")
    }

    @Test(arguments: ["v4", "v1"])
    func `what is changed in a URL no longer verifies`(_ version: String) throws {
        let service = try Service.shared(.ossRequests)
        let query = "method=PUT&contentType=a/b&query=x-oss-traffic-limit%3D819200&version=\(version)"
        let answer = try service.get("/oss/presigned-url?key=in/a&\(query)").json
        let url = try SentOSSRequest(answer).url.text
        let changes = [
            ("/in/a", "/in/b"), ("demo-bucket", "demo-backet"), ("819200", "819201"), ("?", "?acl&"),
            version == "v4" ? ("x-oss-expires=300", "x-oss-expires=301") : ("Expires=1", "Expires=2"),
        ]
        for (old, new) in changes {
            let changed = try #require(url.contains(old) ? url.replacing(old, with: new, maxReplacements: 1) : nil)
            let sent = try JSON(#"{"method":"PUT","url":"\#(changed)","headers":{"content-type":"a/b"}}"#)
            #expect(throws: Program.Failure.self, "\(changed)") { try SentOSSRequest(sent) }
        }
        for (method, headers) in [
            ("GET", #"{"content-type":"a/b"}"#), ("PUT", #"{"content-type":"text/html"}"#), ("PUT", "{}"),
            ("PUT", #"{"content-type":"a/b","x-oss-object-acl":"public-read"}"#),
            ("PUT", #"{"content-type":"a/b","x-oss-copy-source":"/b/k"}"#),
        ] {
            let sent = try JSON(#"{"method":"\#(method)","url":"\#(url)","headers":\#(headers)}"#)
            #expect(throws: Program.Failure.self, "\(headers)") { try SentOSSRequest(sent) }
        }
    }
}
