import TestTraits
import Testing

@testable import Bytes
@testable import Providers

private let date = "Sat, 16 Dec 2023 16:20:57 GMT"

/// Strings of the vendors' SDKs, by vector id (`oss-sts.json`), their tokens shortened: all are read.
private let legal: [(id: String, text: String)] = [
    (
        "oss.v1.header/put-basic",
        "PUT\neB5eJF1ptWaXm4bijSPyxw==\ntext/html\n\(date)\nx-oss-meta-author:alice\n"
            + "x-oss-meta-magic:abracadabra\n/examplebucket/nelson"
    ),
    ("oss.v1.header/get-service", "GET\n\n\n\(date)\n/"),
    ("oss.v1.header/key-plus-percent-amp", "GET\n\n\n\(date)\n/examplebucket/a+b c%20d&e=f#g.txt"),
    (
        "oss.v1.header/response-overrides",
        "GET\n\n\n\(date)\n/examplebucket/oss-api.pdf?response-cache-control=no-cache"
            + "&response-content-disposition=attachment; filename=报告 v1.pdf&response-content-encoding=gzip"
            + "&response-content-language=zh-CN&response-content-type=application/pdf"
            + "&response-expires=Thu, 01 Feb 2029 17:00:00 GMT"
    ),
    (
        "oss.v1.header/sts-token-get-subres",
        "GET\n\n\n\(date)\nx-oss-security-token:CAIS+wF1q6Ft5B2yfSjIr5fADsiCiplX2LOYVk/Hlm5g="
            + "\n/examplebucket/user1/a.jpg?x-oss-process=image/resize,w_100"
    ),
    (
        "oss.v1.header/copy-source",
        "PUT\n\n\n\(date)\nx-oss-copy-source:/srcbucket/%E6%BA%90/obj%20a\n"
            + "x-oss-metadata-directive:COPY\n/dstbucket/dst/obj"
    ),
    ("oss.v1.header/unicode-meta", "PUT\n\ntext/plain\n\(date)\nx-oss-meta-name:中文 名\n/examplebucket/meta.txt"),
    (
        "oss.v1.presign/put-ct-sts-meta",
        "PUT\n\nimage/png\n1703965989\nx-oss-meta-uid:u-42\nx-oss-object-acl:private\n"
            + "/examplebucket/up/图片 1.png?security-token=CAIS+wF1q6Ft5B2yfSjIr5fADsiCiplX2LOYVk/Hlm5g=/+="
    ),
    (
        "oss.v1.presign/put-part",
        "PUT\n\n\n1703972589\n/examplebucket/big.bin?partNumber=3&security-token=CAIS+wF1q6Ft5B2=/+="
            + "&uploadId=A1B2/c+d=="
    ),
    ("oss.v1.presign/head", "HEAD\n\n\n1703965399\n/examplebucket/h.txt"),
    ("oss.sign.v1/get-bucket-acl", "GET\n\n\n\(date)\n/examplebucket/?acl"),
    ("oss.sign.v1/append", "POST\n\ntext/plain\n\(date)\n/examplebucket/log/app.log?append&position=0"),
]

/// Strings of the vendors that are refused on purpose.
private let vendorsRefused: [(id: String, clause: StringToSignError.Clause, text: String)] = [
    (  // The key begins with `/`: R13.
        "oss.v1.header/post-no-subres-slash-key", .resource, "DELETE\n\n\n\(date)\n/examplebucket//leading//double/"
    ),
    (  // The old document encodes the hexadecimal MD5: 32 bytes are no MD5.
        "oss.v1.header/doc-example", .contentMD5,
        "PUT\nODBGOERFMDMzQTczRUY3NUE3NzA5QzdFNUYzMDQxNEM=\ntext/html\nThu, 17 Nov 2005 18:49:58 GMT\n"
            + "x-oss-magic:abracadabra\nx-oss-meta-author:foo@bar.com\n/oss-example/nelson"
    ),
    (  // The key contains `?`, which V1 cannot tell from the start of sub-resources.
        "oss.v1.presign/get-plus-space", .subResource, "GET\n\n\n1703965449\n/my-bucket/a+b c&d=e%f?.txt"
    ),
]

private let md5 = "eB5eJF1ptWaXm4bijSPyxw=="

