import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// A request to NOS as text.
private struct Sample {
    var method = "PUT"
    var bucket = "doc"
    var key = "a/b.txt"
    var parameters: [(String, String?)] = []
    var md5 = ""
    var type = ""
    var fields = ""

    func with(_ change: (inout Sample) -> Void) -> Sample {
        var changed = self
        change(&changed)
        return changed
    }

    func withRequest<Result>(_ use: (borrowing NOSRequest) throws -> Result) throws -> Result {
        let (method, bucket, key) = (Array(method.utf8), Array(bucket.utf8), Array(key.utf8))
        let (md5, type, fields) = (Array(md5.utf8), Array(type.utf8), Array(fields.utf8))
        let request = try NOSRequest(
            method: method.span, bucket: bucket.span, key: key.span,
            parameters: parameters.map { .init(name: Array($0.0.utf8), value: $0.1.map { Array($0.utf8) }) },
            content: .init(md5: md5.span, type: type.span), fieldLines: fields.span)
        return try use(request)
    }

    /// The text that is signed, its moment being a star.
    func text() throws -> String {
        try withRequest { request in
            var out = ByteWriter()
            request.writeStart(into: &out)
            out.append("*")
            request.writeEnd(into: &out)
            return out.array.text
        }
    }

    func url() throws -> String {
        let origin = try #require(BaseURL(isSecure: true, Array("nos-eastchina1.126.net".utf8)))
        return try withRequest { request in
            var out = ByteWriter()
            request.writeURL(on: origin, into: &out)
            return out.array.text
        }
    }
}

@Suite struct NOSRequestTests {
    @Test func `what is sent is what is signed`() throws {
        for (sample, path) in [
            (Sample(), "/a%2Fb.txt"), (Sample(key: "dir/"), "/dir%2F"), (Sample(key: "~*.~"), "/%7E*.%7E"),
            (Sample(key: "中 文+%"), "/%E4%B8%AD%20%E6%96%87%2B%25"), (Sample(key: ""), "/"),
        ] {
            #expect(try sample.text() == "PUT\n\n\n*\n/doc\(path)")
            #expect(try sample.url() == "https://doc.nos-eastchina1.126.net\(path)")
        }
        #expect(try Sample(bucket: "", key: "").text() == "PUT\n\n\n*\n/")
        #expect(try Sample(bucket: "", key: "").url() == "https://nos-eastchina1.126.net/")
    }

    @Test(arguments: [
        "acl", "location", "versioning", "versions", "versionId", "uploadId", "uploads", "partNumber", "delete",
        "deduplication",
    ])
    func `a sub-resource is signed with its value`(name: String) throws {
        #expect(try Sample(parameters: [(name, nil)]).text().hasSuffix("/doc/a%2Fb.txt?\(name)"))
        #expect(try Sample(parameters: [(name, "1-a_B.")]).text().hasSuffix("/doc/a%2Fb.txt?\(name)=1-a_B."))
        #expect(try Sample(parameters: [(name, "1")]).url().hasSuffix("/a%2Fb.txt?\(name)=1"))
        for value in ["", "a b", "a&b", "a=b", "~", "é", "a/b", "a\n"] {
            #expect(throws: IssueError.self) { try Sample(parameters: [(name, value)]).text() }
        }
    }

