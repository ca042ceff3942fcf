import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Objects and buckets as OSS keeps and tells them.
@Suite struct OSSObjectTests {
    @Test func `an object has what it was put with, and its digests`() throws {
        let fixture = try OSSFixture()
        let put = OSSTestCall("PUT", "a.txt", "123456789") {
            $0.fields = [
                ("Content-Type", "text/plain"), ("x-oss-meta-Color", "blue"), ("Cache-Control", "no-cache"),
                ("X-Other", "x"),
            ]
        }
        let answer = try fixture.send(put)
        #expect(answer.outcome == "200")
        #expect(answer.field("ETag") == "\"25F9E794323B453885F5181F1B624D0B\"")
        #expect(answer.field("x-oss-hash-crc64ecma") == "\(0x995D_C9BB_DF19_39FA as UInt64)")
        #expect(answer.field("x-oss-request-id")?.count == 24)
        for method in ["GET", "HEAD"] {
            let read = try fixture.send(OSSTestCall(method, "a.txt"))
            #expect(read.outcome == "200" && read.text == "123456789")
            #expect(read.field("Content-Type") == "text/plain" && read.field("x-oss-meta-color") == "blue")
            #expect(read.field("Cache-Control") == "no-cache" && read.field("X-Other") == nil)
            #expect(read.field("x-oss-object-type") == "Normal" && read.field("Last-Modified") != nil)
            #expect(read.field("x-oss-hash-crc64ecma") == answer.field("x-oss-hash-crc64ecma"))
        }
        let meta = try fixture.send(OSSTestCall("HEAD", "a.txt") { $0.query = [("objectMeta", "")] })
        #expect(meta.field("Content-Type") == nil && meta.field("ETag") == answer.field("ETag"))
        let again = try OSSSide(fixture.side.accounts, fixture.side.callbacks, data: fixture.folder)
        #expect(again.store.object(Array("a.txt".utf8), in: Array("demo-bucket".utf8))?.mediaType.text == "text/plain")
    }

    @Test func `a URL sets fields of the answer`() throws {
        let fixture = try OSSFixture()
        _ = try fixture.send(OSSTestCall("PUT", "a", "x") { $0.fields = [("Cache-Control", "no-cache")] })
        let read = try fixture.send(
            OSSTestCall("GET", "a") {
                $0.scheme = .v1URL
                $0.query = [("response-content-type", "text/x"), ("response-cache-control", "max-age=1")]
            })
        #expect(read.response.fields.filter { $0.name.text == "Content-Type" }.map(\.value.text) == ["text/x"])
        #expect(read.response.fields.filter { $0.name.text == "Cache-Control" }.map(\.value.text) == ["max-age=1"])
    }