private func put(
    verb: String = "PUT", md5: String = "", type: String = "", date: String = date, headers: String = "",
    resource: String = "/examplebucket/a.jpg"
) -> [UInt8] {
    Array("\(verb)\n\(md5)\n\(type)\n\(date)\n\(headers)\(resource)".utf8)
}

private func read(_ text: [UInt8]) throws(StringToSignError) -> ReadString {
    try ReadString(StringToSign(reading: text.span))
}

private func refusal(of text: [UInt8]) -> StringToSignError? {
    do throws(StringToSignError) {
        _ = try read(text)
        return nil
    } catch {
        return error
    }
}

@Suite struct StringToSignTests {
    @Test(arguments: legal)
    func `reads what the vendors' SDKs sign, and writes it back`(id: String, text: String) throws {
        #expect(try read(Array(text.utf8)).written() == Array(text.utf8))
    }

    @Test(arguments: vendorsRefused)
    func `refuses three vendors' strings on purpose`(id: String, clause: StringToSignError.Clause, text: String) {
        #expect(refusal(of: Array(text.utf8))?.clause == clause)
    }

    @Test func `names every part`() throws {
        let string = try read(
            put(
                md5: md5, type: "text/html; charset=utf-8", headers: "x-oss-date:\(date)\nx-oss-meta-a:b:c\n",
                resource: "/examplebucket/a//b..c/d?partNumber=1&uploadId=x=/+"))
        #expect(string.verb == .put)
        #expect(string.contentMD5 == Array(md5.utf8))
        #expect(string.contentType == Array("text/html; charset=utf-8".utf8))
        #expect(string.moment == .date(1_702_743_657))
        #expect(string.headers.map(\.name) == [Array("x-oss-date".utf8), Array("x-oss-meta-a".utf8)])
        #expect(string.headers.map(\.value) == [Array(date.utf8), Array("b:c".utf8)])
        #expect(string.bucket == Array("examplebucket".utf8))
        #expect(string.key == Array("a//b..c/d".utf8))
        #expect(string.subResources.map(\.name) == [Array("partNumber".utf8), Array("uploadId".utf8)])
        #expect(string.subResources.map(\.value) == [Array("1".utf8), Array("x=/+".utf8)])
    }

    @Test func `dots are no segments where a sub-resource's name stands before them`() throws {
        for value in [".", "..", "../x", "a.b/c..d"] {
            let string = try read(put(resource: "/examplebucket/a?response-content-disposition=\(value)"))
            #expect(string.subResources.map(\.value) == [Array(value.utf8)])
        }
    }

    @Test func `tells the levels apart`() throws {
        let service = try read(put(verb: "GET", resource: "/?regionList"))
        #expect(service.bucket.isEmpty && service.key.isEmpty && service.subResources.map(\.value) == [nil])
        let bucket = try read(put(verb: "GET", resource: "/examplebucket/"))
        #expect(!bucket.bucket.isEmpty && bucket.key.isEmpty)
    }

    @Test func `reads the moment of both forms`() throws {
        #expect(try read(put(date: "1703965989")).moment == .expires(1_703_965_989))
        #expect(try read(put(date: "9223372036854775807")).moment == .expires(.max))
        #expect(try read(put()).moment == .date(1_702_743_657))
    }

    @Test func `cuts the resource at every ampersand`() throws {
        let string = try read(put(verb: "GET", resource: "/examplebucket/a?response-content-type=a&versionId=b"))
        #expect(string.subResources.count == 2)
    }

    @Test func `reads what is as long as allowed`() throws {
        let key = String(repeating: "k", count: 1_023)
        let bucket = "a" + String(repeating: "-", count: 61) + "b"
        let type = String(repeating: "t", count: 256)
        #expect(try read(put(type: type, resource: "/\(bucket)/\(key)")).key.count == 1_023)
        let frame = put(headers: "x-oss-meta-a:\n").count
        let value = String(repeating: "v", count: SignedText.maximumLength - frame)
        #expect(try read(put(headers: "x-oss-meta-a:\(value)\n")).written().count == SignedText.maximumLength)
        #expect(refusal(of: put(headers: "x-oss-meta-a:v\(value)\n"))?.clause == .syntax)
    }

