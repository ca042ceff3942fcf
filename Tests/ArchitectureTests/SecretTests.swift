import Testing

/// A secret goes into signatures and nowhere else.
@Suite struct SecretTests {
    /// The service's password at Redis, and what the service itself has just been given for a client.
    static let exceptions = [
        "Sources/Cluster/RedisConnection.swift", "Sources/Providers/Sessions/SessionCredential.swift",
    ]

    @Test func `the bytes of a secret are written out by two files alone: a password, and a client's temporary key`() {
        let users = ImportTests.sources.filter { source in source.lines.contains { $0.contains(".reveal(") } }
        #expect(users.map(\.path) == SecretTests.exceptions)
    }

    @Test func `a secret lends its bytes to its own room alone, but for that file`() throws {
        let secret = try #require(ImportTests.sources.first { $0.path == "Sources/Crypto/Secret.swift" })
        let shared = secret.lines.filter { $0.contains("package") && $0.contains("func ") }
        let names = shared.compactMap { $0.firstMatch(of: #/func (\w+)/#).map { String($0.output.1) } }
        #expect(names == ["lockMemory", "constantTimeEquals", "reveal"])
    }
}
