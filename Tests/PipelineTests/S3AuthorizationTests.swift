import Foundation
import Testing

@testable import TestService

@Suite("Signed S3 requests and URLs over HTTP")
struct S3AuthorizationTests {
    private static let own: Set = ["method", "url", "headers", "bucket", "key"]
    private static let host = "demo-bucket.\(Setup.s3Endpoint)"

    @Test func `a request is signed with its date, and all headers but Host are told`() throws {
        let service = try Service.shared(.s3Requests)
        for query in ["", "&method=GET", "&bucket=demo-bucket"] {
            let answer = try service.get("/s3/authorization?key=in/a%20b.txt\(query)")
            let request = try SentS3Request(answer.json)
            answer.expectTerms(grant: "objects", lifetime: 900, limitedBy: "requested", deadline: nil)
            #expect(request.url.scheme == "https" && request.url.host == Self.host)
            #expect(request.url.target == "/in/a%20b.txt" && request.method == "GET")
            #expect(answer.json["headers"]?.names == ["Authorization", "x-amz-content-sha256", "x-amz-date"])
            #expect(answer.json.names == Self.own.union(Answer.terms))
        }
    }

    @Test func `a URL lives as long as the grant lets it, and carries headers only where they are asked for`() throws {
        let service = try Service.shared(.s3Requests)
        let answer = try service.get("/s3/presigned-url?key=in/a.txt&expires=604800")
        let request = try SentS3Request(answer.json)
        #expect(request.lifetime == 604_800 && request.fields.isEmpty && request.url.host == Self.host)
        #expect(answer.json.names == Self.own.union(Answer.terms).union(["deadline"]))
        let more = "&method=PUT&contentType=a/b&header=x-amz-meta-a:1%20%20%202&header=x-amz-storage-class:GLACIER"
        let put = try SentS3Request(try service.get("/s3/presigned-url?key=in/a.txt\(more)").json)
        #expect(put.fields == ["content-type": "a/b", "x-amz-meta-a": "1   2", "x-amz-storage-class": "GLACIER"])
        #expect(put.lifetime == 300)
        try service.get("/s3/presigned-url?key=in/a&header=host:evil.example").expectProblem(400, "invalid_parameter")
        try service.get("/s3/presigned-url?key=in/a&method=PUT&header=x-amz-meta-a:%C3%A9")
            .expectProblem(400, "invalid_parameter")
    }