    @Test(arguments: [
        "/examplebucket/a..b", "/examplebucket/a//b", "/examplebucket/.a/..b/...", "/examplebucket/a/",
        "/examplebucket/a$",
        "/examplebucket/%2e%2e/a", "/examplebucket/a&acl", "/examplebucket/a=b", "/examplebucket/ a ",
        "/examplebucket/報告",
        "/abc/x-oss-", "/examplebucket/a?x-oss-process=image/resize,w_1", "/examplebucket/a?security-token=a=b==",
        "/examplebucket/a?callback=e30=&callback-var=e30=", "/examplebucket/?acl", "/examplebucket/GET",
        "/examplebucket/mp/obj?uploads",
    ])
    func `reads uncommon resources`(resource: String) throws {
        let text = put(resource: resource)
        #expect(try read(text).written() == text)
    }

    @Test(arguments: [
        "x-oss-meta-a:\n", "x-oss-a:b\nx-oss-a-b:c\nx-oss-b:a,b  c\n", "x-oss-meta-a_b.c:d\n", "x-oss-a:;:\n",
    ])
    func `reads uncommon headers`(headers: String) throws {
        let text = put(headers: headers)
        #expect(try read(text).written() == text)
    }

    @Test(arguments: refused)
    func `refuses what is one edit from legal`(clause: StringToSignError.Clause, text: [UInt8]) {
        #expect(refusal(of: text)?.clause == clause, "\(String(decoding: text, as: UTF8.self).debugDescription)")
    }

    @Test func `names the line`() {
        #expect(refusal(of: put(verb: "put"))?.line == 1)
        #expect(refusal(of: put(headers: "x-oss-a:b\nx-oss-a:c\n"))?.line == 6)
        #expect(refusal(of: put(headers: "x-oss-a:b\n", resource: "/examplebucket"))?.line == 6)
        #expect(refusal(of: put(resource: "/examplebucket/a?b"))?.line == 5)
        #expect(refusal(of: put(type: "a\tb"))?.line == nil)
    }

    @Test func `never quotes the string`() {
        for (_, text) in refused {
            let description = refusal(of: text)?.description ?? ""
            #expect(!description.contains("examplebucket") && !description.contains("a.jpg"))
            #expect(description.contains(": "))
        }
    }

    @Test func `every truncation is refused or legal itself`() {
        for (_, text) in legal {
            let bytes = Array(text.utf8)
            for length in 0..<bytes.count {
                let prefix = Array(bytes.prefix(length))
                if let string = try? read(prefix) { #expect(string.written() == prefix) }
            }
        }
    }

    @Test func `whatever is accepted of 20,000 mutations is written back the same`() {
        var random = SplitMix64(seed: 0x0551)
        let alphabet = Array("\n\r\0 /?&=:.-$({x-oss-acl09azAZ+%\u{7f}é".utf8)
        var accepted = 0
        for round in 0..<20_000 {
            var bytes = Array(legal[round % legal.count].text.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: 0..<bytes.count, using: &random)
                let byte = alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[position] = byte
                case 1: bytes.insert(byte, at: position)
                case 2: bytes.remove(at: position)
                case 3: bytes.swapAt(position, Int.random(in: 0..<bytes.count, using: &random))
                default: bytes.append(contentsOf: Array(bytes[position...].prefix(8)))
                }
            }
            guard let string = try? read(bytes) else { continue }
            accepted += 1
            if string.written() != bytes { Issue.record("written otherwise: \(bytes)") }
            if string.key.contains(UInt8(ascii: "?")) { Issue.record("a key with ?: \(bytes)") }
        }
        #expect(accepted > 1_000)
    }
}

@Suite struct SubResourcesTests {
    /// Outside of `#expect`, which takes no `Span`.
    private func isSigned(_ name: String) -> Bool {
        SubResources.isSigned(Array(name.utf8).span)
    }

    @Test func `the table is sorted and has no name twice`() {
        let names = SubResources.names.map(\.description)
        for (name, next) in zip(names, names.dropFirst()) {
            #expect(name.utf8.lexicographicallyPrecedes(next.utf8))
        }
        #expect(names.count == 88)
    }

    @Test(
        arguments: SubResources.names.map(\.description) + [
            "x-oss-process", "x-oss-traffic-limit", "x-oss-ac-source-ip",
        ])
    func `signed names are signed`(name: String) {
        #expect(isSigned(name))
    }

    @Test(arguments: [
        "", "ac", "acls", "ACL", "Acl", "prefix", "max-keys", "list-type", "encoding-type", "delimiter", "Expires",
        "Signature",
        "OSSAccessKeyId", "x-oss-", "x-oss", "X-oss-process", "x-oss-Process", "x-oss-a b", "x-oss-a=b", "uploadid",
        "acl ",
    ])
    func `other names are not`(name: String) {
        #expect(!isSigned(name))
    }
}

