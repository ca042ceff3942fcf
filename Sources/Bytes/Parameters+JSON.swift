extension Parameters {
    /// Reads a JSON object whose values are strings, numbers, booleans, or a list value: strings in an array, or strings and numbers
    /// in an object.
    /// - Parameter whole: the names of members that may have any value, which is kept as it is written.
    /// - Throws: `ParameterError`. A mistake in the JSON, wherever it stands, comes before all others, and leaves no entry behind.
    package mutating func read(
        json text: Span<UInt8>, maximumDepth: Int, whole: [[UInt8]] = []
    ) throws(ParameterError) {
        var reader = JSONReader(text, as: .json, maximumDepth: maximumDepth)
        let count = entries.count
        var fault: ParameterError?
        // What has escapes is decoded to where it is kept.
        swap(&reader.decoded, &arena)
        do throws(JSONError) {
            try reader.start()
            fault = try readObject(from: &reader, whole: whole)
            try reader.finish()
        } catch {
            entries.removeSubrange(count...)
            fault = ParameterError(name: [], fault: .json(error))
        }
        swap(&reader.decoded, &arena)
        if let fault { throw fault }
    }

    /// - Returns: the first fault that is none of the JSON; the members behind it are read, and not kept.
    private mutating func readObject(
        from reader: inout JSONReader, whole: [[UInt8]]
    ) throws(JSONError) -> ParameterError? {
        let kind = try reader.beginValue()
        guard case .object = kind else {
            try reader.skip(kind)
            return ParameterError(name: [], fault: .notAnObject)
        }
        var fault: ParameterError?
        var object = try reader.open("}")
        while let slice = try reader.readName(in: &object) {
            // Names that begin with _ are ignored everywhere, whatever they hold.
            guard fault == nil, !reader.text(slice).begins(with: "_") else {
                try reader.skipValue()
                continue
            }
            let isWhole = whole.contains { reader.text(slice).equals($0) }
            // Once, however many values it has: a long name with many would take more room than any body.
            let name = reader.keep(slice)
            let isSupported = isWhole ? try readWhole(name, from: &reader) : try readValue(of: name, from: &reader)
            if !isSupported {
                fault = ParameterError(name: reader.decoded.bytes.extracting(name).array, fault: .unsupportedValue)
            }
        }
        return fault
    }

    private mutating func readWhole(_ name: Range<Int>, from reader: inout JSONReader) throws(JSONError) -> Bool {
        let start = reader.offset
        try reader.skipValue()
        keep(.read(start..<reader.offset), of: name, as: .text, .alone, from: &reader)
        return true
    }

    /// - Returns: whether a parameter may have such a value.
    private mutating func readValue(
        of name: Range<Int>, from reader: inout JSONReader
    ) throws(JSONError) -> Bool {
        let kind = try reader.beginValue()
        switch kind {
        case .string: keep(try reader.readString(), of: name, as: .string, .alone, from: &reader)
        case .number: keep(try reader.readNumber(), of: name, as: .number, .alone, from: &reader)
        case .boolean: keep(try reader.readBoolean(), of: name, as: .boolean, .alone, from: &reader)
        case .null:
            try reader.skip(kind)
            return false
        case .array:
            var array = try reader.open("]")
            var isSupported = true
            while try reader.findItem(of: &array) {
                if try !readItem(of: name, .listed, from: &reader) { isSupported = false }
            }
            return isSupported && array.newest != nil
        case .object:
            var object = try reader.open("}")
            var isSupported = true
            while let member = try reader.readName(in: &object) {
                let nesting = Nesting.member(reader.keep(member))
                if try !readItem(of: name, nesting, from: &reader) { isSupported = false }
            }
            return isSupported && object.newest != nil
        }
        return true
    }

    /// Reads a string of a list, or a string or number that has a name.
    private mutating func readItem(
        of name: Range<Int>, _ nesting: Nesting, from reader: inout JSONReader
    ) throws(JSONError) -> Bool {
        let kind = try reader.beginValue()
        switch (kind, nesting) {
        case (.string, _): keep(try reader.readString(), of: name, as: .string, nesting, from: &reader)
        case (.number, .member): keep(try reader.readNumber(), of: name, as: .number, nesting, from: &reader)
        default:
            try reader.skip(kind)
            return false
        }
        return true
    }

    private mutating func keep(
        _ value: JSONSlice, of name: Range<Int>, as form: Form, _ nesting: Nesting, from reader: inout JSONReader
    ) {
        entries.append(Entry(name: name, value: reader.keep(value), form: form, nesting: nesting))
    }
}

extension JSONReader {
    /// Puts a text that was read behind what has been decoded, if it is not there already.
    fileprivate mutating func keep(_ slice: JSONSlice) -> Range<Int> {
        switch slice {
        case .decoded(let range): return range
        case .read(let range):
            let start = decoded.count
            decoded.append(bytes.extracting(range))
            return start..<decoded.count
        }
    }
}
