import TestTraits
import Testing

@testable import Bytes

@Suite(.timeLimit(.minutes(20)))
struct ParametersJSONTests {
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

    @Test func `a member that may be anything is kept as it is written, and one that begins with _ not at all`() throws
    {
        var parameters = Parameters()
        let text = #"{"_a":[{"b":"\n"}],"w":{ "x": [1,"\u0041"] },"key":"k\n","_":null}"#
        try parameters.read(json: Array(text.utf8).span, maximumDepth: 4, whole: [Array("w".utf8)])
        #expect(shown(parameters) == [["w", #"{ "x": [1,"\u0041"] }"#], ["key", "k\n"]])
    }

    @Test(arguments: [
        (#"{"a":null,"b":"#, 14), (#"{"a":{"b":[1]},"a":1}"#, 15), (#"{"_a":{"b":1,"b":2}}"#, 13), ("[1,2", 4),
        ("1 2", 2),
    ])
    func `a mistake in the JSON comes before what no parameter may be, and leaves nothing read`(
        text: String, offset: Int
    ) throws {
        var parameters = Parameters()
        let bytes = Array(text.utf8)
        let error = #expect(throws: ParameterError.self) { try parameters.read(json: bytes.span, maximumDepth: 4) }
        guard case .json(let mistake)? = error?.fault else { throw Unexpected() }
        #expect(mistake.offset == offset)
        let count = parameters.entries.count
        #expect(count == 0)
    }

    /// The reader of whole values is the oracle: what it makes of a text, one value after the other, is what is kept of it.
    @Test func `whatever the text, the parameters are those of its value, and its mistake is the same`() throws {
        let whole = [Array("deep".utf8)]
        let texts = [document, parameterDocument].map { Array($0.utf8) }
        var random = SplitMix64(seed: 20_261_127)
        var parameters = Parameters()
        var read = 0
        for round in 0..<Rounds.share(of: 20_000) {
            let text = round < texts.count ? texts[round] : mutation(of: texts[round % texts.count], &random)
            parameters.reset()
            var fault: ParameterError?
            do { try parameters.read(json: text.span, maximumDepth: 6, whole: whole) } catch { fault = error }
            let value: JSONValue
            do { value = try JSONReader.read(text, as: .json, maximumDepth: 6) } catch {
                guard case .json(let mistake)? = fault?.fault else { throw Unexpected() }
                #expect(mistake.offset == error.offset && mistake.description == error.description)
                continue
            }
            switch (expected(of: value, whole: whole), fault) {
            case (let entries?, nil):
                #expect(entries == described(parameters))
                read += 1
            case (nil, let fault?):
                if case .json = fault.fault { throw Unexpected() }
            default: Issue.record("\(String(decoding: text, as: UTF8.self)): \(fault as Any)")
            }
        }
        #expect(read > Rounds.share(of: 20_000) / 100)
    }

    private struct Unexpected: Error {}

    private func described(_ parameters: borrowing Parameters) -> [String] {
        var described: [String] = []
        for entry in parameters.entries {
            let member: String
            if case .member(let name) = entry.nesting { member = parameters.bytes(name).text } else { member = "" }
            let isListed = if case .listed = entry.nesting { true } else { false }
            let value = parameters.bytes(entry.value).text
            described.append(
                "\(parameters.bytes(entry.name).text) \(entry.form) \(isListed) \(member) "
                    + (entry.form == .text ? compact(value) : value))
        }
        return described
    }

    /// JSON without its white space, and with each character in one way.
    private func compact(_ text: String) -> String {
        var writer = ByteWriter()
        guard let value = try? JSONReader.read(Array(text.utf8), as: .json) else { return "no JSON" }
        writer.append(json: value)
        return writer.bytes.text
    }

    /// - Returns: nil for what is no object of parameters.
    private func expected(of value: JSONValue, whole: [[UInt8]]) -> [String]? {
        guard case .object(let members) = value.content else { return nil }
        var entries: [String] = []
        for member in members where member.name.first != UInt8(ascii: "_") {
            let name = String(decoding: member.name, as: UTF8.self)
            if whole.contains(member.name) {
                var writer = ByteWriter()
                writer.append(json: member.value)
                entries.append("\(name) text false  \(writer.bytes.text)")
                continue
            }
            switch member.value.content {
            case .array(let elements):
                let texts = elements.compactMap(\.text)
                guard !texts.isEmpty, texts.count == elements.count else { return nil }
                entries += texts.map { "\(name) string true  \(String(decoding: $0, as: UTF8.self))" }
            case .object(let members):
                let items = members.compactMap { item in
                    plain(item.value).map {
                        "\(name) \($0.form) false \(String(decoding: item.name, as: UTF8.self)) \($0.text)"
                    }
                }
                let isSupported = members.allSatisfy { if case .boolean = $0.value.content { false } else { true } }
                guard isSupported, !items.isEmpty, items.count == members.count else { return nil }
                entries += items
            default:
                guard let value = plain(member.value) else { return nil }
                entries.append("\(name) \(value.form) false  \(value.text)")
            }
        }
        return entries
    }

    private func plain(_ value: JSONValue) -> (form: Parameters.Form, text: String)? {
        switch value.content {
        case .string(let text): (.string, String(decoding: text, as: UTF8.self))
        case .number(let number): (.number, String(decoding: number.text, as: UTF8.self))
        case .boolean(let flag): (.boolean, "\(flag)")
        case .null, .array, .object: nil
        }
    }
}

private let parameterDocument = #"""
    {"key":"a\u0041\n\uD83D\uDE00é","n":-1.5e+3,"flag":true,"list":["x","\t"],"_x":[null],"header":{"a":"1","b":2},
     "deep":[[{"x":[{"y":""}]}]],"1":1,"2":2,"3":"3"}
    """#
