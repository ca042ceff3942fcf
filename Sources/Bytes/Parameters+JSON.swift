extension Parameters {
    /// Reads a JSON object whose values are strings, numbers, booleans, or a list value: strings in an array, or strings and numbers
    /// in an object.
    /// - Parameter whole: the names of members that may have any value, which is kept as JSON.
    package mutating func read(
        json text: Span<UInt8>, maximumDepth: Int, whole: [[UInt8]] = []
    ) throws(ParameterError) {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONReader.read(text, as: .json, maximumDepth: maximumDepth)
        } catch {
            throw ParameterError(name: [], fault: .json(error))
        }
        guard case .object(let members) = document.content else { throw ParameterError(name: [], fault: .notAnObject) }
        // Names that begin with _ are ignored everywhere, whatever they hold.
        for member in members where member.name.first != UInt8(ascii: "_") {
            guard whole.contains(member.name) else {
                try add(member.name, member.value)
                continue
            }
            var text = ByteWriter()
            text.append(json: member.value)
            try add(name: member.name.span, value: text.bytes, form: .text)
        }
    }

    private mutating func add(_ name: [UInt8], _ value: JSONValue) throws(ParameterError) {
        // Once, however many values it has: a long name with many would take more room than any body.
        let name = try keep(name: name.span)
        switch value.content {
        case .string(let bytes): try add(name, value: bytes.span, form: .string, nesting: .alone)
        case .number(let number): try add(name, value: number.text.span, form: .number, nesting: .alone)
        case .boolean(let flag):
            try add(name, value: Array(text: flag ? "true" : "false").span, form: .boolean, nesting: .alone)
        case .array(let elements) where !elements.isEmpty:
            for element in elements { try add(name, listed: element, .listed) }
        case .object(let members) where !members.isEmpty:
            for member in members {
                let nesting = Nesting.member(keep(member.name.span))
                if case .number(let number) = member.value.content {
                    try add(name, value: number.text.span, form: .number, nesting: nesting)
                } else {
                    try add(name, listed: member.value, nesting)
                }
            }
        case .null, .array, .object: throw ParameterError(name: bytes(name).array, fault: .unsupportedValue)
        }
    }

    private mutating func add(_ name: Range<Int>, listed value: JSONValue, _ nesting: Nesting) throws(ParameterError) {
        guard case .string(let text) = value.content else {
            throw ParameterError(name: bytes(name).array, fault: .unsupportedValue)
        }
        try add(name, value: text.span, form: .string, nesting: nesting)
    }
}