    @Test func `other parameters are sent and not signed, all of them sorted`() throws {
        let sample = Sample(parameters: [
            ("uploadId", "x"), ("prefix", "a/ é&~"), ("partNumber", "2"), ("Acl", nil), ("download", ""),
        ])
        #expect(try sample.text().hasSuffix("/doc/a%2Fb.txt?partNumber=2&uploadId=x"))
        #expect(
            try sample.url().hasSuffix("?Acl&download=&partNumber=2&prefix=a%2F%20%C3%A9%26%7E&uploadId=x"))
    }

    @Test(arguments: [
        [("", nil)], [("a b", nil)], [("a=b", nil)], [("a&b", nil)], [("é", nil)], [("a\n", nil)], [("Signature", "x")],
        [("expires", "1")], [("NOSAccessKeyId", "x")], [("nosaccesskeyid", "x")], [("x-nos-date", "x")],
        [("X-NOS-meta-a", "x")], [("crop", "1")], [("resize", "1")], [("acl", nil), ("acl", nil)],
        [("a", "1"), ("b", nil), ("a", "2")],
    ])
    func `parameters of the signature's, or that SDKs disagree on, are refused`(parameters: [(String, String?)]) {
        #expect(throws: IssueError.self) { try Sample(parameters: parameters).text() }
        #expect(throws: IssueError.self) { try Sample(parameters: parameters).url() }
    }

    @Test func `the signed fields are in lower case and sorted`() throws {
        let sample = Sample(
            md5: "5d41402abc4b2a76b9719d911017c592", type: "text/plain; charset=utf-8",
            fields: "X-NOS-Storage-Class: standard\r\nx-nos-meta-B:2 \r\nHost: h\r\nX-Nos-Meta-A:  1 1\r\nx-nos-: n\r\n"
        )
        #expect(
            try sample.text()
                == "PUT\n5d41402abc4b2a76b9719d911017c592\ntext/plain; charset=utf-8\n*\n"
                + "x-nos-meta-a:1 1\nx-nos-meta-b:2\nx-nos-storage-class:standard\n/doc/a%2Fb.txt")
    }

    @Test func `what cannot be signed in one way is refused`() throws {
        let good = Sample()
        let wrong: [Sample] = [
            good.with { $0.method = "" }, good.with { $0.method = "put" }, good.with { $0.method = "PUT\n" },
            good.with { $0.bucket = "" }, good.with { $0.bucket = "a/b" }, good.with { $0.bucket = "a\n" },
            good.with { $0.bucket = "a?acl" }, good.with { $0.md5 = "XUFAKrxLKna5cZ2REBfFkg==" },
            good.with { $0.md5 = "5D41402ABC4B2A76B9719D911017C592" },
            good.with { $0.md5 = "5d41402abc4b2a76b9719d911017c59" },
            good.with { $0.md5 = "5d41402abc4b2a76b9719d911017c59\n" }, good.with { $0.type = "a/b\n" },
            good.with { $0.type = " a/b" }, good.with { $0.type = "\"a/b\"" }, good.with { $0.type = "a/é" },
            good.with { $0.fields = "x-nos-meta-a: 1\r\nX-NOS-META-A: 1\r\n" },
            good.with { $0.fields = "x-nos-meta-a: \"1\"\r\n" }, good.with { $0.fields = "x-nos-meta-a: 1'\r\n" },
            good.with { $0.fields = "x-nos-meta-a: é\r\n" }, good.with { $0.fields = "x-nos-meta-a: 1\tb\r\n" },
            good.with { $0.fields = "x-nos-meta-é: 1\r\n" }, good.with { $0.fields = "x-nos-meta-a : 1\r\n" },
            good.with { $0.fields = "x-nos-meta-a: 1\n/doc/other\r\n" }, good.with { $0.fields = "x-nos-meta-a: 1" },
        ]
        for sample in wrong {
            #expect(throws: IssueError.self, "\(sample)") { try sample.text() }
        }
        #expect(try good.with { $0.fields = "a: é\"\r\nx-nos-: 'é\r\n" }.text() == good.text())
    }

    @Test func `a date may be the vendor's own header instead`() throws {
        let key = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("SK".utf8)))
        let none: [UInt8] = []
        let text = try Sample(fields: "x-nos-date: Sat, 11 Feb 2012 05:34:55 GMT\r\n").withRequest { request in
            var out = ByteWriter()
            var text = ByteWriter()
            try NOSHeaderSignature.write(for: request, date: none.span, with: key, into: &out, using: &text)
            return text.array.text
        }
        #expect(text == "PUT\n\n\n\nx-nos-date:Sat, 11 Feb 2012 05:34:55 GMT\n/doc/a%2Fb.txt")
    }

    @Test func `a presigned URL has its signature behind the parameters, encoded`() throws {
        let key = try SigningKey(accessKey: Array("A+K".utf8), secret: Secret(Array("SK".utf8)))
        let origin = try #require(BaseURL(isSecure: false, Array("nos-eastchina1.126.net".utf8)))
        let sample = Sample(method: "GET", parameters: [("download", "a b.txt"), ("versionId", "3")])
        func url(until deadline: Int64) throws -> String {
            try sample.withRequest { request in
                var out = ByteWriter()
                var scratch = ByteWriter()
                try NOSPresignedURL.write(
                    for: request, on: origin, until: deadline, with: key, into: &out, using: &scratch)
                return out.array.text
            }
        }
        for deadline in Int64(1_700_000_000)...1_700_000_040 {
            let split = SplitURL(try url(until: deadline))
            let signature = try key.sha256.signature(
                over: "GET\n\n\n\(deadline)\n/doc/a%2Fb.txt?versionId=3", .standard)
            let encoded = signature.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            #expect(
                split.query
                    == "download=a%20b.txt&versionId=3&NOSAccessKeyId=A%2BK&Expires=\(deadline)&Signature=\(encoded)")
        }
        for deadline in [Int64.min, -1, 0] { #expect(throws: IssueError.self) { try url(until: deadline) } }
    }
}
