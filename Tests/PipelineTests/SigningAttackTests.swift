import Foundation
import Testing

@testable import TestService

/// What nobody gets signed, whatever it is asked with (R13, R15).
@Suite("Attacks on what makes URLs and requests")
struct SigningAttackTests {
    private static func expectNothing(
        _ answer: Answer, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            answer.status == 400 || answer.status == 403, "\(what): \(answer.status)", sourceLocation: sourceLocation)
        for sign in ["://", "token=", "sign=", "Signature", "QBox", "Qiniu ", "NOS "] {
            #expect(!answer.textWithoutType.contains(sign), "\(what): \(answer.text)", sourceLocation: sourceLocation)
        }
    }

    /// The routes with what they are asked for a key with, and a prefix that is granted.
    private static let routes = [
        ("/qiniu/download-url?key=", "photos/"), ("/qiniu/cdn-url?key=", "videos/"),
        ("/qiniu/authorization?operation=stat&key=", "photos/"),
        ("/qiniu/authorization?operation=list&prefix=", "photos/"),
        ("/nos/authorization?object=", "in/"), ("/nos/authorization?method=PUT&key=", "in/"),
        ("/nos/presigned-url?key=", "in/"),
    ]

    @Test("no key or prefix leads out of the grant's prefix", arguments: routes)
    func escapes(_ route: (target: String, prefix: String)) throws {
        let service = try Service.shared(.requests)
        let escapes = [
            "../x", "./x", "a/../../x", "..", ".", "a/..", "a/.", "a/./b", "%2e%2e/x", "%2E%2E%2Fx",
            "a%2F..%2F..%2Fx",
            "a%00", "a%0A", "a%0D%0Ax", "a%7F", "a%1Fb", "a%FF", "a%C0%AE%C0%AE/", "$(key)", "$%7Bx%7D",
        ]
        SigningAttackTests.expectNothing(try service.get(route.target), "nothing")
        for escape in escapes {
            let target = route.target + route.prefix + escape
            SigningAttackTests.expectNothing(try service.get(target), target)
        }
        for key in [
            "secret", "/\(route.prefix)x", "//\(route.prefix)x", String(route.prefix.dropLast()),
            route.prefix.uppercased() + "x", "x\(route.prefix)x", "%2F\(route.prefix)x", " \(route.prefix)x",
            "https://evil.example/x", "//evil.example/x", "@evil.example/x", String(repeating: "a", count: 2000),
        ] {
            let target = route.target + percent(key.removingPercentEncoding ?? key)
            SigningAttackTests.expectNothing(try service.get(target), target)
        }
    }

    @Test func `nobody chooses domain, scheme, deadline or token`() throws {
        let service = try Service.shared(.requests)
        for path in ["/qiniu/download-url?key=photos/a", "/qiniu/cdn-url?key=videos/x"] {
            for extra in [
                "url=https://evil.example/x", "domain=evil.example", "host=evil.example", "scheme=http", "e=1", "t=1",
                "token=x", "sign=x", "deadline=1", "baseUrl=x", "method=DELETE",
            ] {
                try service.get("\(path)&\(extra)").expectProblem(400, "unknown_parameter")
            }
        }
        for extra in ["host=evil.example", "url=x", "method=POST", "header=a:b", "path=/delete/x", "date=1"] {
            try service.get("/qiniu/authorization?operation=list&\(extra)").expectProblem(400, "unknown_parameter")
        }
        for path in ["/nos/authorization?key=in/a", "/nos/presigned-url?key=in/a"] {
            for extra in ["endpoint=evil.example", "host=evil.example", "date=1", "url=x", "signature=x"] {
                try service.get("\(path)&\(extra)").expectProblem(400, "unknown_parameter")
            }
        }
    }

    @Test func `no query makes another operation or another end of a signed request`() throws {
        let service = try Service.shared(.requests)
        for query in [
            "e=1", "token=x", "imageView2/1/w/120&e=9999999999", "imageView2/1/w/120&token=x", "sign=x", "t=ffffffff",
            "#", "?e=1", "&e=1", "imageView2/1/w/120#", "imageView2/1/w/120\r\nHost: x", "/../../x", "\u{0}",
        ] {
            for path in ["/qiniu/download-url?key=photos/a", "/qiniu/cdn-url?key=videos/x"] {
                SigningAttackTests.expectNothing(try service.get("\(path)&query=\(percent(query))"), query)
            }
        }
        for query in [
            "acl", "acl=1", "delete", "deduplication", "versionId=1", "versions", "versioning", "location", "Expires=1",
            "expires=1", "Signature=x", "NOSAccessKeyId=x", "nosaccesskeyid=x", "x-nos-date=1", "crop=1", "resize",
            "uploads=a%26acl", "uploads&acl", "uploadId=1%0A", "uploadid=1", "Uploads", "uploadId=a b", "uploadId=../x",
            "uploadId=%C3%A9", "partNumber=1", "prefix=x", "download=x", "", "=", "=acl", "uploads\r\n",
        ] {
            for path in ["/nos/authorization?key=in/a&method=POST", "/nos/presigned-url?key=in/a"] {
                let target = "\(path)&query=\(percent(query.removingPercentEncoding ?? query))"
                SigningAttackTests.expectNothing(try service.get(target), target)
            }
        }
        for queries in ["query=uploads&query=acl", "query=uploads&query=uploads", "query=uploads&query=uploadId%3D1"] {
            let target = "/nos/authorization?key=in/a&method=POST&\(queries)"
            SigningAttackTests.expectNothing(try service.get(target), target)
        }
    }

    @Test func `no header reaches beyond the object, or takes the signature's place`() throws {
        let service = try Service.shared(.requests)
        for header in [
            "x-nos-acl:public-read", "x-nos-copy-source:/b/k", "x-nos-move-source:/b/k", "x-nos-object-md5:0",
            "x-nos-date:1700000000", "x-nos-token:x", "x-nos-security-token:x", "x-nos-storage-class:archive", "Date:1",
            "Expires:1", "Authorization:NOS a:b", "Host:evil.example", "Cookie:a", "x-qiniu-date:1", "Content-MD5:x",
            "content-md5:D41D8CD98F00B204E9800998ECF8427E", "content-type:\"a/b\"", "content-type:a/b\r\nx-nos-acl: x",
            "content-type: a\u{0}", "content-type:ä", "content-type:", "content-type", ":a", "", "x-nos-meta-:1",
            "x-nos-meta-a b:1", "x-nos-meta-a\r\nx-nos-acl:public-read", "x-nos-meta-ä:1", "x-nos-meta-a:'1'",
            "x-nos-meta-a:\t1", "x-nos-meta-*:1", "x_nos_acl:1", "X-NOS-ACL:public-read", " x-nos-acl:1",
            "x-nos-acl :1",
        ] {
            for path in ["/nos/authorization?key=in/a&method=PUT", "/nos/presigned-url?key=in/a&method=PUT"] {
                let target = "\(path)&header=\(percent(header))"
                SigningAttackTests.expectNothing(try service.get(target), target)
            }
        }
        for json in [
            #"{"x-nos-meta-a:b":"1"}"#, #"{"x-nos-meta-a":"1\r\nx-nos-acl: public-read"}"#,
            #"{"x-nos-meta-a\r\n":"1"}"#,
            #"{"x-nos-meta-a":true}"#, #"{"x-nos-meta-a":1,"X-Nos-Meta-A":"2"}"#, #"{"x-nos-meta-a":["1"]}"#,
            #"{"x-nos-meta-a":"1","X-Nos-Meta-A":"2"}"#,
            #"{"":"1"}"#,
            #"["content-type:a/b","Content-Type:c/d"]"#, #"[["x-nos-meta-a:1"]]"#, "[]", "{}", "7", "null",
        ] {
            let body = #"{"key":"in/a","method":"PUT","header":\#(json)}"#
            SigningAttackTests.expectNothing(try service.post("/nos/authorization", json: body), body)
        }
        let many = (0...32).map { "&header=x-nos-meta-\($0):1" }.joined()
        SigningAttackTests.expectNothing(try service.get("/nos/authorization?key=in/a&method=PUT\(many)"), "33 headers")
    }

    @Test func `no method is signed that the table has not, or that is none`() throws {
        let service = try Service.shared(.requests)
        for method in ["PATCH", "OPTIONS", "CONNECT", "put", "PUT ", "PUT\n\n\n", "", "GET\nX", "POST", "PUTS"] {
            for path in ["/nos/authorization?key=in/a", "/nos/presigned-url?key=in/a"] {
                let target = "\(path)&method=\(percent(method))"
                SigningAttackTests.expectNothing(try service.get(target), target)
            }
        }
    }

    @Test func `what is changed in a URL no longer verifies`() throws {
        let service = try Service.shared(.requests)
        let download = try service.get("/qiniu/download-url?key=photos/a.jpg").json["url"]?.string ?? ""
        let video = try service.get("/qiniu/cdn-url?key=videos/a.mp4").json["url"]?.string ?? ""
        for (old, new) in [("photos/a", "photos/b"), ("https", "http"), ("media.", "other."), ("?e=", "?e=1")] {
            let changed = try #require(download.contains(old) ? download.replacing(old, with: new) : nil)
            #expect(throws: Program.Failure.self) { try Verified.download(changed) }
        }
        for (old, new) in [("videos/a", "videos/b"), ("&t=", "&t=f"), (".mp4", ".mp")] {
            let changed = try #require(video.contains(old) ? video.replacing(old, with: new) : nil)
            #expect(throws: Program.Failure.self) { try Verified.antiLeech(changed) }
        }
    }

    @Test func `nothing that is signed here is an upload token, or a request of another kind`() throws {
        // What Qiniu's key signs begins with a method, a / or http; an upload policy is base64 and none of them.
        let service = try Service.shared(.requests)
        for key in ["photos/x e=1", "photos/GET /delete/x", "photos/eyJzY29wZSI6ImEifQ=="] {
            let answer = try service.get("/qiniu/download-url?key=\(percent(key))")
            #expect(try Verified.download(answer.json["url"]?.string).url.key == key)
        }
    }
}
