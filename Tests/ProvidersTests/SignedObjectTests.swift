import Foundation
import TestTraits
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// For keys of any kind: the vendor finds the signature good, and good for exactly that key.
@Suite(.timeLimit(.minutes(20)))
struct SignedObjectTests {
    private static let deadline: Int64 = 1_700_003_600
    private let signer: SigningKey

    init() throws {
        signer = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("sécret-1234567890".utf8)))
    }

    private func origin(_ authority: String) throws -> BaseURL {
        try #require(BaseURL(isSecure: true, Array(authority.utf8)))
    }

    /// The URL is visible ASCII, and Foundation leaves it as it is.
    private func expectPlain(_ url: String) {
        #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        #expect(URL(string: url)?.absoluteString == url)
    }

    @Test func `a download URL is good for its key`() throws {
        let keys = SampleKeys.many(300, seed: 0xD0)
        let origin = try origin("cdn.example.com")
        var urls: Set<String> = []
        for (index, key) in keys.enumerated() {
            let query = ["", "imageView2/2/w/200", "attname=%E5%90%8D%22.pdf"][index % 3]
            let url = try QiniuURLVectors.download(key, query, on: origin, until: Self.deadline, with: signer)
            expectPlain(url)
            #expect(try VendorSide.object(ofDownload: url, signer) == key)
            urls.insert(SplitURL(url).path)
        }
        #expect(urls.count == keys.count && keys.count > Rounds.share(of: 1000))
    }

    @Test func `a CDN URL is good for its key`() throws {
        let keys = SampleKeys.many(300, seed: 0xCD)
        let origin = try origin("cdn.example.com:8443")
        let secret = Secret(Array("cdn-key".utf8))
        var urls: Set<String> = []
        var scratch = ByteWriter()
        for key in keys {
            var out = ByteWriter()
            try TimestampAntiLeech.write(
                for: ObjectURL(key.span, on: origin), until: Self.deadline, with: secret, into: &out,
                using: &scratch)
            let url = out.array.text
            expectPlain(url)
            #expect(try VendorSide.object(ofAntiLeech: url, "cdn-key") == key)
            urls.insert(url)
        }
        #expect(urls.count == keys.count)
    }

    @Test func `an upload token is good for its bucket and key`() throws {
        let issuer = try UploadToken(
            Settings(of: UploadToken.Fields()), GrantContext(target: .anything, accessKey: signer.accessKey))
        var scopes: Set<[[UInt8]]> = []
        let keys = SampleKeys.many(100, seed: 0x0B)
        for (index, key) in keys.enumerated() {
            let bucket = index.isMultiple(of: 2) ? "media" : "me.dia-2"
            let answer = try Signing.issue(
                issuer, with: signer, bucket: bucket, key: String(decoding: key, as: UTF8.self), extent: .object,
                now: Self.deadline - 60, lifetime: 60)
            let token = try #require(answer["uptoken"]?.string)
            let object = try #require(try VendorSide.object(ofUpload: token, signer))
            #expect(object.bucket == Array(bucket.utf8) && object.key == key)
            scopes.insert([object.bucket, object.key])
            let parts = try UploadTokenParts(Array(token.utf8).span)
            #expect(try parts.isSigned(by: signer) && parts.key == key && parts.bucket == object.bucket)
        }
        #expect(scopes.count == keys.count)
    }

    @Test func `an entry is good for its bucket and key`() throws {
        var entries: Set<String> = []
        let keys = SampleKeys.many(300, seed: 0xE0)
        var scratch = ByteWriter()
        for key in keys {
            var out = ByteWriter()
            EntryURI.write(bucket: Array("media".utf8).span, key: key.span, into: &out, using: &scratch)
            let text = out.array.text
            #expect(VendorSide.decoded(text).map(Array.init) == Array("media:".utf8) + key)
            #expect(EntryURI.read(out.bytes)?.key == key)
            entries.insert(text)
        }
        #expect(entries.count == keys.count)
    }

    @Test func `a NOS token is good for its object`() throws {
        let issuer = try NOSUploadToken(Settings(of: NOSUploadToken.Fields()))
        var objects: Set<[UInt8]> = []
        let keys = SampleKeys.many(100, seed: 0x40)
        for key in keys {
            let answer = try Signing.issue(
                issuer, with: signer, bucket: "doc", key: String(decoding: key, as: UTF8.self), extent: .object,
                now: Self.deadline - 60, lifetime: 60)
            let token = try #require(answer["token"]?.string?.dropFirst("UPLOAD AK:".count))
            let parts = token.components(separatedBy: ":")
            try #require(parts.count == 2)
            #expect(try signer.sha256.signature(over: parts[1], .standard) == parts[0])
            let policy = try JSON.read(try #require(Data(base64Encoded: parts[1])))
            #expect(policy["Object"]?.bytes == key && policy["Bucket"]?.string == "doc")
            objects.insert(try #require(policy["Object"]).bytes)
        }
        #expect(objects.count == keys.count)
    }

    @Test func `a presigned NOS URL is good for its object`() throws {
        let keys = SampleKeys.many(300, seed: 0x05)
        let origin = try origin("nos-eastchina1.126.net")
        var urls: Set<String> = []
        var scratch = ByteWriter()
        let none: [UInt8] = []
        for key in keys {
            let request = try NOSRequest(
                method: Array("PUT".utf8).span, bucket: Array("doc".utf8).span, key: key.span, content: .init(),
                fieldLines: none.span)
            var out = ByteWriter()
            try NOSPresignedURL.write(
                for: request, on: origin, until: Self.deadline, with: signer, into: &out, using: &scratch)
            let url = out.array.text
            expectPlain(url)
            #expect(url.hasPrefix("https://doc.nos-eastchina1.126.net/"))
            #expect(try VendorSide.object(ofNOS: url, bucket: "doc", method: "PUT", signer) == key)
            #expect(try VendorSide.object(ofNOS: url, bucket: "doc", method: "GET", signer) == nil)
            urls.insert(SplitURL(url).path)
        }
        #expect(urls.count == keys.count)
    }

    @Test func `the vendor's side finds out every change of a byte`() throws {
        let origin = try origin("cdn.example.com")
        let url = try QiniuURLVectors.download(
            Array("a/中 b.jpg".utf8), "imageView2/1", on: origin, until: Self.deadline, with: signer)
        let key = try VendorSide.object(ofDownload: url, signer)
        #expect(key == Array("a/中 b.jpg".utf8))
        for index in url.utf8.indices {
            var bytes = Array(url.utf8)
            let offset = url.utf8.distance(from: url.startIndex, to: index)
            bytes[offset] = bytes[offset] == UInt8(ascii: "x") ? UInt8(ascii: "y") : UInt8(ascii: "x")
            #expect(try VendorSide.object(ofDownload: String(decoding: bytes, as: UTF8.self), signer) == nil)
        }
    }
}
