import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// What requests to OSS may be, and that no two of them have one text.
@Suite struct OSSRequestTests {
    private let key: SigningKey
    private let origin: BaseURL

    init() throws {
        key = try SigningKey(accessKey: Array("A+K".utf8), secret: Secret(Array("SK".utf8)))
        origin = try #require(BaseURL(isSecure: true, Array("oss-cn-hangzhou.aliyuncs.com".utf8)))
    }

    private func scoped(at moment: Int64, region: String = "cn-hangzhou", product: String = "oss") throws -> ScopedKey {
        try ScopedKey(key, OSS.v4, region: Array(region.utf8), product: Array(product.utf8), at: moment)
    }

    /// The resource as version 1 signs it.
    private func resource(_ sample: OSSSample) throws -> String {
        let text = try sample.urlV1(origin, until: 1, token: nil, key).stringToSign
        return text.components(separatedBy: "\n").last ?? ""
    }

    // MARK: What is refused

    @Test func `what cannot be signed in one way is refused`() throws {
        let good = OSSSample()
        let wrong: [(inout OSSSample) -> Void] = [
            { $0.method = "" }, { $0.method = "put" }, { $0.method = "PUT\n" }, { $0.method = "PUT " },
            { $0.bucket = "" }, { $0.bucket = "ab" }, { $0.bucket = "Bucket" }, { $0.bucket = "a.b.c" },
            { $0.bucket = "-abc" }, { $0.bucket = "abc-" }, { $0.bucket = "a/b" }, { $0.bucket = "a\nb" },
            { $0.bucket = String(repeating: "a", count: 64) }, { $0.key = "a\nb" }, { $0.key = "a\rb" },
            { $0.key = "a\u{7F}" }, { $0.key = "\0" }, { $0.key = String(repeating: "é", count: 512) },
            { $0.fields = [("a b", "1")] }, { $0.fields = [("", "1")] }, { $0.fields = [("x-oss-meta-é", "1")] },
            { $0.fields = [("x-oss-meta-a", "1\nx-oss-meta-b:2")] }, { $0.fields = [("x-oss-meta-a", "1\r\n 2")] },
            { $0.fields = [("x-oss-meta-a", "1\r\nx-oss-meta-b")] }, { $0.fields = [("x-oss-meta-a", "a\tb")] },
            { $0.fields = [("x-oss-meta-a", "\u{3000}a")] }, { $0.fields = [("x-oss-meta-a", "a\u{A0}")] },
            { $0.fields = [("Content-Type", "a/b"), ("content-type", "a/b")] },
            { $0.fields = [("Content-MD5", "a"), ("CONTENT-MD5", "a")] },
            { $0.fields = [("Host", "a"), ("host", "b")] },
            { $0.query = [("", "1")] }, { $0.query = [("a", "1"), ("b", "2"), ("a", "1")] },
            { $0.query = [("a", "\n")] },
            { $0.query = [("a\n", "1")] },
        ]
        for (index, change) in wrong.enumerated() {
            #expect(throws: IssueError.self, "V1, change \(index)") { try resource(good.with(change)) }
            #expect(throws: IssueError.self, "V4, change \(index)") { try good.with(change).canonical() }
        }
    }

    @Test func `bytes that are no UTF-8 are refused`() throws {
        let (method, bucket, bad) = (Array("PUT".utf8), Array("examplebucket".utf8), [0x61, 0xFF] as [UInt8])
        let line = Array("x-oss-meta-a: ".utf8) + bad + Array("\r\n".utf8)
        for (key, fields, parameter) in [(bad, [], []), ([0x61], line, []), ([0x61], [], bad)] {
            var isRefused = false
            do {
                _ = try ObjectRequest(
                    OSS.v4, method: method.span, bucket: bucket.span, key: key.span,
                    query: QueryText.form(parameter.isEmpty ? [] : [NameValue("a", parameter)]).span,
                    fieldLines: fields.span)
            } catch {
                isRefused = true
            }
            #expect(isRefused)
        }
    }

