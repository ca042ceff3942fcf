import Access
import Bytes
import Testing

@testable import Configuration

/// Keys that will go, of which nothing but their declaration says so.
@Suite struct DeprecationTests {
    private static let going = Deprecation(
        since: ReleaseVersion(0, 2, 0), end: ReleaseVersion(1, 0, 0), instead: "use `hosts`")

    /// A group that no configuration has.
    private struct Made: FieldGroup {
        let host = Field("host", .string, "The one host.").deprecated(going)
        let hosts = Field("hosts", .strings, default: [], "All hosts.")
        let count = Field("count", .integer(1...9), default: 3, "How many.").deprecated(going)
        let inner = Field("inner", object: Inner(), "More.")
    }

    private struct Inner: FieldGroup {
        let old = Field("old", .boolean, default: true, "Whether.").deprecated(going)
    }

    private func reader() -> FieldReader {
        FieldReader([], folder: ".", Environment(variable: { _ in nil }, file: { _ in nil }))
    }

    private func value(_ text: String) throws -> JSONValue { try JSONReader.read(Array(text.utf8), as: .json5) }

    @Test func `a key that is given is noted with its path, once, and is read as it was`() throws {
        var reader = reader()
        let text = try value("{ host: \"a\", hosts: [\"b\"], count: 5, inner: { old: false } }")
        let values = reader.read(text, "made", Made())
        _ = reader.read(text, "made", Made())
        #expect(reader.deprecated.map(\.path) == ["made.host", "made.count", "made.inner.old"])
        #expect(reader.deprecated.allSatisfy { $0.deprecation == Self.going })
        #expect(values.host == Array("a".utf8) && values.count == 5 && !values.inner.old)
        #expect(reader.problems.count == 0)
    }

    @Test func `a key that is not given is not noted, and has its default`() throws {
        var reader = reader()
        let values = reader.read(try value("{ hosts: [] }"), "made", Made())
        #expect(reader.deprecated.isEmpty)
        #expect(values.count == 3 && values.host == nil && values.inner.old)
    }

    @Test func `a key of one of several kinds is noted`() throws {
        var reader = reader()
        let kinds = [Made().descriptions, Inner().descriptions]
        _ = reader.judge(try value("{ old: true, hosts: [\"b\"] }"), "defaults", byAnyOf: kinds)
        #expect(reader.deprecated.map(\.path) == ["defaults.old"])
    }

    @Test func `the warning and the table say since when, until when, and what to do`() {
        let key = DeprecatedKey(path: "made.host", Self.going)
        #expect(
            Compiler.warning(ofDeprecated: key)
                == "made.host: is deprecated since 0.2.0, and goes with 1.0.0; use `hosts`")
        #expect(KeyTable.mark(Made().host.description) == " *Deprecated since 0.2.0, gone in 1.0.0: use `hosts`.*")
        #expect(KeyTable.mark(Made().hosts.description) == "")
    }

    @Test func `versions are compared by their numbers`() {
        #expect(ReleaseVersion(0, 9, 0) < ReleaseVersion(0, 10, 0))
        #expect(ReleaseVersion(0, 10, 1) < ReleaseVersion(1, 0, 0))
        #expect(ReleaseVersion("1.20.3") == ReleaseVersion(1, 20, 3))
        let others = [
            "", "1", "1.0", "1.0.0.0", "1.0.0-rc", "v1.0.0", "01.0.0", "1..0", "-1.0.0", "1.0.9999999", "１.0.0",
        ]
        for text in others {
            #expect(ReleaseVersion(text) == nil, "\(text)")
        }
    }
}