    @Test(arguments: [
        ("bytes=2-4", false, 206, "cde"), ("bytes=7-", false, 206, "hij"), ("bytes=-3", false, 206, "hij"),
        ("bytes=9-9", false, 206, "j"), ("bytes=5-20", false, 200, "abcdefghij"),
        ("bytes=10-", false, 200, "abcdefghij"),
        ("bytes=5-20", true, 206, "fghij"), ("bytes=4-2", true, 200, "abcdefghij"),
        ("bytes=a", false, 200, "abcdefghij"),
    ])
    func `a range is read as the vendor reads it`(range: String, isStandard: Bool, status: Int, text: String) throws {
        let fixture = try OSSFixture()
        _ = try fixture.send(OSSTestCall("PUT", "a", "abcdefghij"))
        func read(_ range: String) throws -> OSSAnswer {
            try fixture.send(
                OSSTestCall("GET", "a") {
                    $0.fields = [("Range", range)] + (isStandard ? [("x-oss-range-behavior", "standard")] : [])
                })
        }
        let answer = try read(range)
        #expect(answer.status == status && answer.text == text)
        #expect((answer.field("Content-Range") != nil) == (status == 206))
        if isStandard { #expect(try read("bytes=10-12").outcome == "416 InvalidRange") }
    }

    @Test func `an object is read and copied on conditions`() throws {
        let fixture = try OSSFixture()
        let etag = try #require(try fixture.send(OSSTestCall("PUT", "a", "x")).field("ETag"))
        let (before, after) = (HTTPDate.write(OSSFixture.now - 1).text, HTTPDate.write(OSSFixture.now + 1).text)
        for (name, value, expected) in [
            ("If-Match", etag, "200"), ("If-Match", "\"0\"", "412 PreconditionFailed"), ("If-None-Match", etag, "304"),
            ("If-None-Match", "\"0\"", "200"), ("If-Modified-Since", before, "200"),
            ("If-Modified-Since", after, "304"),
            ("If-Unmodified-Since", after, "200"), ("If-Unmodified-Since", before, "412 PreconditionFailed"),
        ] {
            #expect(try fixture.outcome(OSSTestCall("GET", "a") { $0.fields = [(name, value)] }) == expected, "\(name)")
            let copy = OSSTestCall("PUT", "b") {
                $0.fields = [
                    ("x-oss-copy-source", "/demo-bucket/a"), ("x-oss-copy-source-\(name.lowercased())", value),
                ]
            }
            #expect(try fixture.outcome(copy) == expected, "copy, \(name)")
        }
    }

    @Test func `a copy keeps what its source has, or gets its own`() throws {
        let fixture = try OSSFixture()
        _ = try fixture.send(
            OSSTestCall("PUT", "a/ü", "x") { $0.fields = [("Content-Type", "text/x"), ("x-oss-meta-a", "1")] })
        func copy(_ fields: [(String, String)]) throws -> String {
            try fixture.outcome(
                OSSTestCall("PUT", "b") { $0.fields = [("x-oss-copy-source", "/demo-bucket/a/%C3%BC")] + fields })
        }
        #expect(try copy([("x-oss-meta-a", "2")]) == "200")
        let kept = try fixture.send(OSSTestCall("GET", "b"))
        #expect(kept.text == "x" && kept.field("Content-Type") == "text/x" && kept.field("x-oss-meta-a") == "1")
        #expect(try copy([("x-oss-metadata-directive", "REPLACE"), ("x-oss-meta-a", "2")]) == "200")
        #expect(try fixture.send(OSSTestCall("GET", "b")).field("x-oss-meta-a") == "2")
        #expect(try copy([("x-oss-metadata-directive", "MOVE")]) == "400 InvalidArgument")
        for (source, expected) in [
            ("/demo-bucket/none", "404 NoSuchKey"), ("/no-bucket/a", "404 NoSuchBucket"), ("/a", "400 InvalidArgument"),
            ("/demo-bucket/%zz", "400 InvalidURI"), ("/demo-bucket/a?versionId=1", "501 NotImplemented"),
        ] {
            let call = OSSTestCall("PUT", "b") { $0.fields = [("x-oss-copy-source", source)] }
            #expect(try fixture.outcome(call) == expected, "\(source)")
        }
    }

    @Test func `an object is not overwritten where that is forbidden, and not without its whole content`() throws {
        let fixture = try OSSFixture()
        let forbid = [("x-oss-forbid-overwrite", "true")]
        #expect(try fixture.outcome(OSSTestCall("PUT", "a", "1") { $0.fields = forbid }) == "200")
        #expect(try fixture.outcome(OSSTestCall("PUT", "a", "2") { $0.fields = forbid }) == "409 FileAlreadyExists")
        #expect(
            try fixture.outcome(
                OSSTestCall("PUT", "a", "3") { $0.fields = [("Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA==")] })
                == "400 InvalidDigest")
        #expect(
            try fixture.outcome(OSSTestCall("PUT", "a", "3") { $0.fields = [("Content-MD5", "x")] })
                == "400 InvalidDigest")
        let cut = try OSSTestCall("PUT", "a", "12345").request()
        #expect(throws: BodyReader.Fault.interrupted) {
            _ = try fixture.side.answer(
                cut,
                BodyReader(length: 5) { () throws(BodyReader.Fault) in throw .interrupted }, at: OSSFixture.now)
        }
        #expect(try fixture.send(OSSTestCall("GET", "a")).text == "1")
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.folder)/uploads/alibaba")
        #expect(left == [])
        var request = try OSSTestCall("PUT", "a", "1").request()
        request.fields = request.fields.filter { $0.name.text != "Content-Length" }
        #expect(try fixture.answer(request).outcome == "411 MissingContentLength")
    }

    @Test func `what the vendor would do and the sandbox does not is refused, not forgotten`() throws {
        let fixture = try OSSFixture()
        for field in [
            ("x-oss-object-acl", "public-read"), ("x-oss-storage-class", "IA"), ("x-oss-tagging", "a=b"),
            ("x-oss-server-side-encryption", "AES256"),
        ] {
            #expect(
                try fixture.outcome(OSSTestCall("PUT", "a") { $0.fields = [field] }) == "501 NotImplemented", "\(field)"
            )
        }
        for name in ["acl", "tagging", "versionId", "append"] {
            #expect(try fixture.outcome(OSSTestCall("GET", "a") { $0.query = [(name, "")] }) == "501 NotImplemented")
        }
        #expect(try fixture.outcome(OSSTestCall("DELETE")) == "501 NotImplemented")
        for (method, key) in [("POST", "a"), ("PATCH", "a"), ("HEAD", nil), ("POST", nil), ("PATCH", nil)] {
            #expect(try fixture.outcome(OSSTestCall(method, key)) == "405 MethodNotAllowed", "\(method)")
        }
        #expect(try fixture.outcome(OSSTestCall("PUT") { $0.bucket = nil }) == "405 MethodNotAllowed")
    }

    @Test func `a refusal of HEAD is told in a field`() throws {
        let answer = try OSSFixture().send(OSSTestCall("HEAD", "a"))
        let document = try #require(answer.field("x-oss-err").flatMap { Data(base64Encoded: $0) })
        #expect(answer.status == 404 && String(decoding: document, as: UTF8.self).contains("<Code>NoSuchKey</Code>"))
    }

    @Test func `no key leaves the folder`() throws {
        let fixture = try OSSFixture()
        for key in [
            "../../../../evil", "..", ".", "a/../../b", "a\u{0}b", "%/x", "a//b", "a/",
            String(repeating: "x", count: 1023),
        ] {
            #expect(try fixture.outcome(OSSTestCall("PUT", key, "x")) == "200", "\(key)")
            #expect(try fixture.send(OSSTestCall("GET", key)).text == "x", "\(key)")
        }
        #expect(try fixture.outcome(OSSTestCall("PUT", "\\a", "x")) == "400 InvalidObjectName")
        #expect(
            try fixture.outcome(OSSTestCall("PUT", String(repeating: "x", count: 1024), "x")) == "400 InvalidObjectName"
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.top) == ["data"])
    }

    @Test func `buckets are made, described and listed`() throws {
        let fixture = try OSSFixture()
        #expect(try fixture.outcome(OSSTestCall("PUT") { $0.bucket = "new-one" }) == "200")
        #expect(try fixture.outcome(OSSTestCall("PUT") { $0.bucket = "Not_One" }) == "400 InvalidBucketName")
        let list = try fixture.send(OSSTestCall("GET") { $0.bucket = nil })
        #expect(list.texts("Name") == ["demo-bucket", "new-one"])
        #expect(
            try fixture.send(OSSTestCall("GET") { $0.query = [("bucketInfo", "")] }).texts("Name") == ["demo-bucket"])
        let location = try fixture.send(OSSTestCall("GET") { $0.query = [("location", "")] })
        #expect(location.texts("LocationConstraint") == ["oss-cn-hangzhou"])
    }
}
