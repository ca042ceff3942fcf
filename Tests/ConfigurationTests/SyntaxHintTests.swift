import Testing

@testable import Configuration

@Suite("Configurations that are no JSON5")
struct SyntaxHintTests {
    private static func reason(_ text: String) -> String { Sample.problems(in: text).first?.reason ?? "" }

    @Test(arguments: [
        "version: 1\nserver:\n  listen: 127.0.0.1:8080\n", "---\nversion: 1\n", "# a comment\n\nversion: 1\n",
        "- a\n- b\n",
    ])
    func `YAML is called so`(text: String) {
        #expect(
            Self.reason(text) == "this looks like YAML; the configuration is JSON-like (JSON5), see config/README.md")
    }

    @Test(arguments: ["{ “version”: 1 }", "{ version: 1, server: { listen: “127.0.0.1:1” } }", "{ ‘version’: 1 }"])
    func `curly quotes are called so`(text: String) {
        #expect(Self.reason(text) == "these are curly quotes; use straight quotes, \" or '")
    }

    @Test(arguments: ["", " \n\t\n"])
    func `an empty file is called empty`(text: String) {
        #expect(Self.reason(text) == "the file is empty; `countersign init` writes one to begin with")
    }

    @Test(arguments: ["{", "{ version: 1, grants: {", "[", "{ version: 1, grants: { a: { route: ["])
    func `what is not closed is shown with where it was opened`(text: String) {
        let column =
            (text.lastIndex { "{[".contains($0) }.map { text.distance(from: text.startIndex, to: $0) } ?? 0) + 1
        #expect(Self.reason(text).hasSuffix("of line 1, column \(column) is not closed"), "\(Self.reason(text))")
    }

    @Test(arguments: [
        ("8080", "; write [\"127.0.0.1:8080\"]"), ("\"127.0.0.1:99999\"", "ports are from 0 to 65535"),
        ("[\"[::1]:65536\"]", "ports are from 0 to 65535"), ("\"example.com:80\"", "a numeric address and a port"),
        ("true", "must be a list of strings"),
    ])
    func `an address that is none is told how one is written`(value: String, told: String) {
        let problems = Sample.problems(in: "{ version: 1, credentials: {}, grants: {}, server: { listen: \(value) } }")
        #expect(problems.count == 1 && problems.first?.reason.contains(told) == true, "\(problems)")
    }

    @Test func `a port alone is not made an address where none belongs`() {
        let problems = Sample.problems(in: "{ version: 1, credentials: {}, grants: {}, server: { hosts: 8080 } }")
        #expect(problems.first?.reason == "must be a list of strings")
    }

    @Test func `a file that is not there is no such file, and standard input is read as such`() throws {
        let missing =
            "{ version: 1, credentials: { n: { provider: 'nos', accessKey: 'a', secretKey: { file: 'none' } } }, grants: {} }"
        #expect(Self.reason(missing) == "the file conf/none cannot be read: no such file")
        let problems = Sample.problems(in: missing, as: "-")
        #expect(problems.first?.reason == "the file ./none cannot be read: no such file", "from the current folder")
    }
}
