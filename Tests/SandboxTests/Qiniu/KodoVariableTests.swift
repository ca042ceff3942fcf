import Testing

@testable import Bytes
@testable import Sandbox

/// The variables of put policies, and the types of contents.
struct KodoVariableTests {
    private let variables: KodoVariables = {
        var variables = KodoVariables()
        variables.set("key", Array(#"a"b/中"#.utf8))
        variables.set("fsize", 12)
        variables.setTime(KodoFixture.now)
        variables.add([
            NameValue("x:color", "$(key)"), NameValue("key", "forged"), NameValue("x-qn-meta-a", "no variable"),
        ])
        return variables
    }()

    private func expand(_ template: String, _ spelling: KodoVariables.Spelling) -> String {
        variables.expand(Array(template.utf8), as: spelling).text
    }

    @Test(arguments: [
        (#"{"k":$(key)}"#, #"{"k":"a\"b/中"}"#), (#"{"k":"$(key)"}"#, #"{"k":"a\"b/中"}"#),
        (#"{"k":"x-${key}-y","n":$(fsize)}"#, #"{"k":"x-a\"b/中-y","n":12}"#), (#"{"n":"$(fsize)"}"#, #"{"n":"12"}"#),
        (#"{"w":$(imageInfo.width),"h":"$(imageInfo.height)"}"#, #"{"w":null,"h":""}"#),
        (#"{"c":$(x:color)}"#, #"{"c":"$(key)"}"#), (#"{"a":"\"$(key)"}"#, #"{"a":"\"a\"b/中"}"#),
        (#"{"a":"$(key"}"#, #"{"a":"$(key"}"#), ("$(", "$("), ("$", "$"), ("$()", "null"),
        (#"{"m":$(x-qn-meta-a)}"#, #"{"m":null}"#),
    ])
    func `in JSON a value is a value, and within a string a part of it`(template: String, text: String) {
        #expect(expand(template, .json) == text)
    }

    @Test func `in a form values are percent-encoded`() {
        #expect(expand("k=$(key)&n=$(fsize)&w=$(imageInfo.width)", .form) == "k=a%22b%2F%E4%B8%AD&n=12&w=")
    }

    @Test func `in a key they stand as they are, and the time is China's`() {
        #expect(
            expand("$(year)/$(mon)/$(day)/$(hour)$(min)$(sec)/${x:color}$(none)", .plain) == "2015/12/30/230000/$(key)")
    }

    @Test(
        arguments: [
            ("\u{FF}", "a.png", nil), ("GIF89a…", "", "image/gif"), ("%PDF-1.7", "", "application/pdf"),
            ("plain", "", "text/plain"),
            ("{}", "a.json", "application/json"), ("<svg/>", "a.SVG", "image/svg+xml"),
            // A name makes no page of a text's kind, and no image of a text.
            ("<!DOCTYPE html>", "a.txt", "text/html"), ("\n <Script >", "a.svg", "text/html"),
            ("<body>", "a.json", "text/html"), ("<bodyguard>", "a.txt", "text/plain"), ("hello", "a.svg", "text/plain"),
            ("<?xml?><svg>", "a.txt", "image/svg+xml"), ("<?xml?><a>", "a.txt", "text/xml"),
            ("plain", "a.png", "text/plain"),
            ("BMW is a text", "", "text/plain"), ("a\u{0}b", "a.txt", nil), ("", "", nil),
            ("PK\u{3}\u{4}", "a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            ("PK\u{3}\u{4}", "a.jpg", "application/zip"), ("\u{0}\u{0}\u{0}\u{18}ftypmp42", "", "video/mp4"),
            ("RIFF1234WEBPVP8 ", "", "image/webp"), ("RIFF1234WAVEfmt ", "", "audio/wav"),
        ] as [(String, String, String?)])
    func `a content's type is told by its bytes`(content: String, name: String, type: String?) {
        // U+00FF and what is below are one byte here.
        let isOneByte = content.unicodeScalars.allSatisfy { $0.value < 0x100 }
        let sample =
            isOneByte ? content.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(content.utf8)
        #expect(KodoMediaType.detected(sample, names: [Array(name.utf8)])?.text == type)
    }

    @Test func `a text that is cut within a character is a text`() {
        let cut = Array(Array(String(repeating: "中", count: 200).utf8)[..<512])
        #expect(KodoMediaType.detected(cut, names: [])?.text == "text/plain")
    }
}
