import Testing

@testable import Bytes
@testable import Crypto

/// Keys and signatures were made once, by OpenSSL's command line (`genrsa`, `dgst -sign`).
@Suite struct RSAPublicKeyTests {
    private static let key = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDN19884CUNlS0u16VrE0zEqezz
        dOFBhZAG0ICszoX14VOw7zQTUYhnwJsdZ6iKkPFIN5J4GlkTOUp06h+Oz1Gpstb/
        dJY3b+L/gPUiB+ttpRTU2/1ctZ9Hqo9AwqUxCHUpenvYWuh1Nk8/nL0RMvSGcEPI
        HgSkvJdJmRJw1r0dKQIDAQAB
        -----END PUBLIC KEY-----
        """
    private static let elliptic = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEggxT0T/bh0PoOOLU05Zh/20Y4N6n
        d3E9ZYkaiyIhIWEeBuoE6fKc2k/OXkyAoBco7Zb25EAXzZjygaNi3pKR/Q==
        -----END PUBLIC KEY-----
        """
    private static let encrypted = """
        -----BEGIN PUBLIC KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,EB0B5711FD50D952821D824498758815

        UMHy5Qp4FMvDiGXQx2I1x/uMDL8dY1glO2TzQGCbW7rsJyQmpIR5ZLBBr0E470+i
        -----END PUBLIC KEY-----
        """
    /// Over `message`.
    private static let signatures: [DigestAlgorithm: String] = [
        .md5:
            "ZrDPvXIwaGrGE4RdfBSMvNmjfH0au1sZLh4AHdGGYpOe4N+8w9zb3yRSH/VS7BeY0PRYnXNlQK0GCWzW7KqDChGBzi3FBQnrAEkwu2Ia+9oVHJFo"
            + "G+6NyjnCE4ZIRps3uUk4OWbLRcZ+6baOG5Hv9JrsuwGBqJUyIEV59yNi+2s=",
        .sha1:
            "NudHNneVxONZJ+wdbaxcLlTyWb9Qp8JR9XHvab9iR5i13Y59dH96tkyS0X0KtcDnucrCDAYg6HmiAnkgtrofmemTA2VAHWvILPjPmRB0OAsSMYab"
            + "/ncvFJZsxxUFg02QjXnWhgWNUF2NaHeo0ImYgntegjXjms9lxw5DMIBD7rQ=",
        .sha256:
            "YQ+l3mxzRbIkqPxZpoDvmgCcwwuu35L8Lzu33JWB9kGGZ4o9bitJrZ5ksqou1l/wuH7ynQ1W29swO42W/h6Ba682Y7Pw8t9E6slU8gSi2zUYhwwm"
            + "SEyfydEjUSoPlGtyDiU967bhNygdpqo/jLJvhRznDmjxRj1wrLcODUAkzP0=",
    ]

    private func verifies(_ signature: [UInt8], over message: String, _ algorithm: DigestAlgorithm) throws -> Bool {
        let key = RSAPublicKey(pem: Array(Self.key.utf8).span)
        return try #require(key).verifies(RSASignature(signature, over: Array(message.utf8).span, algorithm))
    }

    private func signature(_ algorithm: DigestAlgorithm) throws -> [UInt8] {
        let signature = Base64.standard.decode(Array((Self.signatures[algorithm] ?? "").utf8).span)
        return try #require(signature)
    }

    @Test(arguments: [DigestAlgorithm.md5, .sha1, .sha256])
    func `a signature holds over its message by its algorithm, and over nothing else`(algorithm: DigestAlgorithm) throws
    {
        let signature = try signature(algorithm)
        #expect(try verifies(signature, over: "message", algorithm))
        for message in ["", "messag", "message ", "Message"] {
            #expect(try !verifies(signature, over: message, algorithm))
        }
        for other in [DigestAlgorithm.md5, .sha1, .sha256] where other != algorithm {
            #expect(try !verifies(signature, over: "message", other))
        }
    }

    @Test func `a signature with another byte, or another length, does not hold`() throws {
        let signature = try signature(.md5)
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(try !verifies(changed, over: "message", .md5))
        }
        for changed in [[], Array(signature.dropLast()), [0] + signature, signature + [0]] {
            #expect(try !verifies(changed, over: "message", .md5))
        }
        #expect(try verifies(signature, over: "message", .md5))
    }

    @Test(arguments: [
        "", "x", "-----BEGIN PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\n\n-----END PUBLIC KEY-----\n",
        elliptic, encrypted, key.replacing("MIGf", with: "MIGg"), key.replacing("PUBLIC", with: "PRIVATE"),
        key.replacing("\n", with: " "),
    ])
    func `what is no RSA public key is refused`(text: String) {
        let isKey = RSAPublicKey(pem: Array(text.utf8).span) != nil
        #expect(!isKey)
    }

    /// A key of RSA in PEM, whose modulus has all its bits set (RFC 3279 section 2.3.1).
    private func ones(bits: Int) -> String {
        func encoded(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        }
        let first: [UInt8] = bits % 8 == 0 ? [0] : [UInt8(0xFF) >> UInt8(8 - bits % 8)]
        let modulus = encoded(0x02, first + [UInt8](repeating: 0xFF, count: bits / 8))
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        let numbers = encoded(0x30, modulus + [0x02, 0x03, 0x01, 0x00, 0x01])
        let text = Base64.standard.encode(encoded(0x30, algorithm + encoded(0x03, [0] + numbers)))
        let lines = stride(from: 0, to: text.count, by: 64).map { text[$0..<min($0 + 64, text.count)] }
        let body = lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        return "-----BEGIN PUBLIC KEY-----\n\(body)\n-----END PUBLIC KEY-----\n"
    }

    @Test func `a key has at most 4096 bits, since somebody else decides how many`() {
        for (bits, isTaken) in [(1024, true), (4096, true), (4097, false), (8192, false), (16_384, false)] {
            let isKey = RSAPublicKey(pem: Array(ones(bits: bits).utf8).span) != nil
            #expect(isKey == isTaken, "\(bits)")
        }
    }

    @Test func `a key may have CR LF, and text around it`() {
        for text in [Self.key.replacing("\n", with: "\r\n"), "subject: x\n\(Self.key)\nmore"] {
            let isKey = RSAPublicKey(pem: Array(text.utf8).span) != nil
            #expect(isKey)
        }
    }
}