    @Test(arguments: [
        "OSSAccessKeyId", "Expires", "Signature", "expires", "security-token", "x-oss-signature", "x-oss-expires",
        "x-oss-signature-version", "x-oss-credential", "x-oss-date", "x-oss-additional-headers", "x-oss-security-token",
        "x-oss-access-key-id", "X-Oss-Expires",
    ])
    func `a parameter that belongs to signatures is refused`(name: String) {
        #expect(throws: IssueError.self) { try resource(OSSSample(query: [(name, "1")])) }
        #expect(throws: IssueError.self) { try OSSSample(query: [(name, "")]).canonical() }
    }

    @Test(arguments: ["Authorization", "x-oss-date", "X-OSS-Security-Token", "x-oss-content-sha256"])
    func `a signed URL has no other signature beside it`(name: String) throws {
        let sample = OSSSample(fields: [(name, "1")])
        let scoped = try scoped(at: 0)
        #expect(throws: IssueError.self) { try sample.urlV1(origin, until: 1, token: nil, key) }
        #expect(throws: IssueError.self) { try sample.urlV4(origin, at: 0, for: 1, token: nil, scoped) }
    }

    @Test func `a URL's life has an end, and in version 4 seven days at most`() throws {
        let scoped = try scoped(at: 0)
        for deadline in [Int64.min, -1, 0] {
            #expect(throws: IssueError.self) { try OSSSample().urlV1(origin, until: deadline, token: nil, key) }
        }
        for lifetime in [Int64.min, -1, 0, 604_801, .max] {
            #expect(throws: IssueError.self) {
                try OSSSample().urlV4(origin, at: 0, for: lifetime, token: nil, scoped)
            }
        }
        for lifetime in [Int64(1), 604_800] {
            let url = try OSSSample().urlV4(origin, at: 0, for: lifetime, token: nil, scoped).text
            #expect(SplitURL(url).parameter("x-oss-expires") == "\(lifetime)")
        }
    }

    @Test(arguments: [
        [("Host", "h")], [("Date", "1700000000")], [("x-oss-date", "1700000000")], [("Date", "")],
        [("Date", "Tue, 14 Nov 2023 22:13:20 GMT"), ("x-oss-date", "1700000000")],
        [("Date", "Tue, 14 Nov 2023 22:13:20 GMT"), ("date", "Tue, 14 Nov 2023 22:13:20 GMT")],
        [("Date", "Tue, 14 Nov 2023 22:13:20 +0000")], [("x-oss-date", "20231114T221320Z")],
    ])
    func `a header of version 1 is good for a date only, never until a moment`(fields: [(String, String)]) {
        #expect(throws: IssueError.self) { try OSSSample(fields: fields).headerV1(key) }
    }

    @Test func `a header of version 4 has its date and says that the payload is not signed`() throws {
        let good = [("x-oss-date", "20231114T221320Z"), ("x-oss-content-sha256", "UNSIGNED-PAYLOAD")]
        let scoped = try scoped(at: 1_700_000_000)
        _ = try OSSSample(fields: good).headerV4(scoped)
        for (index, value) in [
            (0, ""), (0, "Tue, 14 Nov 2023 22:13:20 GMT"), (0, "20231115T000000Z"), (0, "20231114T221320Z,"),
            (1, ""), (1, "unsigned-payload"), (1, String(repeating: "0", count: 64)),
        ] {
            var fields = good
            fields[index].1 = value
            #expect(throws: IssueError.self, "\(fields)") { try OSSSample(fields: fields).headerV4(scoped) }
        }
        for fields in [[good[0]], [good[1]], good + [good[0]], good + [good[1]]] {
            #expect(throws: IssueError.self, "\(fields)") { try OSSSample(fields: fields).headerV4(scoped) }
        }
    }

    @Test(arguments: [
        ["range"], ["content-length", "range"], ["if-match", "IF-Match"], ["content-type"], ["x-oss-meta-a"], [""],
        ["empty"],
    ])
    func `an additional field that would not be signed, or is signed anyhow, is refused`(names: [String]) {
        let sample = OSSSample(
            fields: [
                ("Content-Length", "3"), ("If-Match", "x"), ("Content-Type", "a/b"), ("x-oss-meta-a", "1"),
                ("Empty", ""),
            ], additional: names)
        #expect(throws: IssueError.self) { try sample.canonical() }
    }

    // MARK: One text, one request

    @Test(arguments: [
        "a?acl", "a?acl&x", "a?acl=", "a?acl=1", "?acl", "a/b?uploads", "a?x-oss-process=image", "a?x-oss-", "a?b?acl",
        "a?versionId=1?", "a?acl?", "a?unknown", "a?unknown=1", "a?un_known&", "? ?acl", "a??acl", "a?é?acl",
        "a?response-content-type=x", "a?x-oss-a.b", "a?x-oss-é=1",
    ])
    func `a key that goes on like a query has no text of version 1`(key: String) throws {
        #expect(throws: IssueError.self) { try resource(OSSSample(key: key)) }
        #expect(try OSSSample(key: key).canonical().contains("%3F"))
    }

    @Test(arguments: [
        "a?", "a??", "a?.txt", "a? acl", "what? now.txt", "a&acl", "a=acl", "a&x-oss-process=1", "?é", "a?=",
    ])
    func `a key with a question mark that does not is signed as it is`(key: String) throws {
        #expect(try resource(OSSSample(key: key)) == "/examplebucket/\(key)")
    }

    @Test(arguments: ["a&acl", "a?acl", "&uploadId=1", "a&x-oss-acl=1", "a&unknown", "a&b=c", "a?b&c"])
    func `a value that goes on like a query has no text of version 1`(value: String) throws {
        #expect(throws: IssueError.self) { try resource(OSSSample(query: [("response-content-type", value)])) }
        let token = Array(value.utf8).text
        #expect(throws: IssueError.self) { try OSSSample().urlV1(origin, until: 1, token: token, key) }
        // What is not signed cannot be taken for anything.
        #expect(try resource(OSSSample(query: [("prefix", value)])) == "/examplebucket/a/b.txt")
    }

    @Test func `a value with other marks is signed as it is`() throws {
        for value in ["attachment; filename=\"a&b.txt\"", "a=b=c==", "a+/b", "? ", "é&é", "a?.", "&"] {
            let sample = OSSSample(query: [("uploads", ""), ("response-content-disposition", value)])
            #expect(try resource(sample) == "/examplebucket/a/b.txt?response-content-disposition=\(value)&uploads")
        }
    }

    /// Pieces of requests that are put into every part: whatever is signed, no two requests have one text.
    @Test func `no two requests have one text`() throws {
        let pieces = [
            "a", "b", "a/b", "/", "/a", "?", "&", "=", ":", "a?b", "a?acl", "acl", "a&b", "a=b", "a:b", "1,2", "%2F",
            " a",
            "x-oss-a:1", "UNSIGNED-PAYLOAD", ";", "a;b", "\n", "GET", "%3Facl", "/examplebucket/a",
        ]
        var samples: [OSSSample] = []
        for piece in pieces {
            for base in [OSSSample(key: "k"), OSSSample(key: "a"), OSSSample(key: "k", query: [("acl", "")])] {
                samples.append(base.with { $0.key = piece })
                samples.append(base.with { $0.key += piece })
                samples.append(base.with { $0.query.append(("uploadId", piece)) })
                samples.append(base.with { $0.query.append(("symlink", "1" + piece)) })
                samples.append(base.with { $0.query.append(("symlink", "1&uploadId=" + piece)) })
                samples.append(base.with { $0.query += [("symlink", "1"), ("uploadId", piece)] })
                samples.append(base.with { $0.query.append((piece, "")) })
                samples.append(base.with { $0.query.append(("x-oss-" + piece, "1")) })
                samples.append(base.with { $0.fields = [("Content-Type", piece)] })
                samples.append(base.with { $0.fields = [("Content-MD5", piece)] })
                samples.append(base.with { $0.fields = [("x-oss-a", piece)] })
                samples.append(base.with { $0.fields = [("x-oss-a", "1"), ("x-oss-b", piece)] })
                samples.append(base.with { $0.fields = [("x-oss-a" + piece, "1")] })
                samples.append(
                    base.with {
                        $0.fields = [("If-Match", piece)]; $0.additional = ["if-match"]
                    })
                samples.append(
                    base.with {
                        $0.fields = [(piece, "x")]; $0.additional = [piece]
                    })
            }
        }
        var texts: [[String: String]] = [[:], [:]]
        for sample in samples {
            let v1 = try? sample.urlV1(origin, until: 1, token: nil, key).stringToSign
            let v4 = try? sample.canonical()
            for (version, text) in [v1, v4].enumerated() {
                guard let text else { continue }
                let parts = Self.parts(of: sample, isV1: version == 0)
                let other = texts[version][text] ?? parts
                #expect(other == parts, "\(text)")
                texts[version][text] = parts
            }
        }
        #expect(texts[0].count > 150 && texts[1].count > 300)
    }

    /// What OSS goes by: the parts of a request that are signed, without the case of names and the spaces around values.
    private static func parts(of sample: OSSSample, isV1: Bool) -> String {
        let query = sample.query.filter { !isV1 || ["acl", "uploadId", "symlink"].contains($0.0) || isOwn($0.0) }
        let fields = sample.fields.map { ($0.0.lowercased(), $0.1.trimmingCharacters(in: [" "])) }.filter {
            name, value in
            isOwn(name) || name.hasPrefix("content-") && !(isV1 && value.isEmpty)
                || !isV1 && sample.additional.contains { $0.lowercased() == name }
        }
        return "\(sample.method) \(sample.key.debugDescription) \(query.sorted { $0.0 < $1.0 }) \(fields)"
    }

    private static func isOwn(_ name: String) -> Bool { name.hasPrefix("x-oss-") }

    // MARK: The key of version 4

    @Test func `a derived key is of one day, region and product`() throws {
        let midnight: Int64 = 1_704_067_200
        let key = try scoped(at: midnight)
        #expect(key.scope.text == "20240101/cn-hangzhou/oss/aliyun_v4_request")
        for moment in [midnight, midnight + 86_399] { #expect(key.covers(moment)) }
        for moment in [midnight - 1, midnight + 86_400, .min, .max] { #expect(!key.covers(moment)) }
        #expect(try scoped(at: -1).scope.text == "19691231/cn-hangzhou/oss/aliyun_v4_request")
        #expect(try scoped(at: -1).covers(-86_400) && !scoped(at: -1).covers(0))
        for moment in [midnight - 1, midnight + 86_400] {
            #expect(throws: IssueError.self) { try OSSSample().urlV4(origin, at: moment, for: 60, token: nil, key) }
        }
        let keys = try [
            key, scoped(at: midnight + 86_399), scoped(at: midnight - 1), scoped(at: midnight, region: "cn-beijing"),
            scoped(at: midnight, product: "oss-cloudbox"), scoped(at: midnight, region: "oss", product: "cn-hangzhou"),
        ]
        let codes = try keys.map { try $0.code(of: Array("text".utf8).span).bytes.array }
        #expect(codes[0] == codes[1] && Set(codes).count == keys.count - 1)
    }

    @Test(arguments: [
        "", "CN-hangzhou", "cn/hangzhou", "cn hangzhou", "cn-hangzhou\n", "cn_hangzhou", "é", "cn-hangzhou,",
    ])
    func `a region is a plain name`(region: String) {
        #expect(throws: IssueError.self) { try scoped(at: 0, region: region) }
        #expect(throws: IssueError.self) { try scoped(at: 0, product: region) }
    }

    @Test func `printing a derived key does not show it`() throws {
        var shown = ""
        dump(try scoped(at: 0), to: &shown)
        #expect(shown.contains("<key>") && !shown.contains("SK"))
    }
}