/// Each differs from a legal string in one respect.
private let refused: [(clause: StringToSignError.Clause, text: [UInt8])] = [
    (.syntax, []), (.syntax, Array("\n\n\n".utf8)), (.syntax, Array("PUT".utf8)),
    (.syntax, Array("PUT\n\n\n\(date)".utf8)), (.syntax, Array("PUT\n\n\(date)\n/examplebucket/a.jpg".utf8)),
    (.verb, put(verb: "")), (.verb, put(verb: "put")), (.verb, put(verb: "PUT ")), (.verb, put(verb: " PUT")),
    (.verb, put(verb: "PATCH")), (.verb, put(verb: "OPTIONS")), (.verb, put(verb: "PUTT")), (.verb, put(verb: "PU")),
    // RTMP's string begins with the expiry, a post policy is one line of base64.
    (.verb, put(verb: "1703965989")), (.syntax, Array("eyJleHBpcmF0aW9uIjoiMjAzMC0wMS0wMVQwMDowMDowMFoifQ==".utf8)),
    (.contentMD5, put(md5: "eB5eJF1ptWaXm4bijSPyxw=")), (.contentMD5, put(md5: "eB5eJF1ptWaXm4bijSPyxx==")),
    (.contentMD5, put(md5: "eB5eJF1ptWaXm4bijSPyxw==" + "=")), (.contentMD5, put(md5: "eB5eJF1ptWaXm4bijSPyxwA=")),
    (.contentMD5, put(md5: "eB5eJF1ptWaXm4bijSPy-w==")), (.contentMD5, put(md5: "eB5eJF1ptWaXm4bijSP=xw==")),
    (.contentMD5, put(md5: " ")), (.contentMD5, put(md5: "\(md5) ")),
    (.contentMD5, put(md5: "d41d8cd98f00b204e9800998ecf8427e")),
    (.contentType, put(type: " ")), (.contentType, put(type: "text/html ")), (.contentType, put(type: " text/html")),
    (.contentType, put(type: "text/é")), (.contentType, put(type: String(repeating: "t", count: 257))),
    (.date, put(date: "")), (.date, put(date: "Sun, 16 Dec 2023 16:20:57 GMT")), (.date, put(date: "\(date) ")),
    (.date, put(date: "Sat, 16 Dec 2023 16:20:57 UTC")), (.date, put(date: "Sat, 16 Dec 2023 16:20:60 GMT")),
    (.date, put(date: "2023-12-16T16:20:57Z")), (.date, put(date: "01703965989")), (.date, put(date: "+1703965989")),
    (.date, put(date: "-1")), (.date, put(date: "1703965989 ")), (.date, put(date: "9223372036854775808")),
    (.date, put(date: "1703965989.0")),
    (.date, put(headers: "x-oss-date:Sat, 16 Dec 2023 16:20:58 GMT\n")), (.date, put(headers: "x-oss-date:\n")),
    (.date, put(date: "1703965989", headers: "x-oss-date:1703965989\n")),
    (.date, put(date: "1703965989", headers: "x-oss-date:\(date)\n")),

    (.header, put(headers: "X-oss-a:b\n")), (.header, put(headers: "x-oss-A:b\n")),
    (.header, put(headers: "x-oss-:b\n")),
    (.header, put(headers: "x-oss-a\n")), (.header, put(headers: ":b\n")), (.header, put(headers: "\n")),
    (.header, put(headers: "x-oss-a :b\n")), (.header, put(headers: " x-oss-a:b\n")),
    (.header, put(headers: "x-oss-é:b\n")),
    (.header, put(headers: "x-oss-a: b\n")), (.header, put(headers: "x-oss-a:b \n")),
    (.header, put(headers: "x-oss-a: \n")),
    (.header, put(headers: "x-amz-a:b\n")), (.header, put(headers: "content-type:b\n")),
    (.header, put(headers: "xoss-a:b\n")),
    (.header, put(headers: "x-oss-a:b\nx-oss-a:b\n")), (.header, put(headers: "x-oss-b:1\nx-oss-a:1\n")),
    (.header, put(headers: "x-oss-a-b:1\nx-oss-a:1\n")), (.header, put(headers: "/examplebucket/b.jpg\n")),
    // A key that holds LF and imitates a header, or the other way round.
    (.header, put(resource: "/examplebucket/a\nx-oss-a:b\n/examplebucket/a.jpg")),
    (.header, put(resource: "/examplebucket/a\nb")),

    (.resource, put(resource: "")), (.resource, put(resource: "examplebucket/a")),
    (.resource, put(resource: " /examplebucket/a")),
    (.resource, put(resource: "/examplebucket")), (.resource, put(resource: "//a.jpg")),
    (.resource, put(resource: "//")),
    (.resource, put(resource: "/ab/a")), (.resource, put(resource: "/Examplebucket/a")),
    (.resource, put(resource: "/-bucket/a")),
    (.resource, put(resource: "/bucket-/a")), (.resource, put(resource: "/example.bucket/a")),
    (.resource, put(resource: "/\(String(repeating: "b", count: 64))/a")),
    (.resource, put(resource: "/examplebucket//a")),
    (.resource, put(resource: "/examplebucket/.")), (.resource, put(resource: "/examplebucket/..")),
    (.resource, put(resource: "/examplebucket/a/../b")), (.resource, put(resource: "/examplebucket/a/./b")),
    (.resource, put(resource: "/examplebucket/../b")), (.resource, put(resource: "/examplebucket/a/..")),
    (.resource, put(resource: "/examplebucket/$(filename)")), (.resource, put(resource: "/examplebucket/a${filename}")),
    (.resource, put(resource: "/examplebucket/\(String(repeating: "k", count: 1_024))")),
    (.resource, put(resource: "/examplebucket/a.jpg\n")),
    (.resource, put(headers: "x-oss-a:b\n", resource: "x-oss-b:c")),
    (.resource, put(resource: "?acl")), (.resource, put(resource: "/examplebucket?acl")),

    (.subResource, put(resource: "/examplebucket/a?")), (.subResource, put(resource: "/examplebucket/a?b")),
    (.subResource, put(resource: "/examplebucket/a?Acl")), (.subResource, put(resource: "/examplebucket/a?acl=")),
    (.subResource, put(resource: "/examplebucket/a?=acl")), (.subResource, put(resource: "/examplebucket/a?acl&")),
    (.subResource, put(resource: "/examplebucket/a?&acl")),
    (.subResource, put(resource: "/examplebucket/a?uploadId=x/../y")),
    (.subResource, put(resource: "/examplebucket/a?uploadId=/.")),
    (.subResource, put(resource: "/examplebucket/a?acl&&tagging")),
    (.subResource, put(resource: "/examplebucket/a?acl&acl")),
    (.subResource, put(resource: "/examplebucket/a?tagging&acl")),
    (.subResource, put(resource: "/examplebucket/a?acl=1&acl=2")),
    (.subResource, put(resource: "/examplebucket/a??acl")),
    (.subResource, put(resource: "/examplebucket/a?acl?tagging")),
    (.subResource, put(resource: "/examplebucket/a?uploadId=b?c")),
    (.subResource, put(resource: "/examplebucket/a?uploadId=b&c")),
    (.subResource, put(resource: "/examplebucket/a?b?acl")),
    (.subResource, put(resource: "/examplebucket/a?prefix=b")),
    (.subResource, put(resource: "/examplebucket/?list-type=2")),
    (.subResource, put(resource: "/examplebucket/a?x-oss-")),
    (.subResource, put(resource: "/examplebucket/a?x-oss-A=1")),
    (.subResource, put(resource: "/examplebucket/a? acl")), (.subResource, put(resource: "/examplebucket/a?Expires=1")),

    (.syntax, put(type: "text/html\r")), (.syntax, put(type: "a\tb")), (.syntax, put(resource: "/examplebucket/a\0")),
    (.syntax, put(resource: "/examplebucket/a\u{7f}")), (.syntax, put(resource: "/examplebucket/a\r\n")),
    (.syntax, put() + [0xff]), (.syntax, put() + [0xc0, 0xaf]), (.syntax, put() + [0xed, 0xa0, 0x80]),
    (.syntax, put() + [0xe5, 0xa0]), (.syntax, put() + [0xf4, 0x90, 0x80, 0x80]), (.syntax, [0xef, 0xbb] + put()),
    (.verb, [0xef, 0xbb, 0xbf] + put()), (.syntax, Array("PUT\r\n\r\n\r\n\(date)\r\n/examplebucket/a.jpg".utf8)),
]
