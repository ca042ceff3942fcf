import Testing

@testable import Bytes
@testable import Crypto

@Suite struct SecretTests {
    private static let text = "correct-horse-battery-staple-4711"

    private static func everythingPrintable(_ value: some Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return dumped + "\(value)" + String(reflecting: value)
            + String(describing: Mirror(reflecting: value).children.count)
    }

    @Test func `a secret shows itself to nobody`() throws {
        struct Holder { let name = "holder", secret: Secret, key: HMACKey, pair: SigningKey, given: KeyPair }
        let secret = Secret(Array(SecretTests.text.utf8))
        let holder = Holder(
            secret: secret, key: try HMACKey(.sha1, secret),
            pair: try SigningKey(accessKey: Array("AK".utf8), secret: secret),
            given: KeyPair(
                accessKey: Array("AK".utf8), secret: secret, securityToken: Array(SecretTests.text.utf8)))
        let shown = SecretTests.everythingPrintable(holder)
        #expect(shown.contains("holder"), "the dump shows what is not secret")
        #expect(shown.contains("<secret>"))
        #expect(!shown.contains(SecretTests.text))
        #expect(!shown.contains("0x"), "no pointer and no state is shown: \(shown)")
    }

    @Test func `secrets are equal by content`() {
        let secret = Secret(Array(SecretTests.text.utf8))
        #expect(secret.constantTimeEquals(Secret(Array(SecretTests.text.utf8))))
        #expect(!secret.constantTimeEquals(Secret(Array("correct-horse-battery-staple-4712".utf8))))
        #expect(!secret.constantTimeEquals(Secret(Array("correct".utf8))))
    }

    @Test func `digests of configured keys must have a digest's length`() {
        #expect(Digest([UInt8](repeating: 1, count: 32)) != nil)
        #expect(Digest([UInt8](repeating: 1, count: 31)) == nil)
        #expect(Digest([]) == nil)
    }

    @Test func `random letters and digits are all that there are, each as often`() throws {
        var counts: [UInt8: Int] = [:]
        for byte in try SecureRandom.alphanumerics(62_000) { counts[byte, default: 0] += 1 }
        #expect(
            counts.keys.sorted().map { Character(UnicodeScalar($0)) }.filter { $0.isLetter || $0.isNumber }.count == 62)
        #expect(counts.count == 62)
        // Six times the standard deviation of a thousand.
        #expect(counts.values.allSatisfy { (800...1200).contains($0) })
        #expect(try SecureRandom.alphanumerics(0).isEmpty)
    }

    @Test func `random portions differ, and are drawn beyond one refill`() throws {
        var pool = RandomPool()
        var seen: Set<[UInt8]> = []
        for _ in 0..<1000 { seen.insert(try pool.draw().span.array) }
        #expect(seen.count == 1000)
    }
}