    @Test(arguments: ["presigned-url", "authorization"])
    func `a header that a server takes for an instruction is never signed, and its twin is`(route: String) throws {
        let service = try Service.shared(.s3Requests)
        let target = "/s3/\(route)?key=in/a.tar&method=PUT&header="
        for (name, family, twin) in [
            ("x-amz-meta-snowball-auto-extract", "x-amz-meta-snowball-*", "x-amz-meta-snowballs"),
            ("X-Amz-Meta-Snowball-Auto-Extract", "x-amz-meta-snowball-*", "X-Amz-Meta-Snow-ball"),
            ("x-amz-meta-minio-snowball-prefix", "x-amz-meta-minio-*", "x-amz-meta-minio"),
            ("x-amz-meta-minio-", "x-amz-meta-minio-*", "x-amz-meta-my-minio-x"),
            ("x-minio-source-mtime", "x-minio-*", "x-amz-meta-mtime"),
            ("x-amz-copy-source", "x-amz-copy-source*", "x-amz-meta-copy-source"),
        ] {
            let answer = try service.get(target + name + ":true")
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == "headers" && answer.text.contains("\(family) is never signed"))
            try service.get(target + twin + ":true").expectSuccess()
        }
    }

    @Test func `the bucket stands in the path where the credential says so, with dots`() throws {
        let service = try Service.shared(.s3Requests)
        let request = try SentS3Request(
            try service.get("/s3/presigned-url?key=dots/a.txt&method=PUT").json, region: "auto")
        #expect(request.url.host == "storage.example.com:9000")
        #expect(request.url.path == "/my.dotted.bucket/dots/a.txt")
        #expect(try service.get("/s3/presigned-url?key=in/a&bucket=my.dotted.bucket").status == 403)
    }

    @Test func `a temporary key's token goes along with what it signs`() throws {
        let service = try Service.shared(.s3Requests)
        for route in ["presigned-url", "authorization"] {
            _ = try SentS3Request(try service.get("/s3/\(route)?key=temporary/a").json, token: "a/token+of==")
        }
    }

    @Test func `only a new object is put where the grant does not overwrite`() throws {
        let service = try Service.shared(.s3Requests)
        let parts = "/s3/presigned-url?key=parts/a&method="
        for (target, isNew) in [
            ("PUT", true), ("POST&query=uploadId%3D1", true), ("POST&query=uploads", false),
            ("PUT&query=uploadId%3D1&query=partNumber%3D1", false), ("PUT&header=If-None-Match:*", true),
        ] {
            let request = try SentS3Request(try service.get(parts + target).json)
            #expect(request.fields == (isNew ? ["if-none-match": "*"] : [:]), "\(target)")
        }
        let answer = try service.get("\(parts)PUT&header=if-none-match:%22etag%22")
        answer.expectProblem(403, "not_in_grant")
        #expect(answer.json["clause"] == "overwrite")
        let others = try service.get("\(parts)POST&query=uploads&header=if-none-match:*")
        #expect(others.json["clause"] == "headers")
    }

    @Test func `R18: type and size of what is put are signed where the grant limits them`() throws {
        let service = try Service.shared(.s3Requests)
        let asked = "/s3/presigned-url?key=images/a&method=PUT"
        let good = "&contentType=image/png&header=content-length:1024"
        let request = try SentS3Request(try service.get(asked + good).json)
        #expect(request.fields == ["content-type": "image/png", "content-length": "1024", "if-none-match": "*"])
        for (more, clause) in [
            ("&contentType=image/png", "maxSize"), ("&contentType=image/png&header=content-length:1025", "maxSize"),
            ("&header=content-length:1", "contentTypes"),
            ("&contentType=text/html&header=content-length:1", "contentTypes"),
            ("&contentType=image/png&header=content-length:9223372036854775807", "maxSize"),
        ] {
            #expect(try service.get(asked + more).json["clause"] == .string(clause), "\(more)")
        }
    }

    @Test(arguments: [
        "in/a&method=PUT&query=acl", "in/a&query=tagging", "in/a&method=PUT&header=x-amz-acl:public-read",
        "in/a&method=PUT&header=x-amz-copy-source:/b/k", "in/a&method=PUT&header=x-amz-tagging:a%3Db",
        "in/a&method=POST&query=delete", "in/a&method=POST&query=select", "in/a&method=POST&query=restore",
        "in/a&query=torrent", "in/a&query=X-Amz-Expires%3D1", "in/a&query=X-Amz-Signature%3D1", "in/../out/a",
        "in/./a", "in/..", "../in/a", "out/a", "in", "in/a&method=OPTIONS", "in/a&method=get",
        "in/a&query=list-type%3D2",
        "in/a&query=uploads&query=uploads", "in/a&header=authorization:x", "in/a&method=PUT&header=x-amz-date:x",
        "in/a&method=PUT&header=x-amz-security-token:x", "in/a&bucket=other-bucket", "in/a&query=x-id%3DGetObject",
        "in/a&query=AWSAccessKeyId%3Dx", "in/a&method=PUT&header=x-amz-website-redirect-location:/",
        "in/a&method=PUT&header=x-amz-object-lock-mode:GOVERNANCE", "in/a&method=PUT&query=partNumber%3D1",
    ])
    func `nothing is signed that is outside the grant`(_ target: String) throws {
        let service = try Service.shared(.s3Requests)
        for route in ["presigned-url", "authorization"] {
            let answer = try service.get("/s3/\(route)?key=\(target)")
            #expect(answer.status == 400 || answer.status == 403, "\(answer.status) \(target)")
            #expect(answer.json["url"] == nil)
        }
    }

    /// What S3 takes a request for, read off what a client sends; nil for what is not among the operations of the grants.
    private func operation(_ request: SentS3Request) -> String? {
        let answers: Set = ["response-content-type", "response-content-disposition"]
        let names = Set(request.query.keys)
        return switch (request.method, names) {
        case ("GET", _) where names.subtracting(answers).isSubset(of: ["versionId"]): "get"
        case ("HEAD", _) where names.isSubset(of: ["versionId"]): "head"
        case ("PUT", []), ("PUT", ["uploadId", "partNumber"]): "put"
        case ("DELETE", []), ("DELETE", ["uploadId"]): "delete"
        case ("POST", ["uploads"]), ("POST", ["uploadId"]): "post"
        case ("GET", _) where names.isSubset(of: ["uploadId", "max-parts", "part-number-marker"]): "list"
        default: nil
        }
    }

    @Test func `whatever is signed is an operation inside the grant to whoever reads it`() throws {
        let service = try Service.shared(.s3Requests)
        var random = RandomRequests(seed: 26)
        var signed = 0
        for _ in 0..<4000 {
            let target = random.target()
            let answer = try service.get(target)
            guard answer.status == 200 else {
                #expect(answer.status == 400 || answer.status == 403, "\(answer.status) \(target)")
                continue
            }
            signed += 1
            let request = try SentS3Request(answer.json)
            let path = request.url.path.removingPercentEncoding ?? ""
            #expect(request.url.host == Self.host && path.hasPrefix("/in/"), "\(target)")
            #expect(!path.split(separator: "/").contains { $0 == "." || $0 == ".." }, "\(target)")
            #expect(operation(request) != nil, "\(target)")
            let others = request.fields.keys.filter { !RandomRequests.admits($0) }
            #expect(others.isEmpty, "\(target): \(others)")
        }
        #expect(signed > 200)
    }
}

