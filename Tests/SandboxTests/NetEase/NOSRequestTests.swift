import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Signed requests to NOS: what is taken, and what each other is refused with.
@Suite struct NOSRequestTests {
    private let peer: NOSPeer
    init() throws { peer = try NOSPeer() }

    @Test func `an object is written, read, and deleted`() throws {
        let fields = [("Content-Type", "text/plain"), ("X-Nos-Meta-A", "1")]
        let put = try peer.signed("PUT", "/demo-files/a%2Fb%20c", fields, "content")
        #expect(put.outcome == "200")
        #expect(put.field("ETag") == "\"9a0364b9e99bb480dd25e1f0284c8555\"")
        let get = try peer.signed("GET", "/demo-files/a%2Fb%20c")
        #expect(get.outcome == "200" && get.text == "content")
        #expect(get.field("Content-Type") == "text/plain" && get.field("x-nos-meta-a") == "1")
        #expect(get.field("Last-Modified") == "Sat, 29 Aug 2026 18:40:00 Asia/Shanghai")
        #expect(try peer.signed("DELETE", "/demo-files/a%2Fb%20c").outcome == "200")
        #expect(try peer.signed("HEAD", "/demo-files/a%2Fb%20c").outcome == "404 NoSuchKey")
    }

    @Test func `the bucket may stand in the host`() throws {
        let text = NOSPeer.text("PUT", NOSPeer.date(0), [], "/demo-files/a")
        let fields = [("Date", NOSPeer.date(0)), ("Authorization", "NOS \(NOSPeer.keyID):\(try NOSPeer.code(text))")]
        #expect(try peer.send("PUT", "/a", fields, host: "demo-files.nos.localhost:1").outcome == "200")
        #expect(
            try peer.send("PUT", "/a", fields, host: "demo-other.nos.localhost").outcome == "403 SignatureDoesNotMatch")
    }

    @Test func `a path may spell the tilde either way, and leave slashes as they are`() throws {
        #expect(try peer.signed("PUT", "/demo-files/a~b").outcome == "200")
        #expect(try peer.signed("PUT", "/demo-files/a~b", resource: "/demo-files/a%7Eb").outcome == "200")
        #expect(try peer.signed("PUT", "/demo-files/a/b", resource: "/demo-files/a%2Fb").outcome == "200")
        #expect(try peer.signed("PUT", "/demo-files/a/b").outcome == "403 SignatureDoesNotMatch")
    }

    @Test func `a date may be China's, or stand in x-nos-date`() throws {
        let china = HTTPDate.write(NOSPeer.now + 8 * 3600).text.replacing("GMT", with: "Asia/Shanghai")
        #expect(try peer.signed("GET", "/", date: china).outcome == "200")
        let apart = [("x-nos-date", NOSPeer.date(0))]
        let text = NOSPeer.text("GET", "", apart, "/")
        let authorization = ("Authorization", "NOS \(NOSPeer.keyID):\(try NOSPeer.code(text))")
        #expect(try peer.send("GET", "/", apart + [authorization, ("Date", NOSPeer.date(-9999))]).outcome == "200")
    }

    @Test(arguments: [-900, 900] as [Int64]) func `a clock may be a quarter of an hour off`(ahead: Int64) throws {
        #expect(try peer.signed("GET", "/", date: NOSPeer.date(ahead)).outcome == "200")
        let further = NOSPeer.date(ahead < 0 ? ahead - 1 : ahead + 1)
        #expect(try peer.signed("GET", "/", date: further).outcome == "403 RequestTimeTooSkewed")
    }

    @Test func `what is not signed as it should be is refused`() throws {
        #expect(try peer.send("GET", "/").outcome == "403 AccessDenied")
        #expect(try peer.signed("GET", "/", date: nil).outcome == "403 AccessDenied")
        #expect(try peer.signed("GET", "/", date: "2026-08-29").outcome == "403 AccessDenied")
        #expect(try peer.signed("GET", "/", by: "another").outcome == "403 SignatureDoesNotMatch")
        for authorization in ["NOS x", "NOS :x", "NOS a:b:c", "OSS a:b", ""] {
            let answer = try peer.send("GET", "/", [("Authorization", authorization), ("Date", NOSPeer.date(0))])
            #expect(answer.outcome == "400 InvalidArgument", "\(authorization)")
        }
        let unknown = try peer.send("GET", "/", [("Authorization", "NOS x:y"), ("Date", NOSPeer.date(0))])
        #expect(unknown.outcome == "403 InvalidAccessKeyId")
    }

    @Test(arguments: ["/demo-files/b", "/demo-files/a?acl", "/demo-other/a", "/demo-files/"])
    func `a signature is for what it is for`(target: String) throws {
        #expect(try peer.signed("PUT", target, resource: "/demo-files/a").outcome == "403 SignatureDoesNotMatch")
    }

    @Test func `every signed field counts`() throws {
        let fields = [("Content-Type", "text/plain"), ("x-nos-meta-a", "1")]
        let text = NOSPeer.text("PUT", NOSPeer.date(0), fields, "/demo-files/a")
        let rest = [("Date", NOSPeer.date(0)), ("Authorization", "NOS \(NOSPeer.keyID):\(try NOSPeer.code(text))")]
        #expect(try peer.send("PUT", "/demo-files/a", fields + rest).outcome == "200")
        for changed in [
            [("Content-Type", "text/html"), fields[1]], [fields[0]], fields + [("x-nos-meta-b", "")],
            fields + [("Content-MD5", "d41d8cd98f00b204e9800998ecf8427e")],
        ] {
            #expect(try peer.send("PUT", "/demo-files/a", changed + rest).outcome == "403 SignatureDoesNotMatch")
        }
    }

    @Test func `a URL holds until its end`() throws {
        _ = try peer.signed("PUT", "/demo-files/a", [], "content")
        func url(_ end: Int64, method: String = "GET") throws -> String {
            let code = try NOSPeer.code(NOSPeer.text(method, "\(end)", [], "/demo-files/a"))
            return "/demo-files/a?NOSAccessKeyId=\(NOSPeer.keyID)&Expires=\(end)&Signature=\(Call.encode(code))"
        }
        #expect(try peer.send("GET", url(NOSPeer.now + 1)).text == "content")
        #expect(try peer.send("GET", url(NOSPeer.now)).outcome == "403 AccessDenied")
        #expect(try peer.send("GET", url(NOSPeer.now + 1, method: "PUT")).outcome == "403 SignatureDoesNotMatch")
        let later = try url(NOSPeer.now + 1).replacing("Expires=\(NOSPeer.now + 1)", with: "Expires=\(NOSPeer.now + 2)")
        #expect(try peer.send("GET", later).outcome == "403 SignatureDoesNotMatch")
        for end in ["", "x", "-1", "99999999999999999999"] {
            let target = "/demo-files/a?NOSAccessKeyId=\(NOSPeer.keyID)&Expires=\(end)&Signature=x"
            #expect(try peer.send("GET", target).outcome == "400 InvalidArgument", "\(end)")
        }
    }

    @Test func `contents are checked before they are objects`() throws {
        func put(_ fields: [(String, String)], _ body: BodyReader) throws -> String {
            let signed = NOSPeer.text("PUT", NOSPeer.date(0), fields, "/demo-files/a")
            let all =
                fields + [
                    ("Date", NOSPeer.date(0)), ("Authorization", "NOS \(NOSPeer.keyID):\(try NOSPeer.code(signed))"),
                ]
            let request = SandboxRequest(
                Array("PUT".utf8), target: Array("/demo-files/a".utf8), fields: all.map { Call.field($0.0, $0.1) })
            return try peer.send(request, body).outcome
        }
        let content = Array("content".utf8)
        #expect(try put([("Content-MD5", "9a0364b9e99bb480dd25e1f0284c8550")], BodyReader(content)) == "400 BadDigest")
        #expect(try put([("Content-MD5", "mgNkuembtIDdJeHwKEyFVQ==")], BodyReader(content)) == "400 InvalidDigest")
        #expect(try put([], BodyReader(length: nil) { nil }) == "411 MissingContentLength")
        let huge = BodyReader(length: NOSObjects.largest + 1) { nil }
        #expect(try put([], huge) == "400 EntityTooLarge" && huge.count == 0)
        #expect(throws: BodyReader.Fault.interrupted) {
            try put([], BodyReader(length: 7) { () throws(BodyReader.Fault) in throw .interrupted })
        }
        #expect(try peer.signed("GET", "/demo-files/a").outcome == "404 NoSuchKey")
        #expect(try put([("Content-MD5", "9A0364B9E99BB480DD25E1F0284C8555")], BodyReader(content)) == "200")
    }

    @Test func `parts of an object are read`() throws {
        _ = try peer.signed("PUT", "/demo-files/a", [], "content")
        for (range, status, text) in [
            ("bytes=0-0", 206, "c"), ("bytes=3-", 206, "tent"), ("bytes=-2", 206, "nt"), ("bytes=5-99", 206, "nt"),
            ("bytes=-99", 206, "content"), ("bytes=1-0", 200, "content"), ("bytes=0-1,3-4", 200, "content"),
            ("lines=0-1", 200, "content"), ("bytes=x-1", 200, "content"), ("bytes=-", 200, "content"),
        ] {
            let answer = try peer.signed("GET", "/demo-files/a", [("Range", range)])
            #expect(answer.status == status && answer.text == text, "\(range)")
        }
        for range in ["bytes=7-", "bytes=99999999999999999999-", "bytes=-0"] {
            #expect(
                try peer.signed("GET", "/demo-files/a", [("Range", range)]).outcome == "416 InvalidRange", "\(range)")
        }
    }

    @Test func `buckets are made, told and listed`() throws {
        #expect(try peer.signed("PUT", "/new-bucket/").outcome == "200")
        #expect(try peer.signed("PUT", "/new-bucket/").outcome == "409 BucketAlreadyOwnedByYou")
        #expect(try peer.signed("PUT", "/No_Bucket/").outcome == "400 InvalidBucketName")
        #expect(try peer.signed("HEAD", "/new-bucket/").outcome == "200")
        #expect(try peer.signed("GET", "/").text.contains("<Name>demo-files</Name></Bucket><Bucket><Name>new-bucket"))
        for name in ["a", "b", "c"] { _ = try peer.signed("PUT", "/new-bucket/\(name)") }
        let list = try peer.signed("GET", "/new-bucket/?max-keys=2&marker=a", resource: "/new-bucket/")
        #expect(list.text.contains("<Key>b</Key>") && list.text.contains("<IsTruncated>false"))
        let page = try peer.signed("GET", "/new-bucket/?max-keys=2", resource: "/new-bucket/")
        #expect(page.text.contains("<NextMarker>b</NextMarker><IsTruncated>true"))
        #expect(
            try peer.signed("GET", "/new-bucket/?max-keys=x", resource: "/new-bucket/").outcome == "400 InvalidArgument"
        )
        #expect(try peer.signed("GET", "/demo-other/").outcome == "404 NoSuchBucket")
    }

    @Test(arguments: [
        ("PUT", "/demo-files/a?acl", "501 NotImplemented"), ("GET", "/demo-files/a?versionId=1", "501 NotImplemented"),
        ("DELETE", "/demo-files/", "501 NotImplemented"), ("POST", "/demo-files/a", "405 MethodNotAllowed"),
        ("PUT", "/", "405 MethodNotAllowed"), ("POST", "/demo-files/", "405 MethodNotAllowed"),
        ("GET", "/demo-files/a?uploads", "405 MethodNotAllowed"), ("PUT", "/demo-other/a", "404 NoSuchBucket"),
        ("POST", "/demo-files/a?uploadId=x", "404 NoSuchUpload"), ("GET", "/demo-files/%FF", "400 InvalidArgument"),
        ("GET", "/demo-files/a%2", "400 InvalidArgument"), ("GET", "/demo-files/a?x=1&x=2", "400 InvalidArgument"),
        ("POST", "/demo-files/?delete", "400 MalformedXML"),
    ])
    func `what is not done is refused`(method: String, target: String, outcome: String) throws {
        let resource = target.hasPrefix("/demo-files/a?x") ? "/demo-files/a" : nil
        #expect(try peer.signed(method, target, resource: resource).outcome == outcome)
    }

    @Test func `names of objects have a length`() throws {
        let key = String(repeating: "k", count: NOSTarget.longestKey)
        #expect(try peer.signed("PUT", "/demo-files/\(key)").outcome == "200")
        #expect(try peer.signed("PUT", "/demo-files/\(key)k").outcome == "400 KeyTooLong")
    }

    @Test func `copies and moves are not taken for uploads of nothing`() throws {
        for name in ["x-nos-copy-source", "x-nos-move-source"] {
            #expect(try peer.signed("PUT", "/demo-files/b", [(name, "/demo-files/a")]).outcome == "501 NotImplemented")
        }
    }
}
