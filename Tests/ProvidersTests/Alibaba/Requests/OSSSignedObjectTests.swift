import Foundation
import TestTraits
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// For keys and fields of any kind: OSS finds the signature good, and good for exactly that object.
@Suite(.timeLimit(.minutes(20)))
struct OSSSignedObjectTests {
    typealias Arrival = OSSVendorSide.Arrival

    /// 2023-11-14T22:13:20Z
    private static let now: Int64 = 1_700_000_000
    private static let token = "CAIS+wF1q/=="

    private let vendor = OSSVendorSide()
    private let key: SigningKey
    private let scoped: ScopedKey
    private let origin: BaseURL

    init() throws {
        key = try SigningKey(accessKey: Array(vendor.accessKey.utf8), secret: Secret(vendor.secret))
        scoped = try ScopedKey(
            key, OSS.v4, region: Array(vendor.region.utf8), product: Array("oss".utf8), at: Self.now)
        origin = try #require(BaseURL(isSecure: true, Array("oss-cn-hangzhou.aliyuncs.com".utf8)))
    }

    /// Requests of every kind for the keys; a third of them with parameters, fields and additional fields.
    private static func samples(_ count: Int, seed: UInt64) -> [OSSSample] {
        var random = SplitMix64(seed: seed)
        return SampleKeys.many(count, seed: seed, upTo: 1023).enumerated().map { index, key in
            var sample = OSSSample(
                method: ["GET", "PUT", "HEAD"][index % 3], bucket: ["examplebucket", "b-1"][index % 2],
                key: String(decoding: key, as: UTF8.self))
            guard index % 3 == 1 else { return sample }
            let odd = Array("aZ09 -._~+%*'\"=;:@$()!,|\\^`<>[]{}é中🦊")
            func text(upTo length: Int) -> String {
                String(
                    (0..<Int.random(in: 0...length, using: &random)).map { _ in
                        odd[Int.random(in: 0..<odd.count, using: &random)]
                    })
            }
            sample.query = ["uploadId", "response-content-type", "prefix", "x-oss-process"].shuffled(using: &random)
                .prefix(Int.random(in: 0...4, using: &random)).map { ($0, text(upTo: 20)) }
            sample.fields = ["x-oss-meta-B", "X-OSS-Meta-a", "x-oss-meta-b", "Range", "If-Match", "Content-Type"]
                .prefix(Int.random(in: 0...6, using: &random)).map { ($0, "<\(text(upTo: 20))>") }.shuffled(
                    using: &random)
            sample.additional = sample.fields.map(\.0).filter { ["Range", "If-Match"].contains($0) }
            return sample
        }
    }

    /// Signs a sample in one of the four ways, and gives what arrives at the vendor.
    private func signed(_ sample: OSSSample, _ way: Way, token: String? = nil) throws -> (Arrival, text: String) {
        let bytes = token.map { Array($0.utf8) }
        switch way {
        case .urlV1:
            let signed = try sample.urlV1(origin, until: Self.now + 600, token: token, key)
            return (Arrival(method: sample.method, url: signed.text, fields: sample.fields), signed.stringToSign)
        case .urlV4:
            let signed = try sample.urlV4(origin, at: Self.now, for: 600, token: token, scoped)
            return (Arrival(method: sample.method, url: signed.text, fields: sample.fields), signed.stringToSign)
        case .headerV1, .headerV4:
            let sample = sample.withFields {
                if way == .headerV1 {
                    HeaderSignatureV1.writeFields(at: Self.now, token: bytes, into: &$0)
                } else {
                    HeaderSignatureV4.writeFields(OSS.v4, at: Self.now, token: bytes, into: &$0)
                }
            }
            let signed = way == .headerV1 ? try sample.headerV1(key) : try sample.headerV4(scoped)
            let own = sample.ownLines.components(separatedBy: "\r\n").dropLast().map { line in
                (line.components(separatedBy: ": ")[0], line.components(separatedBy: ": ")[1])
            }
            let url = try sample.withRequest { request in
                var out = ByteWriter()
                request.writeURL(on: origin, into: &out)
                return out.array.text
            }
            let fields = sample.fields + own + [("Authorization", signed.text)]
            return (Arrival(method: sample.method, url: url, fields: fields), signed.stringToSign)
        }
    }

    enum Way: CaseIterable { case headerV1, headerV4, urlV1, urlV4 }

    @Test(arguments: Way.allCases) func `a request is good for its object`(way: Way) throws {
        let samples = Self.samples(120, seed: 0x055)
        var texts: Set<[UInt8]> = []
        var refused = 0
        for sample in samples {
            do throws(any Error) {
                let (arrival, text) = try signed(sample, way)
                #expect(arrival.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") })
                #expect(try vendor.object(of: arrival) == Array(sample.key.utf8), "\(sample)")
                #expect(SplitURL(arrival.url).authority == "\(sample.bucket).oss-cn-hangzhou.aliyuncs.com")
                texts.insert(Array(text.utf8))
            } catch IssueError.unsignable {
                #expect(way == .headerV1 || way == .urlV1, "\(sample)")
                #expect(sample.key.contains("?"))
                refused += 1
            }
        }
        #expect(texts.count == samples.count - refused)
        #expect(samples.count > Rounds.share(of: 1000) && refused < samples.count / 20)
    }

