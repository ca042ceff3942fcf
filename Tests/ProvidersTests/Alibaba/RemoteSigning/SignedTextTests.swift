import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// One key signs texts of several kinds by one function: what is signed as one kind must never be good as another, whatever a
/// caller asks for.
@Suite struct SignedTextTests {
    /// What a text is good for, found out as the vendors would.
    private enum Kind { case uploadPolicy, downloadURL, qbox, qiniu, nosHeader, nosURL, nothing }

    private static func kind(of text: String) -> Kind {
        let lines = text.components(separatedBy: "\n")
        if lines.count > 4, lines[0].allSatisfy(\.isUppercase) {
            return Int64(lines[3]) == nil ? .nosHeader : .nosURL
        }
        let words = lines[0].components(separatedBy: " ")
        if lines.count > 1, words.count == 2, words[0].allSatisfy(\.isUppercase), words[1].hasPrefix("/") {
            return .qiniu
        }
        if lines.count > 1, text.hasPrefix("/") { return .qbox }
        guard lines.count == 1, words.count == 1 else { return .nothing }
        if text.hasPrefix("http://") || text.hasPrefix("https://") { return .downloadURL }
        return VendorSide.decoded(text) == nil ? .nothing : .uploadPolicy
    }

    private let signer: SigningKey
    private let origin: BaseURL

