import Bytes
import Testing

@testable import Providers

@Suite struct DeletedKeysTests {
    private static let content = "<Delete><Object><Key>a/b</Key></Object></Delete>"

    private func keys(_ document: String) -> [String]? {
        (try? DeletedKeys(reading: Array(document.utf8)))?.keys.map(\.text)
    }

    @Test(arguments: [
        "", "<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='utf-8'?>\n",
        "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>",
    ])
    func `a document with a plain declaration or none is read`(start: String) {
        #expect(keys(start + Self.content) == ["a/b"])
    }

    @Test(arguments: [
        " <?xml version=\"1.0\"?>", "\n<?xml version=\"1.0\" encoding=\"utf-7\"?>", "<?xml version=\"1.1\"?>",
        "<?xml?>", "<?>", "<?", "<?xml version=\"1.0\">", "<?xml version=\"1.0\" encoding=\"utf-16\"?>",
        "<?xml version=\"1.0\"?><?xml version=\"1.0\"?>", "<?x y?>", "<!DOCTYPE Delete>",
        "<?xml version=\"1.0\"" + String(repeating: " ", count: 300) + "?>",
    ])
    func `a document with another declaration is refused`(start: String) {
        #expect(keys(start + Self.content) == nil)
    }

    @Test(arguments: ["<?x?>", "<!-- -->", "<!DOCTYPE a>", "<![CDATA[a]]>"])
    func `a declaration behind the start is refused`(declaration: String) {
        for (old, new) in [
            ("<Object>", declaration + "<Object>"), ("a/b", "a" + declaration),
            ("</Delete>", "</Delete>" + declaration),
        ] {
            #expect(keys(Self.content.replacing(old, with: new)) == nil)
        }
    }

    @Test func `a thousand keys are read, and one more is refused`() {
        func document(_ count: Int) -> String {
            let objects = (0..<count).map { "<Object><Key>in/\($0)</Key></Object>" }.joined()
            return "<Delete>\(objects)<Quiet>true</Quiet></Delete>"
        }
        #expect(keys(document(1000))?.count == 1000)
        #expect(keys(document(1001)) == nil)
    }

    @Test(arguments: [
        (["a/b/c", "a/b/d"], "a/b/"), (["a/b", "a"], ""), (["ab/c", "ab/"], "ab/"), (["x/1", "y/1"], ""),
    ])
    func `several keys are judged by their folder`(names: [String], folder: String) throws {
        let objects = names.map { "<Object><Key>\($0)</Key></Object>" }.joined()
        let target = try DeletedKeys(reading: Array("<Delete>\(objects)</Delete>".utf8)).target
        #expect(target.isPrefix && target.key.text == folder)
    }
}
