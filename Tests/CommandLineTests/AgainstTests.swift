import Access
import Gateway
import Testing

@testable import CommandLine

/// `countersign check --against VERSION`
@Suite struct AgainstTests {
    private static func key(_ path: String, _ end: ReleaseVersion) -> DeprecatedKey {
        DeprecatedKey(path: path, Deprecation(since: ReleaseVersion(0, 2, 0), end: end, instead: "use hosts"))
    }

    private static let keys = [
        key("server.host", ReleaseVersion(1, 0, 0)), key("log.old", ReleaseVersion(2, 0, 0)),
    ]

    @Test func `a key that the version does not have any more is warned of, and no other`() {
        let first = "server.host: 1.0.0 does not have it; use hosts"
        #expect(Checking.warnings(of: Self.keys, against: ReleaseVersion(0, 9, 0)) == [])
        #expect(Checking.warnings(of: Self.keys, against: ReleaseVersion(1, 0, 0)) == [first])
        let second = ["server.host: 2.1.0 does not have it; use hosts", "log.old: 2.1.0 does not have it; use hosts"]
        #expect(Checking.warnings(of: Self.keys, against: ReleaseVersion(2, 1, 0)) == second)
    }

    @Test func `only a version that is to come can be checked against`() throws {
        #expect(try Options(["--against", "99.0.0"], for: .check).against == ReleaseVersion(99, 0, 0))
        #expect(try Options([], for: .check).against == nil)
        for text in [Version.number, "0.0.9", "latest", "1", "99.0.0-rc"] {
            #expect(throws: UsageError.self, "\(text)") { try Options(["--against", text], for: .check) }
        }
        // What it is compared with is a version itself.
        #expect(ReleaseVersion(Version.number) != nil)
    }
}
