import Foundation
import TestTraits
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct ParsedCanonicalRequestTests {
    private static let date = "20240106T233431Z"
    private static let scope = "20240106/cn-hangzhou/oss/aliyun_v4_request"
    private static let own = "x-oss-content-sha256:UNSIGNED-PAYLOAD\nx-oss-date:\(date)\n"
    private static let signature =
        "x-oss-credential=AK%2F20240106%2Fcn-hangzhou%2Foss%2Faliyun_v4_request&x-oss-date=\(date)&x-oss-expires=60"
        + "&x-oss-signature-version=OSS4-HMAC-SHA256"

    private static let legal = [
        "GET\n/\n\n\(own)\n\nUNSIGNED-PAYLOAD", "GET\n/examplebucket/\n\n\(own)\n\nUNSIGNED-PAYLOAD",
        "PUT\n/examplebucket/a/b%20c.jpg\npartNumber=1&uploadId=A%2F%2B%3D\ncontent-type:image/jpeg\nhost:h\n\(own)\nhost\n"
            + "UNSIGNED-PAYLOAD",
        "GET\n/examplebucket/a~.-_%28%29\nacl&response-content-type=a%2Fb&\(signature)\n\n\nUNSIGNED-PAYLOAD",
        "GET\n/examplebucket/a\nx-oss-additional-headers=host%3Brange&\(signature)\nhost:h\nrange:r\nx-oss-meta-a:中\n"
            + "\nhost;range\nUNSIGNED-PAYLOAD",
    ]

    /// What was read, copied.
    private struct Parts {
        let verb, bucket, key, query, headers: String
        let form: ParsedCanonicalRequest.Form

        init(_ text: ParsedCanonicalRequest, of bytes: [UInt8]) {
            func part(_ range: Range<Int>) -> String { Array(bytes[range]).text }
            verb = text.verb.name.description
            (bucket, key) = (part(text.bucketRange), part(text.keyRange))
            (query, headers) = (part(text.queryRange), part(text.headerRange))
            form = text.form
        }
    }

    private func read(_ bytes: [UInt8]) throws(StringToSignError) -> Parts {
        let string = Array("OSS4-HMAC-SHA256\n\(Self.date)\n\(Self.scope)\n\(String(repeating: "0", count: 64))".utf8)
        return Parts(
            try ParsedCanonicalRequest(reading: bytes.span, of: try StringToSignV4(reading: string.span, OSS.v4)),
            of: bytes)
    }

    @Test(arguments: legal) func `what is canonical is read`(text: String) throws {
        let parts = try read(Array(text.utf8))
        #expect(text.hasPrefix("\(parts.verb)\n/\(parts.bucket)"))
        #expect(parts.form == (text.contains("x-oss-expires") ? .url(lifetime: 60) : .header))
    }

    @Test func `every part is where it is`() throws {
        let parts = try read(Array(Self.legal[2].utf8))
        #expect(parts.bucket == "examplebucket" && parts.key == "a/b%20c.jpg")
        #expect(parts.query == "partNumber=1&uploadId=A%2F%2B%3D")
        #expect(parts.headers == "content-type:image/jpeg\nhost:h\n" + Self.own.dropLast())
    }

    @Test func `a shorter text is another request or none`() {
        for text in Self.legal {
            let bytes = Array(text.utf8)
            for length in 0..<bytes.count { #expect((try? read(Array(bytes.prefix(length)))) == nil) }
        }
    }

    @Test func `R13: a key is read in its one encoding, and refused where no key may be so`() throws {
        var read = 0
        for key in SampleKeys.many(300, seed: 0xCA40, upTo: 1_023) {
            let encoded = PercentText.encode(key, keeping: "-_.~/")
            let parts = try? self.read(
                Array("PUT\n/examplebucket/\(encoded)\n\n\(Self.own)\n\nUNSIGNED-PAYLOAD".utf8))
            let isRight = ObjectKeyRule.fault(of: key.span) == nil
            #expect(parts.map(\.key) == (isRight ? encoded : nil), "\(encoded)")
            read += isRight ? 1 : 0
        }
        #expect(read > Rounds.share(of: 600))
    }

    @Test func `what is accepted of 10,000 mutations has one spelling`() {
        var random = SplitMix64(seed: 0xCA41)
        let alphabet = Array("\n\r\0 /?&=:;.-%2Fx-oss-host09azAZ+\u{7f}é".utf8)
        var accepted = 0
        for round in 0..<10_000 {
            var bytes = Array(Self.legal[round % Self.legal.count].utf8)
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let position = Int.random(in: 0..<bytes.count, using: &random)
                let byte = alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[position] = byte
                case 1: bytes.insert(byte, at: position)
                case 2: bytes.remove(at: position)
                default: bytes.swapAt(position, Int.random(in: 0..<bytes.count, using: &random))
                }
            }
            guard let parts = try? read(bytes) else { continue }
            accepted += 1
            if written(parts, additionalOf: bytes) != bytes { Issue.record("written otherwise: \(bytes.text)") }
        }
        #expect(accepted > 300)
    }

    /// The text again: everything decoded and encoded anew, lists sorted, additional headers found by their names.
    private func written(_ parts: Parts, additionalOf bytes: [UInt8]) -> [UInt8] {
        func again(_ text: String, keeping marks: String = "") -> String {
            var plain = CharacterSet(charactersIn: "a"..."z")
            plain.formUnion(CharacterSet(charactersIn: "A"..."Z"))
            plain.formUnion(CharacterSet(charactersIn: "0123456789-_.~" + marks))
            return text.removingPercentEncoding?.addingPercentEncoding(withAllowedCharacters: plain) ?? "?"
        }
        let path = parts.bucket.isEmpty ? "/" : "/\(parts.bucket)/\(again(parts.key, keeping: "/"))"
        let pairs = parts.query.isEmpty ? [] : parts.query.components(separatedBy: "&")
        let query = pairs.map { $0.components(separatedBy: "=").map { again($0) }.joined(separator: "=") }
            .sorted { first, second in
                first.components(separatedBy: "=")[0].utf8.lexicographicallyPrecedes(
                    second.components(separatedBy: "=")[0].utf8)
            }
        let lines = parts.headers.isEmpty ? [] : parts.headers.components(separatedBy: "\n")
        let names = lines.map { $0.components(separatedBy: ":")[0] }.filter {
            !$0.hasPrefix("x-oss-") && $0 != "content-type" && $0 != "content-md5"
        }
        let headers = lines.map { $0 + "\n" }.joined()
        let text = [
            parts.verb, path, query.joined(separator: "&"), headers, names.joined(separator: ";"), "UNSIGNED-PAYLOAD",
        ]
        return Array(text.joined(separator: "\n").utf8)
    }
}
