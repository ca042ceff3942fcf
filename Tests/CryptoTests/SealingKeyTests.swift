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

    @Test(arguments: [("", ""), ("a text", "a secret"), ("", "a secret"), ("a text", "")])
    func `a text and a secret that are sealed together open as they were`(_ text: String, _ secret: String) throws {
        let key = try SealingKey(SealingKeyTests.secret, for: "sessions")
        let label = SealingKeyTests.label
        let bytes = Array(text.utf8)
        let sealed = try key.seal(bytes.span, with: Secret(Array(secret.utf8)), label: label.span)
        let opened = try #require(try key.openPair(sealed.span, label: label.span))
        #expect(opened.text == bytes && opened.secret.constantTimeEquals(Secret(Array(secret.utf8))))
        let (other, cut) = (Array("another".utf8), Array(sealed.dropLast()))
        let misplaced = try key.openPair(sealed.span, label: other.span)
        let short = try key.openPair(cut.span, label: label.span)
        #expect(misplaced == nil && short == nil)
    }

    @Test(arguments: [[], [0, 0, 0], [0, 0, 0, 1], [255, 255, 255, 255, 1], [0, 0, 0, 2, 1]] as [[UInt8]])
    func `what was sealed otherwise is no text with a secret`(_ bytes: [UInt8]) throws {
        let key = try SealingKey(SealingKeyTests.secret, for: "sessions")
        let sealed = try key.seal(bytes.span, label: SealingKeyTests.label.span)
        let opened = try key.openPair(sealed.span, label: SealingKeyTests.label.span)
        #expect(opened == nil)
    }
}
