import Testing

@testable import Bytes

@Suite struct XMLElementTests {
    @Test func `elements and texts are read`() throws {
        let document = """
            <?xml version="1.0" encoding="UTF-8"?>
            <A xmlns="x" b='y' > <B>1 &lt;&amp;&#x4E2D;&#37;&quot;&apos;&gt;</B> <B> 2 </B><C/><D ></D> </A>

            """
        let root = try #require(XMLElement.read(Array(document.utf8)))
        #expect(root.name.text == "A" && root.text.isEmpty)
        #expect(root.all("B").map(\.text.text) == ["1 <&中%\"'>", " 2 "])
        #expect(root.text("B") == nil && root.text("C") == [] && root.text("D") == [] && root.text("E") == nil)
    }

    @Test(arguments: [
        "", "A", "<A>", "</A>", "<A></B>", "<A><B></A></B>", "<A/><B/>", "<A/>x", "<A>&x;</A>", "<A>&</A>",
        "<A>&#0;</A>",
        "<A>&#xD800;</A>", "<A>&#x110000;</A>", "<!DOCTYPE A><A/>", "<A><!-- --></A>", "<A><![CDATA[x]]></A>", "< A/>",
        "<1/>", "<A", "<", "<>", "</>", "<?xml", "<A>&#+1;</A>", "\u{0}<A/>",
        // Text beside elements, a byte that no document has, what only looks like attributes, and a tag that another reader ends later.
        "<A>x<B/></A>", "<A><B/>x</A>", "<A>\u{1}</A>", "<A b/>", "<A b=c/>", "<A b=\"c/>", "<A b=\"c\"d=\"e\"/>",
        "<A b=\">\"/>", "<A b='<'/>", "<A></A b>", "<A><?x?></A>",
        "<!DOCTYPE A [<!ENTITY x SYSTEM \"file:///x\">]><A>&x;</A>",
    ])
    func `what is no such document is refused`(text: String) {
        #expect(XMLElement.read(Array(text.utf8)) == nil)
    }

    @Test func `a document may have fewer elements than usual`() {
        let document = Array("<A><B/><C/></A>".utf8)
        #expect(XMLElement.read(document, upTo: 3)?.elements.count == 2)
        #expect(XMLElement.read(document, upTo: 2) == nil)
    }

    @Test func `documents have bounds`() {
        let deep = String(repeating: "<A>", count: 100_000) + String(repeating: "</A>", count: 100_000)
        #expect(XMLElement.read(Array(deep.utf8)) == nil)
        let wide = "<A>" + String(repeating: "<B/>", count: 50_000) + "</A>"
        #expect(XMLElement.read(Array(wide.utf8)) == nil)
        #expect(XMLElement.read([0x3C, 0xFF, 0x2F, 0x3E]) == nil)
    }
}
