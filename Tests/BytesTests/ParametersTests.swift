import Testing

@testable import Bytes

@Suite struct ParametersTests {
    private func read(_ form: String) throws -> [[String]] {
        var parameters = Parameters()
        try parameters.read(form: Array(form.utf8).span)
        return shown(parameters)
    }

    private func shown(_ parameters: borrowing Parameters) -> [[String]] {
        var shown: [[String]] = []
        for entry in parameters.entries {
            shown.append([parameters.bytes(entry.name).text, parameters.bytes(entry.value).text])
        }
        return shown
    }

    @Test func `a form is names and values in order, decoded`() throws {
        #expect(try read("a=1&b=%26+x&a=&c&=d") == [["a", "1"], ["b", "& x"], ["a", ""], ["c", ""], ["", "d"]])
        #expect(try read("") == [])
        #expect(try read("&&a=1&") == [["a", "1"]])
        #expect(try read("a=b=c") == [["a", "b=c"]])
    }

    @Test(arguments: ["a=%", "%zz=1", "a=%ff", "%ff=1", "a=%ED%A0%80", "a=%C0%80"])
    func `a form that is badly escaped or no UTF-8 is refused`(form: String) {
        #expect(throws: ParameterError.self) { try read(form) }
    }

    @Test func `a JSON object is names and values with their types`() throws {
        var parameters = Parameters()
        let text = #"{"key":"a\n\u4e2d","n":42,"flag":true,"list":["x","y"],"big":9007199254740993}"#
        try parameters.read(json: Array(text.utf8).span, maximumDepth: 4)
        #expect(
            shown(parameters) == [
                ["key", "a\n中"], ["n", "42"], ["flag", "true"], ["list", "x"], ["list", "y"],
                ["big", "9007199254740993"],
            ])
        let forms = parameters.entries.map(\.form)
        #expect(forms == [.string, .number, .boolean, .string, .string, .number])
        let nestings = parameters.entries.map { "\($0.nesting)" }
        #expect(nestings == ["alone", "alone", "alone", "listed", "listed", "alone"])
    }

    @Test(arguments: ["[", "{"])
    func `a name is kept once, however many values it has, so that no body takes much more room than its bytes`(
        bracket: String
    ) throws {
        let name = String(repeating: "n", count: 131_050)
        let values = (0..<20_000).map { bracket == "[" ? "\"\"" : "\"\($0)\":\"\"" }.joined(separator: ",")
        let text = "{\"\(name)\":\(bracket)\(values)\(bracket == "[" ? "]" : "}")}"
        var parameters = Parameters()
        try parameters.read(json: Array(text.utf8).span, maximumDepth: 4)
        #expect(parameters.entries.count == 20_000)
        let end = parameters.entries.map(\.value.upperBound).max() ?? 0
        #expect(end <= text.utf8.count)
    }

    @Test func `a JSON object's members are a list whose values have names`() throws {
        var parameters = Parameters()
        let text = #"{"header":{"a":"1","中":"b:2"},"key":"k"}"#
        try parameters.read(json: Array(text.utf8).span, maximumDepth: 4)
        #expect(shown(parameters) == [["header", "1"], ["header", "b:2"], ["key", "k"]])
        var names: [String?] = []
        for entry in parameters.entries {
            if case .member(let name) = entry.nesting {
                names.append(parameters.bytes(name).text)
            } else {
                names.append(nil)
            }
        }
        #expect(names == ["a", "中", nil])
    }

    @Test(arguments: [
        "[]", "1", "", "{", #"{"a":null}"#, #"{"a":{}}"#, #"{"a":[1]}"#, #"{"a":[["x"]]}"#, #"{"a":[]}"#,
        #"{"a":{"b":true}}"#, #"{"a":{"b":["x"]}}"#, #"{"a":{"b":"1","b":"2"}}"#, #"{"a":1,"a":2}"#, "{a:1}",
        #"{"a":1}x"#,
    ])
    func `JSON that is no object of plain values is refused`(text: String) {
        var parameters = Parameters()
        let bytes = Array(text.utf8)
        #expect(throws: ParameterError.self) { try parameters.read(json: bytes.span, maximumDepth: 4) }
    }

    @Test func `a reset forgets the request before`() throws {
        var parameters = Parameters()
        try parameters.read(form: Array("a=secret".utf8).span)
        parameters.reset()
        let count = parameters.entries.count
        #expect(count == 0)
        try parameters.read(form: Array("b=2".utf8).span)
        #expect(shown(parameters) == [["b", "2"]])
    }

    @Test func `what is kept decoded is what was encoded, and nothing beyond the bytes is read`() throws {
        var parameters = Parameters()
        try parameters.add(name: Array("a".utf8).span, value: Array("b%20c%2F%C3%BC%".utf8).span, form: .text)
        let value = parameters.entries[0].value
        let kept = parameters.keep(decoding: value.lowerBound..<value.upperBound - 1)
        let text = parameters.bytes(kept).text
        #expect(text == "b c/ü")
        for end in [value.upperBound, value.upperBound + 100] {
            let kept = parameters.keep(decoding: value.upperBound - 1..<end)
            #expect(kept.count >= 1)
        }
    }
}
