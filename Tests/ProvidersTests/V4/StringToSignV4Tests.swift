import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct StringToSignV4Tests {
    private static let hash = String(repeating: "0123456789abcdef", count: 4)
    private static let good = "OSS4-HMAC-SHA256\n20240106T233431Z\n20240106/cn-hangzhou/oss/aliyun_v4_request\n\(hash)"

    private func refusal(of text: String) -> StringToSignError? {
        do throws(StringToSignError) {
            _ = try StringToSignV4(reading: Array(text.utf8).span, OSS.v4)
            return nil
        } catch { return error }
    }

    @Test func `it says when and for what it is`() throws {
        let text = Array(Self.good.utf8)
        let string = try StringToSignV4(reading: text.span, OSS.v4)
        #expect(string.moment == 1_704_584_071)
        let parts = [string.date.text, string.scope.text, string.day.text, string.region.text, string.product.text]
        #expect(
            parts == [
                "20240106T233431Z", "20240106/cn-hangzhou/oss/aliyun_v4_request", "20240106", "cn-hangzhou", "oss",
            ])
        #expect(refusal(of: Self.good.replacing("cn-hangzhou/oss/", with: "cb-123/oss-cloudbox/")) == nil)
    }

    private static let refused: [(clause: StringToSignError.Clause, text: String)] = [
        (.syntax, ""), (.syntax, "\n\n\n"), (.syntax, good + "\n"), (.syntax, "\n" + good),
        (.syntax, good.replacing("OSS4-HMAC-SHA256", with: "OSS4-HMAC-SHA1")),
        (.syntax, good.replacing("OSS4-HMAC-SHA256", with: "ACS3-HMAC-SHA256")),
        (.syntax, good.replacing("\n", with: "\r\n")), (.syntax, good.replacing("OSS4", with: " OSS4")),
        // What signs a form under the same key.
        (.syntax, "eyJleHBpcmF0aW9uIjoiMjAzMC0wMS0wMVQwMDowMDowMC4wMDBaIiwiY29uZGl0aW9ucyI6W119"),
        (.syntax, good + String(repeating: " ", count: 512)),
        (.date, good.replacing("T233431Z", with: "T233431")), (.date, good.replacing("T233431Z", with: "T243431Z")),
        (.date, good.replacing("20240106T", with: "2024-01-06T")),
        (.date, good.replacing("20240106T", with: "20240230T")),
        (.date, good.replacing("20240106T233431Z", with: "1704584071")),
        (.scope, good.replacing("20240106/", with: "20240107/")), (.scope, good.replacing("20240106/", with: "")),
        (.scope, good.replacing("/cn-hangzhou/", with: "//")), (.scope, good.replacing("/oss/", with: "/")),
        (.scope, good.replacing("/oss/", with: "/OSS/")), (.scope, good.replacing("/oss/", with: "/oss/oss/")),
        (.scope, good.replacing("aliyun_v4_request", with: "aws4_request")),
        (.scope, good.replacing("request\n", with: "request/\n")),
        (.scope, good.replacing("hangzhou", with: "hang zhou")),
        (.hash, good.replacing("abcdef", with: "ABCDEF")), (.hash, String(good.dropLast())), (.hash, good + "0"),
        (.hash, String(good.dropLast()) + "g"), (.hash, String(good.dropLast()) + " "),
    ]

    @Test(arguments: refused)
    func `everything else is refused, and says why without a word of it`(clause: StringToSignError.Clause, text: String)
    {
        let error = refusal(of: text)
        #expect(error?.clause == clause)
        #expect(error?.description.contains(Self.hash) == false)
    }

    @Test func `no byte of it may be another without being another string`() throws {
        let text = Array(Self.good.utf8)
        let good = try StringToSignV4(reading: text.span, OSS.v4)
        for position in Self.good.utf8.indices {
            var bytes = Array(Self.good.utf8)
            let index = Self.good.utf8.distance(from: Self.good.startIndex, to: position)
            bytes[index] = bytes[index] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
            guard let other = try? StringToSignV4(reading: bytes.span, OSS.v4) else { continue }
            let isOther =
                other.moment != good.moment || !other.scope.equals(good.scope) || index >= Self.good.utf8.count - 64
            #expect(isOther)
        }
    }

    @Test func `it is of its canonical request alone, and signed by the key of its scope alone`() throws {
        let canonical = "GET\n/examplebucket/h\n\nx-oss-content-sha256:UNSIGNED-PAYLOAD\n\n\nUNSIGNED-PAYLOAD"
        let digest = try Digest(.sha256, of: Array(canonical.utf8).span)
        let hash = Hex.encode(digest.bytes.array).text
        let text = Array(Self.good.replacing(Self.hash, with: hash).utf8)
        let string = try StringToSignV4(reading: text.span, OSS.v4)
        for (text, expected) in [(canonical, true), (canonical + " ", false), ("", false), (hash, false)] {
            let isOf = try string.isOf(Array(text.utf8).span)
            #expect(isOf == expected)
        }
        let signer = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("SK".utf8)))
        for (region, moment, isItsKey) in [
            ("cn-hangzhou", string.moment, true), ("cn-hangzhou", 1_704_499_200, true),
            ("cn-beijing", string.moment, false),
            ("cn-hangzhou", string.moment + 86_400, false),
        ] {
            let key = try ScopedKey(signer, OSS.v4, region: Array(region.utf8), product: Array("oss".utf8), at: moment)
            var out = ByteWriter()
            var isSigned = true
            do { try string.writeSignature(with: key, into: &out) } catch { isSigned = false }
            #expect(isSigned == isItsKey && out.count == (isItsKey ? 64 : 0))
        }
    }
}
