import Testing

@testable import Bytes

@Suite struct ParametersTests {
    private func read(_ form: String) throws -> [[String]] {
        var parameters = Parameters()
        try parameters.read(form: Array(form.utf8).span)
        return shown(parameters)
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

/// The names and values in their order.
func shown(_ parameters: borrowing Parameters) -> [[String]] {
    var shown: [[String]] = []
    for entry in parameters.entries {
        shown.append([parameters.bytes(entry.name).text, parameters.bytes(entry.value).text])
    }
    return shown
}
