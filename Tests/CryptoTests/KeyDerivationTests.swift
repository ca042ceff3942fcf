import Testing

@testable import Bytes
@testable import Crypto

@Suite struct KeyDerivationTests {
    private static func derived(_ count: Int, _ secret: [UInt8], _ purpose: StaticString) throws -> String {
        try KeyDerivation.key(count, from: Secret(secret), for: purpose).withBytes { Hex.encode(Array($0)).text }
    }

    /// RFC 5869, A.3: no salt, no info.
    @Test func `it is HKDF of SHA-256`() throws {
        let secret = [UInt8](repeating: 0x0B, count: 22)
        #expect(
            try Self.derived(42, secret, "")
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    @Test func `other purposes and other secrets have other keys`() throws {
        let secret = [UInt8](repeating: 7, count: 32)
        let keys = [
            try Self.derived(32, secret, "one"), try Self.derived(32, secret, "two"),
            try Self.derived(32, secret + [0], "one"),
        ]
        #expect(Set(keys).count == 3)
        #expect(try Self.derived(32, secret, "one") == keys[0])
    }
}