    init() throws {
        signer = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("SK".utf8)))
        origin = try #require(BaseURL(isSecure: true, Array("cdn.example.com".utf8)))
    }

    /// Parts of requests that try to end one text and begin another.
    private static let hostile = [
        "/delete/bWVkaWE6YQ==\nx", "/delete/bWVkaWE6YQ==\n", "/move/a/b", "\n", "\r\n", "\nHost: rs.qiniuapi.com\n\n",
        "POST /delete/bWVkaWE6YQ==\nHost: rs.qiniuapi.com\n\n", "GET\n\n\n1700000000\n/doc/a", " ", "\t", "\0", "#",
        "#/x",
        "?", "?e=9999999999", "&e=9999999999", "e=9999999999", "token=AK:x", "x&token=AK:x", "x;e=9999999999", "x?e=1",
        "%65=9999999999", "E=1", "%74oken=x", "a=1&sign=x", "t=ffffffff", "é", "中文", "'", "\"", "\\", "|", "<", "%",
        "%zz", "%4",
        "//evil.example.com/", "http://evil.example.com/", "@evil.example.com/", ":80", "eyJzY29wZSI6Im1lZGlhIn0=",
        "a;b=1;c", "imageMogr2/thumbnail/!50p%7Csaveas/abc",
    ]

    // MARK: The download signer

    @Test func `the download signer would be an oracle if it signed what it is given`() throws {
        // Its text ends in e=…, which is a form's body to QBox.
        let text = "/delete/bWVkaWE6YQ==\nx?e=1700003600"
        let signature = try signer.sha1.signature(over: text, .urlSafe)
        let form = ManagementSample(target: "/delete/bWVkaWE6YQ==", host: "rs.qiniuapi.com", body: "x?e=1700003600")
        #expect(try form.authorization(.qbox, signer) == "QBox AK:\(signature)")
    }

    @Test(arguments: hostile) func `a hostile key gives a URL of that key, and nothing else`(key: String) throws {
        let url = try QiniuURLVectors.download(Array(key.utf8), "", on: origin, until: 1_700_003_600, with: signer)
        let signed = try #require(url.components(separatedBy: "&token=").first)
        #expect(Self.kind(of: signed) == .downloadURL)
        #expect(signed.hasPrefix("https://cdn.example.com/") && signed.hasSuffix("?e=1700003600"))
        #expect(try VendorSide.object(ofDownload: url, signer) == Array(key.utf8))
        #expect(signed.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test func `a slash at the key's beginning is encoded, since clients make one of two`() throws {
        for (key, path) in [("/a", "/%2Fa"), ("//a//b/", "/%2F/a//b/"), ("a//b", "/a//b")] {
            let url = try QiniuURLVectors.download(Array(key.utf8), "", on: origin, until: 1, with: signer)
            #expect(SplitURL(url).path == path)
        }
    }

    /// Those that are harmless in a query, such as a path.
    private static let harmless: Set = [
        "/move/a/b", "//evil.example.com/", "http://evil.example.com/", "@evil.example.com/", ":80", "?",
        "eyJzY29wZSI6Im1lZGlhIn0=", "a;b=1;c", "imageMogr2/thumbnail/!50p%7Csaveas/abc",
    ]

    @Test(arguments: hostile) func `a hostile query is refused, or is a query`(query: String) throws {
        let isHarmless = Self.harmless.contains(query)
        do {
            let url = try QiniuURLVectors.download(
                Array("a.jpg".utf8), query, on: origin, until: 1_700_003_600, with: signer)
            #expect(isHarmless)
            #expect(url.hasPrefix("https://cdn.example.com/a.jpg?\(query)&e=1700003600&token=AK:"))
            #expect(SplitURL(url).parameter("e") == "1700003600")
        } catch IssueError.unsignable {
            #expect(!isHarmless)
        }
    }

    @Test func `a refused URL leaves nothing behind`() throws {
        let none: [UInt8] = []
        for (key, query) in [(none, none), (Array("a".utf8), Array("e=1".utf8)), (Array("a".utf8), Array(" ".utf8))] {
            var out = ByteWriter()
            var isRefused = false
            do {
                try DownloadURL.write(
                    for: ObjectURL(key.span, query: query.span, on: origin), until: 1, with: signer, into: &out)
            } catch {
                isRefused = true
            }
            #expect(isRefused && out.array.isEmpty)
        }
    }

    @Test(arguments: [
        "", "cdn.example.com/", "cdn.example.com/a", "/cdn.example.com", "user@cdn.example.com", "cdn.example.com?",
        "cdn.example.com#", "cdn.example.com\n", "\ncdn.example.com", "cdn example.com", "CDN.example.com",
        "cdn..example.com",
        ".example.com", "cdn.example.com.", "-cdn.example.com", "cdn_1.example.com", "cdn.example.com:",
        "cdn.example.com:0",
        "cdn.example.com:443", "cdn.example.com:65536", "cdn.example.com:+8", "cdn.example.com:08",
        "cdn.example.com:8:9",
        "127.1", "0x7f000001", "2130706433", "127.0.0.01", "[::1]", "::1", "图片.example.com", "%63dn.example.com",
    ])
    func `a base URL is host and port in the one spelling`(authority: String) {
        #expect(BaseURL(isSecure: true, Array(authority.utf8)) == nil)
    }

    @Test(arguments: ["cdn.example.com", "localhost", "127.0.0.1:9000", "xn--fiq228c.example.com:80", "a-1.b2:65535"])
    func `a base URL may have any host`(authority: String) throws {
        var out = ByteWriter()
        try #require(BaseURL(isSecure: true, Array(authority.utf8))).write(into: &out)
        #expect(out.array.text == "https://\(authority)")
        #expect(BaseURL(isSecure: false, Array("cdn.example.com:80".utf8)) == nil)
        #expect(BaseURL(isSecure: false, Array("cdn.example.com:443".utf8)) != nil)
    }

    // MARK: Management requests

    @Test(arguments: hostile) func `a hostile part of a management request is refused, or stays a part`(part: String)
        throws
    {
        let parts: [WritableKeyPath<ManagementSample, String>] = [
            \.method, \.target, \.host, \.contentType, \.fields, \.body,
        ]
        for path in parts {
            var sample = ManagementSample(fields: "1")
            sample[keyPath: path] = path == \.target ? "/" + part : part
            let value = sample.fields
            sample.fields = "X-Qiniu-A: \(value)\r\n"
            if let text = try? sample.text(.qbox) { #expect(Self.kind(of: text) == .qbox) }
            guard let text = try? sample.text(.qiniu) else { continue }
            #expect(Self.kind(of: text) == .qiniu)
            // Whoever reads the text by its marks finds the parts that went in.
            let cut = try #require(text.range(of: "\n\n"))
            let head = text[..<cut.lowerBound].components(separatedBy: "\n")
            var expected = ["\(sample.method) \(sample.target)", "Host: \(sample.host)"]
            if !sample.contentType.isEmpty { expected.append("Content-Type: \(sample.contentType)") }
            expected.append("X-Qiniu-A: \(value.trimmingCharacters(in: [" ", "\t"]))")
            #expect(head == expected)
            #expect(text[cut.upperBound...] == sample.body)
        }
    }

    @Test func `a management request has a path, a host and a method`() throws {
        let wrong: [(WritableKeyPath<ManagementSample, String>, [String])] = [
            (\.method, ["", "get", "GET ", "G1", "GET\n"]),
            (\.target, ["", "?go=1", "buckets", "http://h/", "*", "/a b"]),
            (\.host, ["", "h h", "h\n"]), (\.contentType, [" a/b", "a/b ", "a\u{7F}", "a/b\nX-Qiniu-A: 1"]),
        ]
        for (path, values) in wrong {
            for value in values {
                #expect(throws: IssueError.self, "\(value)") {
                    try ManagementSample().with { $0[keyPath: path] = value }.text(.qiniu)
                }
            }
        }
    }

    // MARK: All kinds

    @Test func `each kind of text is only its own kind`() throws {
        let issuer = try UploadToken(
            Settings(of: UploadToken.Fields()), GrantContext(target: .anything, accessKey: signer.accessKey))
        for key in SampleKeys.many(40, seed: 0x51) {
            let answer = try Signing.issue(
                issuer, with: signer, bucket: "media", key: String(decoding: key, as: UTF8.self), extent: .object,
                now: 1,
                lifetime: 60)
            let policy = try #require(answer["uptoken"]?.string?.components(separatedBy: ":").last)
            #expect(Self.kind(of: policy) == .uploadPolicy)
            let url = try QiniuURLVectors.download(key, "x/1", on: origin, until: 1, with: signer)
            #expect(Self.kind(of: try #require(url.components(separatedBy: "&token=").first)) == .downloadURL)
        }
    }

    @Test func `a signature for a moment is no signature until a moment`() throws {
        let none: [UInt8] = []
        let (method, bucket, key) = (Array("GET".utf8), Array("doc".utf8), Array("a".utf8))
        let request = try NOSRequest(
            method: method.span, bucket: bucket.span, key: key.span,
            content: .init(), fieldLines: none.span)
        var out = ByteWriter()
        var text = ByteWriter()
        for date in ["", "1700003600", "4619733671", " Sat, 11 Feb 2012 05:34:55 GMT", "Sat\n", "Sat\n/doc/b", "Sä"] {
            let bytes = Array(date.utf8)
            var isRefused = false
            do {
                try NOSHeaderSignature.write(for: request, date: bytes.span, with: signer, into: &out, using: &text)
            } catch {
                isRefused = true
            }
            #expect(isRefused, "\(date)")
        }
        let date = HTTPDate.write(1_700_000_000)
        try NOSHeaderSignature.write(for: request, date: date.span, with: signer, into: &out, using: &text)
        #expect(Self.kind(of: text.array.text) == .nosHeader)
        #expect(text.array.text == "GET\n\n\nTue, 14 Nov 2023 22:13:20 GMT\n/doc/a")
        text.reset()
        request.writeStart(into: &text)
        text.append(decimal: 1_700_003_600 as Int64)
        request.writeEnd(into: &text)
        #expect(Self.kind(of: text.array.text) == .nosURL)
    }
}