/// Asks for signed requests, of parts that are good and of parts that are not.
private struct RandomRequests {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func any<Element>(of list: [Element]) -> Element {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return list[Int((state >> 33) % UInt64(list.count))]
    }

    mutating func target() -> String {
        let route = any(of: ["presigned-url", "authorization"])
        let key =
            any(of: ["in/", "in/", "in/", "out/", "in/../"])
            + any(of: ["a", "a b", "ä/中", "a?acl", "..", "a//b", "%2e%2e/a", "~*'()"])
        let method = any(of: ["GET", "GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS"])
        var target = "/s3/\(route)?key=\(percent(key))&method=\(method)"
        for _ in 0..<any(of: [0, 0, 1, 1, 2]) {
            let name = any(of: [
                "uploads", "uploadId", "partNumber", "versionId", "response-content-type", "max-parts", "acl", "delete",
                "X-Amz-Date",
            ])
            target += "&query=" + percent(name + any(of: ["", "=1", "=a+b~", "=a&acl"]))
        }
        for _ in 0..<any(of: [0, 0, 1, 2]) {
            let name = any(of: [
                "content-type", "Content-Length", "x-amz-meta-a", "X-Amz-Meta-B", "x-amz-acl", "x-amz-copy-source",
                "range", "host", "if-none-match",
            ])
            target += "&header=" + percent(name + ":" + any(of: ["1", "a  b", "*", "x\r\ny: 1"]))
        }
        return target
    }

    static func admits(_ name: String) -> Bool {
        name.hasPrefix("x-amz-meta-")
            || [
                "content-type", "content-length", "range", "if-none-match", "authorization", "x-amz-date",
                "x-amz-content-sha256",
            ].contains(name)
    }
}
