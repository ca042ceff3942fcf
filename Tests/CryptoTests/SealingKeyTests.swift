import Bytes
import Crypto
import Testing

@Suite struct SealingKeyTests {
    private static let secret = Secret(Array("a secret of the cluster, 32 bytes".utf8))
    private static let label = Array("account/slot".utf8)
    private static let text = Array("accessKeySecret".utf8)

    private static let nothing: [UInt8] = []

    private static func open(_ sealed: [UInt8], _ key: SealingKey, label: [UInt8] = label) throws -> Bool {
        guard let opened = try key.open(sealed.span, label: label.span) else { return false }
        return opened.constantTimeEquals(Secret(text))
    }

    @Test func `what is sealed opens by the same key and label alone`() throws {
        let key = try SealingKey(SealingKeyTests.secret, for: "sessions")
        let sealed = try key.seal(SealingKeyTests.text.span, label: SealingKeyTests.label.span)
        #expect(sealed.count == SealingKeyTests.text.count + SealingKey.overhead)
        #expect(try SealingKeyTests.open(sealed, key))
        #expect(try SealingKeyTests.open(sealed, SealingKey(SealingKeyTests.secret, for: "sessions")))
        #expect(try !SealingKeyTests.open(sealed, SealingKey(SealingKeyTests.secret, for: "tickets")))
        #expect(try !SealingKeyTests.open(sealed, SealingKey(Secret(Array("another".utf8)), for: "sessions")))
        #expect(try !SealingKeyTests.open(sealed, key, label: Array("account/slot2".utf8)))
    }

    @Test func `any byte that is changed or missing is noticed`() throws {
        let key = try SealingKey(SealingKeyTests.secret, for: "sessions")
        let sealed = try key.seal(SealingKeyTests.text.span, label: SealingKeyTests.label.span)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try !SealingKeyTests.open(changed, key), "byte \(index)")
            #expect(try !SealingKeyTests.open(Array(sealed[..<index]), key), "cut at \(index)")
        }
    }

    @Test func `no two seals of one text are alike`() throws {
        let key = try SealingKey(SealingKeyTests.secret, for: "sessions")
        let seals = try (0..<100).map { _ in try key.seal(SealingKeyTests.text.span, label: SealingKeyTests.label.span)
        }
        #expect(Set(seals).count == 100)
    }

    @Test func `an empty text is sealed, too`() throws {
        let key = try SealingKey(SealingKeyTests.secret, for: "sessions")
        let sealed = try key.seal(SealingKeyTests.nothing.span, label: SealingKeyTests.label.span)
        #expect(sealed.count == SealingKey.overhead)
        #expect(try key.open(sealed.span, label: SealingKeyTests.label.span)?.count == 0)
    }
}
