import TestTraits
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// Whatever is given for inspection: it is read or refused, and nothing traps.
@Suite struct InspectionInputTests {
    private func fault(_ bytes: [UInt8]) -> String? {
        do throws(InspectionInput.Fault) {
            _ = try InspectionInput(reading: bytes)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `nothing, too much and what only begins as JSON are refused`() {
        #expect(
            fault([]) == "there is nothing to inspect" && fault(Array(" \r\n\t".utf8)) == "there is nothing to inspect")
        #expect(fault([UInt8](repeating: 0x61, count: InspectionInput.maximumLength)) == nil)
        #expect(
            fault([UInt8](repeating: 0x61, count: InspectionInput.maximumLength + 1)) == "it is longer than 256 KiB")
        #expect(fault(Array("{\"a\":1,}".utf8))?.hasPrefix("it begins as JSON, and is none: at byte ") == true)
        #expect(
            fault(Array(String(repeating: "{\"a\":", count: 1000).utf8))?.hasPrefix(
                "it begins as JSON, and is none: at byte ") == true)
    }

    @Test func `a request is read as it is on the wire, and as curl shows it`() throws {
        let texts = [
            "PUT /a?b=c HTTP/1.1\r\nHost: h.example.com\r\nX: 1\r\n\r\nbody",
            "PUT /a?b=c HTTP/1.1\nhost:h.example.com\nX:1",
            "* Connected\n> PUT /a?b=c HTTP/2\n> Host: h.example.com\n> X: 1\n> \n< HTTP/2 200\n< X: 2\n",
            "PUT https://h.example.com/a?b=c HTTP/1.1\r\nX: 1\r\n\r\n",
        ]
        for text in texts {
            guard case .request(let request) = try InspectionInput(reading: Array(text.utf8)).content else {
                Issue.record("no request: \(text)")
                continue
            }
            #expect(request.method?.text == "PUT" && request.authority.text == "h.example.com", "\(text)")
            #expect(request.target.text == "/a?b=c" && request.field("x")?.text == "1", "\(text)")
        }
    }

    @Test func `a parameter that comes twice is none`() throws {
        let request = try #require(InspectedRequest(url: Array("https://h/p?a=1&b=%32&a=3&c".utf8)))
        #expect(request.parameter("a") == nil && request.parameter("b")?.text == "2" && request.parameter("c") == nil)
        #expect(InspectedRequest(url: Array("https://h/p?a=%2".utf8))?.parameters == nil)
    }

    @Test func `a body is as long as its Content-Length, or ends with its last line`() throws {
        for (fields, body) in [
            ("Content-Length: 5\r\n", "a\n\n b"), ("Content-Length: 99\r\n", "a\n\n b"), ("", "a\n\n b"),
        ] {
            let text = "PUT / HTTP/1.1\r\nHost: h\r\n\(fields)\r\na\n\n b\r\n"
            guard case .request(let request) = try InspectionInput(reading: Array(text.utf8)).content else { continue }
            #expect(request.body.text == body, "\(fields)")
        }
        let text = "PUT / HTTP/1.1\nContent-Length: 6\n\nabcd\n\n\n"
        guard case .request(let request) = try InspectionInput(reading: Array(text.utf8)).content else {
            Issue.record("no request")
            return
        }
        #expect(request.body.text == "abcd\n\n")
    }

    @Test func `more names than anybody needs are not looked at`() throws {
        let query = [String](repeating: "a=b", count: 256).joined(separator: "&")
        #expect(InspectedRequest(url: Array("https://h/?\(query)".utf8))?.parameters?.count == 256)
        #expect(InspectedRequest(url: Array("https://h/?\(query)&c".utf8))?.parameters == nil)
        let fields = String(repeating: "a: b\r\n", count: 256)
        #expect(InspectedRequest(text: Array("GET / HTTP/1.1\r\n\(fields)\r\n".utf8)[...]) == nil)
    }

    @Test(
        arguments: [
            ("https://b.oss-cn-hangzhou.aliyuncs.com/a/k", "b", "a/k"),
            ("https://oss-cn-hangzhou.aliyuncs.com/b/k/l", "b", "k/l"),
            ("https://oss-b.oss-cn-hangzhou.aliyuncs.com/k", "oss-b", "k"),
            ("https://ossdata.example.com/k", "ossdata", "k"),
            ("https://oss-b.storage.example.com:8443/k", "oss-b", "k"),
            ("https://storage.example.com:8443/b/k", "b", "k"),
            ("http://127.0.0.1:9000/b/k", "b", "k"), ("http://localhost:9000/b", "b", ""),
            ("https://b.example.com", "b", ""),
        ])
    func `bucket and key are where the vendor looks for them`(url: String, bucket: String, key: String) throws {
        let request = try #require(InspectedRequest(url: Array(url.utf8)))
        let object = request.object("oss", endpoints: [Array("storage.example.com:8443".utf8)])
        #expect(object?.bucket.text == bucket && object?.key.text == key)
    }

    // MARK: Hostile input

    /// Every inspector on whatever it was given.
    private func inspectAll(_ bytes: [UInt8], _ keyring: Keyring) -> [Inspection] {
        guard let input = try? InspectionInput(reading: bytes) else { return [] }
        let moments = [InspectionSample.now, .min, .max, 0]
        let jwt = InspectedJWT.inspect(
            input, at: InspectionSample.now, leeway: { _ in .max }, judge: { _, _ in })
        let ticket = InspectedTicket.inspect(input, at: InspectionSample.now, judge: { _, _ in })
        return moments.flatMap { now in
            Inspectors.all.compactMap { $0.inspector.inspect(input, with: keyring, at: now) }
        } + [jwt, ticket].compactMap(\.self)
    }

    private static let seeds = [
        "AKID:8TsoN3k6y0dD7fTDx2DjLbGhUSI=:eyJzY29wZSI6Im1lZGlhOmEiLCJkZWFkbGluZSI6MTc5NTAwMDYwMH0=",
        "UPLOAD AKID:c2lnbg==:eyJCdWNrZXQiOiJiIiwiT2JqZWN0IjoibyIsIkV4cGlyZXMiOjE3OTUwMDA2MDB9",
        "https://m.example.com/a.jpg?e=1795000600&token=AKID:8TsoN3k6y0dD7fTDx2DjLbGhUSI=",
        "https://c.example.com/a.mp4?sign=0123456789abcdef0123456789abcdef&t=6afd8e18",
        "https://b.nos-eastchina1.126.net/o?NOSAccessKeyId=AKID&Expires=1795000600&Signature=x%3D",
        "https://bucket.oss-cn-hangzhou.aliyuncs.com/k?OSSAccessKeyId=AKID&Expires=1795000600&Signature=x%3D",
        "https://bucket.oss-cn-hangzhou.aliyuncs.com/k?x-oss-credential=AKID%2F20261118%2Fcn-hangzhou%2Foss%2F"
            + "aliyun_v4_request&x-oss-date=20261118T110640Z&x-oss-expires=600&x-oss-signature=00&"
            + "x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-additional-headers=host",
        "rtmp://bucket.oss-cn-hangzhou.aliyuncs.com/live/c?playlistName=a.m3u8&OSSAccessKeyId=AKID&Expires=1795000600&"
            + "Signature=x",
        "PUT /k?acl HTTP/1.1\r\nHost: bucket.oss-cn-hangzhou.aliyuncs.com\r\nx-oss-date: 20261118T110640Z\r\n"
            + "x-oss-content-sha256: UNSIGNED-PAYLOAD\r\nAuthorization: OSS4-HMAC-SHA256 Credential=AKID/20261118/"
            + "cn-hangzhou/oss/aliyun_v4_request,Signature=00\r\n\r\n",
        "GET /stat/a HTTP/1.1\r\nHost: rs.qiniuapi.com\r\nX-Qiniu-Date: 20261118T110640Z\r\nAuthorization: Qiniu AKID:x\r\n",
        "> GET /o HTTP/1.1\n> Host: b.nos.example.com\n> Date: Wed, 18 Nov 2026 11:06:40 GMT\n> Authorization: NOS AKID:x\n",
        "POST / HTTP/1.1\r\nHost: sts.aliyuncs.com\r\nx-acs-date: 2026-11-18T11:06:40Z\r\n"
            + "Authorization: ACS3-HMAC-SHA256 Credential=AKID,SignedHeaders=host;x-acs-date,Signature=00\r\n\r\nb",
        "{\"fields\":{\"policy\":\"eyJleHBpcmF0aW9uIjoiMjAyNi0xMS0xOFQxMTowNzo0MC4wMDBaIiwiY29uZGl0aW9ucyI6W3siYnVja2V0Ijo"
            + "iYiJ9LFsiaW4iLCIka2V5IixbImEiXV1dfQ==\",\"OSSAccessKeyId\":\"AKID\",\"Signature\":\"x\"},\"url\":\"https://b/\"}",
        "{\"AccessKeyId\":\"STS.A\",\"AccessKeySecret\":\"s\",\"SecurityToken\":\"t\",\"Expiration\":\"2026-11-18T11:06:40Z\"}",
        "{\"method\":\"GET\",\"url\":\"https://b/?NOSAccessKeyId=AKID\",\"headers\":{\"a\":\"b\"}}",
        "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3OTUwMDA2MDAsIm5iZiI6MWU5OTl9.c2ln",
    ]

    @Test func `every seed is understood by one inspector, and none of them is genuine`() throws {
        let keyring = try InspectionSample.keyring()
        for seed in InspectionInputTests.seeds {
            let found = inspectAll(Array(seed.utf8), keyring)
            #expect(!found.isEmpty, "\(seed)")
            #expect(Set(found.map(\.kind)).count == 1, "\(seed): \(found.map(\.kind))")
            #expect(!found.contains { $0.verdict == .genuine }, "\(seed)")
        }
    }

    @Test func `no change of anything that is understood traps, or makes it genuine`() throws {
        let keyring = try InspectionSample.keyring()
        var random = SplitMix64(seed: 7)
        var understood = 0
        for seed in InspectionInputTests.seeds.map({ Array($0.utf8) }) {
            for _ in 0..<Rounds.share(of: 400) {
                var bytes = seed
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    InspectionInputTests.change(&bytes, using: &random)
                }
                let found = inspectAll(bytes, keyring)
                understood += found.isEmpty ? 0 : 1
                #expect(!found.contains { $0.verdict == .genuine }, "\(bytes.text)")
            }
        }
        #expect(understood > Rounds.share(of: 1000))
    }

    @Test func `no bytes trap`() throws {
        let keyring = try InspectionSample.keyring()
        var random = SplitMix64(seed: 11)
        let heads = [
            "", "{", "https://", "GET / HTTP/1.1\r\n", "UPLOAD ", "OSS ", "Qiniu ", "> ", "rtmp://", "Bearer ",
        ]
        for _ in 0..<3000 {
            let count = Int.random(in: 0...80, using: &random)
            let tail = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let head = heads[Int.random(in: 0..<heads.count, using: &random)]
            #expect(!inspectAll(Array(head.utf8) + tail, keyring).contains { $0.verdict == .genuine })
        }
    }

    /// One edit: a byte changed, left out or put in, a part twice, or the end cut off.
    private static func change(_ bytes: inout [UInt8], using random: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &random)
        let marks = Array("%&=:;/?{}[]\",. \r\n\0\u{7F}0A".utf8) + [0x80, 0xFF]
        let mark = marks[Int.random(in: 0..<marks.count, using: &random)]
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[index] = mark
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(mark, at: index)
        case 3: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
        default: bytes.removeLast(min(bytes.count - index, 20))
        }
    }
}
