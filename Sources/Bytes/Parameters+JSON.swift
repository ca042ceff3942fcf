extension Parameters {
    /// Reads a JSON object whose values are strings, numbers, booleans, or arrays of strings (a list value).
    package mutating func read(json text: Span<UInt8>, maximumDepth: Int) throws(ParameterError) {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONReader.read(text, as: .json, maximumDepth: maximumDepth)
        } catch {
            throw ParameterError(name: [], fault: .json(error))
        }
        guard case .object(let members) = document.content else { throw ParameterError(name: [], fault: .notAnObject) }
        // Names that begin with _ are ignored everywhere, whatever they hold.
        for member in members where member.name.first != UInt8(ascii: "_") {
            if case .array(let elements) = member.value.content {
                guard !elements.isEmpty else { throw ParameterError(name: member.name, fault: .unsupportedValue) }
                for element in elements {
                    guard case .string = element.content else {
                        throw ParameterError(name: member.name, fault: .unsupportedValue)
                    }
                    try add(member.name, element, isListed: true)
                }
            } else {
                try add(member.name, member.value, isListed: false)
            }
        }
    }

    private mutating func add(_ name: [UInt8], _ value: JSONValue, isListed: Bool) throws(ParameterError) {
        switch value.content {
        case .string(let bytes): try add(name: name.span, value: bytes.span, form: .string, isListed: isListed)
        case .number(let number): try add(name: name.span, value: number.text.span, form: .number)
        case .boolean(let flag):
            try add(name: name.span, value: Array(text: flag ? "true" : "false").span, form: .boolean)
        case .null, .array, .object: throw ParameterError(name: name, fault: .unsupportedValue)
        }
    }
}
