import Testing

@testable import Bytes
@testable import Crypto

/// RFC 2202 section 3 (SHA-1) and RFC 4231 section 4 (SHA-256).
@Suite struct HMACKeyTests {
    struct Case: Sendable {
        let source: String
        let algorithm: DigestAlgorithm
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    static let cases: [Case] = [
        Case(
            source: "RFC 2202 3.1", algorithm: .sha1, key: .init(repeating: 0x0B, count: 20),
            message: Array("Hi There".utf8), code: "b617318655057264e28bc0b6fb378c8ef146be00"),
        Case(
            source: "RFC 2202 3.2", algorithm: .sha1, key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8), code: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        Case(
            source: "RFC 2202 3.3", algorithm: .sha1, key: .init(repeating: 0xAA, count: 20),
            message: .init(repeating: 0xDD, count: 50), code: "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
        Case(
            source: "RFC 2202 3.6, a key longer than the block", algorithm: .sha1,
            key: .init(repeating: 0xAA, count: 80),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
        Case(
            source: "RFC 4231 4.2", algorithm: .sha256, key: .init(repeating: 0x0B, count: 20),
            message: Array("Hi There".utf8), code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Case(
            source: "RFC 4231 4.3", algorithm: .sha256, key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Case(
            source: "RFC 4231 4.7, a key longer than the block", algorithm: .sha256,
            key: .init(repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    ]

    @Test(arguments: cases) func `a code is the RFC's`(sample: Case) throws {
        let key = try HMACKey(sample.algorithm, Secret(sample.key))
        let code = try key.sign(sample.message.span)
        #expect(Hex.encode(code.bytes.array).text == sample.code, "\(sample.source)")
        #expect(key.codeLength == sample.code.utf8.count / 2)
    }

    @Test func `a key signs many times, always from its beginning`() throws {
        let key = try HMACKey(.sha1, Secret(Array("Jefe".utf8)))
        let first = try key.sign(Array("a".utf8).span)
        _ = try key.sign(Array("b".utf8).span)
        let again = try key.sign(Array("a".utf8).span)
        #expect(first.constantTimeEquals(again))
    }

    @Test func `an empty key and an empty message are signed`() throws {
        let none: [UInt8] = []
        let code = try HMACKey(.sha256, Secret(none)).sign(none.span)
        // HMAC_SHA256("", "") as in Wikipedia's HMAC article.
        #expect(
            Hex.encode(code.bytes.array).text == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test func `a prefix and a suffix are part of the key`() throws {
        for length in [0, 1, 40, 55, 56, 57, 63, 64, 65, 200] {
            let secret = [UInt8](repeating: 0x73, count: length)
            let apart = try HMACKey(.sha256, prefix: [1, 2, 3], Secret(secret), suffix: [4, 5])
            let joined = try HMACKey(.sha256, Secret([1, 2, 3] + secret + [4, 5]))
            let (code, expected) = (try apart.sign([9].span), try joined.sign([9].span))
            #expect(code.constantTimeEquals(expected), "\(length)")
        }
    }

    /// "Examples of how to derive a signing key" in the AWS General Reference.
    @Test func `a derived key is the last of a chain of codes`() throws {
        let secret = Secret(Array("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".utf8))
        let key = try HMACKey(.sha256, prefix: Array("AWS4".utf8), secret)
            .derived(by: Array("20120215".utf8).span).derived(by: Array("us-east-1".utf8).span)
            .derived(by: Array("iam".utf8).span)
        let code = try key.sign(Array("aws4_request".utf8).span)
        #expect(Hex.encode(code.bytes.array).text == "f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d")
    }
}