    @Test(arguments: Way.allCases) func `a temporary key's request has its token, which cannot be changed`(way: Way)
        throws
    {
        var vendor = vendor
        vendor.token = Self.token
        for sample in Self.samples(20, seed: 0x70C) where !sample.key.contains("?") {
            let (arrival, _) = try signed(sample, way, token: Self.token)
            #expect(try vendor.object(of: arrival) == Array(sample.key.utf8))
            #expect(try self.vendor.object(of: arrival) == nil)
            let (bare, _) = try signed(sample, way)
            #expect(try vendor.object(of: bare) == nil)
        }
    }

    @Test(arguments: Way.allCases) func `no byte of a URL may be another`(way: Way) throws {
        let sample = OSSSample(
            method: "GET", key: "a/中 b.jpg", query: [("response-content-type", "a/b"), ("uploadId", "")])
        let (arrival, _) = try signed(sample, way)
        #expect(try vendor.object(of: arrival) == Array(sample.key.utf8))
        let start = arrival.url.utf8.count - SplitURL(arrival.url).target.utf8.count
        for index in start..<arrival.url.utf8.count {
            var bytes = Array(arrival.url.utf8)
            bytes[index] = bytes[index] == UInt8(ascii: "x") ? UInt8(ascii: "y") : UInt8(ascii: "x")
            let changed = arrival.with { $0.url = String(decoding: bytes, as: UTF8.self) }
            #expect(try vendor.object(of: changed) == nil, "\(changed.url)")
        }
    }

    @Test(arguments: Way.allCases) func `everything that is signed has to be sent as it was signed`(way: Way) throws {
        let sample = OSSSample(
            method: "PUT", query: [("x-oss-process", "image/resize")],
            fields: [
                ("Content-Type", "image/png"), ("Content-MD5", "XrY7u+Ae7tCTyVK7j1rNww=="), ("x-oss-meta-a", "1"),
                ("X-Oss-Meta-A", " 2"), ("Range", "bytes=0-9"),
            ], additional: ["range"])
        let (arrival, _) = try signed(sample, way)
        #expect(try vendor.object(of: arrival) == Array(sample.key.utf8))
        let folded = arrival.with {
            $0.fields.removeAll { $0.0.lowercased() == "x-oss-meta-a" }
            $0.fields.append(("x-oss-meta-A", " 1,2 "))
        }
        #expect(try vendor.object(of: folded) == Array(sample.key.utf8))

        let changes: [(inout Arrival) -> Void] = [
            { $0.method = "GET" }, { $0.fields[0].1 = "image/jpeg" }, { $0.fields.remove(at: 0) },
            { $0.fields[1].1 = "1B2M2Y8AsgTpgAmY7PhCfg==" }, { $0.fields.remove(at: 1) }, { $0.fields[2].1 = "3" },
            { $0.fields.swapAt(2, 3) }, { $0.fields.remove(at: 3) },
            { $0.fields.append(("x-oss-object-acl", "public-read")) },
            { $0.url = $0.url.replacing("examplebucket.", with: "otherbucket.") },
            { $0.url += "&acl" }, { $0.url += "&x-oss-traffic-limit=1" },
            { $0.url = $0.url.replacing("resize", with: "rotate") },
        ]
        for (index, change) in changes.enumerated() {
            #expect(try vendor.object(of: arrival.with(change)) == nil, "change \(index)")
        }
        // Version 4 alone signs these.
        let others: [(inout Arrival) -> Void] = [
            { $0.fields[4].1 = "bytes=0-10" }, { $0.fields.remove(at: 4) }, { $0.url += "&prefix=a" },
        ]
        for (index, change) in others.enumerated() {
            let isV1 = way == .headerV1 || way == .urlV1
            #expect((try vendor.object(of: arrival.with(change)) != nil) == isV1, "other change \(index)")
        }
    }

    @Test func `what version 1 signs is what its reader reads`() throws {
        var read = 0
        for way in [Way.headerV1, .urlV1] {
            for sample in Self.samples(240, seed: 0x51E) where !sample.key.contains("?") {
                // Some values have dots between slashes, and are not signed.
                guard let text = try? Array(signed(sample, way).text.utf8) else { continue }
                guard let string = try? ReadString(StringToSign(reading: text.span)) else { continue }
                read += 1
                #expect(string.key == Array(sample.key.utf8) && string.bucket == Array(sample.bucket.utf8))
                #expect(string.verb.name.description == sample.method)
                #expect(string.moment == (way == .urlV1 ? .expires(Self.now + 600) : .date(Self.now)))
                let signed = sample.query.filter { $0.0 != "prefix" }.sorted { $0.0 < $1.0 }
                #expect(string.subResources.map(\.name.text) == signed.map(\.0))
                #expect(string.subResources.map { $0.value ?? [] } == signed.map { Array($0.1.utf8) })
            }
        }
        #expect(read > Rounds.share(of: 500))
    }
}
