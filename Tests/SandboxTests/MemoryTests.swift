import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// What the sandbox remembers has bounds.
@Suite struct MemoryTests {
    private func take(_ memory: inout NonceMemory, _ number: Int, until end: Int64, at now: Int64) throws
        -> NonceMemory.Verdict
    {
        try memory.take(Array("\(number)".utf8), of: Array("k".utf8), until: end, at: now)
    }

    @Test func `nonces that matter are never forgotten, and more are refused`() throws {
        var memory = NonceMemory(capacity: 100)
        for number in 0..<100 { #expect(try take(&memory, number, until: 1000, at: 0) == .fresh) }
        for number in 100..<1000 { #expect(try take(&memory, number, until: 1000, at: 0) == .full) }
        for number in 0..<100 { #expect(try take(&memory, number, until: 1000, at: 1000) == .used) }
        #expect(memory.count == 100)
    }

    @Test func `nonces that have passed make room`() throws {
        var memory = NonceMemory(capacity: 100)
        for number in 0..<100 { #expect(try take(&memory, number, until: Int64(number), at: 0) == .fresh) }
        #expect(try take(&memory, 1000, until: 2000, at: 50) == .fresh)
        #expect(memory.count == 51)
        // That one is at 50, and could still come again in the same second.
        #expect(try take(&memory, 50, until: 2000, at: 50) == .used)
        #expect(try take(&memory, 49, until: 2000, at: 50) == .fresh)
        // Passed, but not yet swept: it is as good as forgotten.
        #expect(try take(&memory, 60, until: 2000, at: 61) == .fresh)
        #expect(try take(&memory, 60, until: 2000, at: 61) == .used)
    }

    @Test func `the end of a key and the beginning of a nonce are told apart`() throws {
        var memory = NonceMemory(capacity: 10)
        #expect(try memory.take([1, 2], of: [3], until: 1, at: 0) == .fresh)
        #expect(try memory.take([2], of: [3, 1], until: 1, at: 0) == .fresh)
        #expect(try memory.take([1, 2], of: [3], until: 1, at: 0) == .used)
    }

    @Test func `a caller who asks too often is throttled, until nonces have passed`() throws {
        var settings = Fixture.settings
        settings.nonces = 3
        var sts = SandboxSTS(settings)
        for _ in 0..<3 { #expect(sts.code(try Call().request()) == "200") }
        for _ in 0..<3 { #expect(sts.code(try Call().request()) == "Throttling.User") }
        // One who cannot sign fills nothing and is told so.
        #expect(sts.code(try Call { $0.secret = "x" }.request()) == "SignatureDoesNotMatch")
        #expect(sts.nonces.count == 3)
        let later = Fixture.now + 901
        #expect(sts.code(try Call { $0.time = later }.request(), at: later) == "200")
        #expect(sts.nonces.count == 1)
    }

    @Test func `only the newest credentials are remembered`() throws {
        var settings = Fixture.settings
        settings.credentials = 5
        var sts = SandboxSTS(settings)
        var ids: [[UInt8]] = []
        for _ in 0..<23 {
            let answer = sts.answer(try Call().request(), at: Fixture.now)
            ids.append(Array(try #require(answer.text("Credentials", "AccessKeyId")).utf8))
        }
        #expect(sts.issued.count == 5)
        for (index, id) in ids.enumerated() {
            let isKnown = sts.session(id) != nil
            #expect(isKnown == (index >= 18), "\(index)")
        }
    }
}
