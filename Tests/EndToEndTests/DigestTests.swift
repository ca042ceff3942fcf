import Foundation
import Testing

@testable import TestService

@Suite("The tests' own digests")
struct DigestTests {
    @Test func `SHA-1 and SHA-256 are those of RFC 3174 and RFC 6234`() {
        let abc = Array("abc".utf8)
        let long = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
        #expect(Digests.hex(Digests.sha1(abc)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(Digests.hex(Digests.sha1(long)) == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
        #expect(
            Digests.hex(Digests.sha256(abc)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Digests.hex(Digests.sha256(long)) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        #expect(
            Digests.hex(Digests.sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func `MD5 is that of RFC 1321`() {
        #expect(Digests.hex(Digests.md5([])) == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(Digests.hex(Digests.md5(Array("message digest".utf8))) == "f96b697d7cb7938d525a2f31aaf161d0")
        let digits = Array(String(repeating: "1234567890", count: 8).utf8)
        #expect(Digests.hex(Digests.md5(digits)) == "57edf4a22be3c955ac49da2e2107b67a")
    }

    struct Vector: Sendable, CustomTestStringConvertible {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
        var testDescription: String { code }
    }

    @Test(arguments: [
        Vector(
            key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            code: "b617318655057264e28bc0b6fb378c8ef146be00"),
        Vector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 20), message: [UInt8](repeating: 0xDD, count: 50),
            code: "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 80),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
    ])
    func `HMAC-SHA1 is that of RFC 2202`(_ vector: Vector) {
        #expect(Digests.hex(Digests.hmacSHA1(key: vector.key, vector.message)) == vector.code)
    }

    @Test(arguments: [
        Vector(
            key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Vector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 20), message: [UInt8](repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    ])
    func `HMAC-SHA256 is that of RFC 4231`(_ vector: Vector) {
        #expect(Digests.hex(Digests.hmacSHA256(key: vector.key, vector.message)) == vector.code)
    }

    @Test func `the verifier takes the vendors' own samples, and nothing that differs from them`() throws {
        // Qiniu's and NetEase's documentation.
        let sign = Digests.hmacSHA1(key: Array("MY_SECRET_KEY".utf8), Array(DigestTests.qiniuPolicy.utf8))
        #expect(Base64Text.encode(sign, urlSafe: true) == "wQ4ofysef1R7IKnrziqtomqyDvI=")
        let token = "MY_ACCESS_KEY:wQ4ofysef1R7IKnrziqtomqyDvI=:" + DigestTests.qiniuPolicy
        let reading = try UploadTokenReading(qiniu: token, secret: "MY_SECRET_KEY")
        #expect(reading.policy["deadline"] == 1_451_491_200)
        #expect(throws: Program.Failure.self) { try UploadTokenReading(qiniu: token, secret: "MY_SECRET_KEx") }
        #expect(throws: Program.Failure.self) { try UploadTokenReading(qiniu: token + ":", secret: "MY_SECRET_KEY") }
        #expect(throws: Program.Failure.self) { try UploadTokenReading(nos: token, secret: "MY_SECRET_KEY") }
    }

    private static let qiniuPolicy =
        "eyJzY29wZSI6Im15LWJ1Y2tldDpzdW5mbG93ZXIuanBnIiwiZGVhZGxpbmUiOjE0NTE0OTEyMDAsInJldHVybkJvZHkiOiJ7XCJuYW1lXCI6"
        + "JChmbmFtZSksXCJzaXplXCI6JChmc2l6ZSksXCJ3XCI6JChpbWFnZUluZm8ud2lkdGgpLFwiaFwiOiQoaW1hZ2VJbmZvLmhlaWdodCksXCJo"
        + "YXNoXCI6JChldGFnKX0ifQ=="
}
