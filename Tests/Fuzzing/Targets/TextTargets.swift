import Bytes

extension FuzzTarget {
    /// What is decoded comes back when it is encoded and decoded again; what is encoded has one spelling.
    static let percent = FuzzTarget(name: "percent") { bytes in
        for plusIsSpace in [false, true] {
            guard let decoded = decoded(bytes, plusIsSpace: plusIsSpace) else { continue }
            try require(decoded.count <= bytes.count, "it has grown")
            try require(FuzzTarget.decoded(encoded(decoded), plusIsSpace: plusIsSpace) == decoded, "it has changed")
        }
        let text = encoded(bytes)
        try require(FuzzTarget.decoded(text, plusIsSpace: false) == bytes, "it does not come back")
        try require(FuzzTarget.read(text).map { $0 == bytes } ?? false, "its one spelling is not read")
        if let read = FuzzTarget.read(bytes) { try require(encoded(read) == bytes, "another spelling is read") }
    }

    /// What is read of a form is read again when it is written anew.
    static let form = FuzzTarget(name: "form") { bytes in
        guard let pairs = FuzzTarget.pairs(bytes) else { return }
        var text: [UInt8] = []
        for pair in pairs {
            text += encoded(pair.name) + [UInt8(ascii: "=")] + encoded(pair.value) + [UInt8(ascii: "&")]
        }
        let again = FuzzTarget.pairs(text)
        try require(again?.map(\.name) == pairs.map(\.name), "the names are others")
        try require(again?.map(\.value) == pairs.map(\.value), "the values are others")
        for pair in pairs {
            try require(UTF8Text.isWellFormed(pair.name.span) && UTF8Text.isWellFormed(pair.value.span), "no UTF-8")
        }
    }

    /// What is read of JSON is read again when it is written anew; whatever is JSON is JSON5, and says the same.
    static let json = FuzzTarget(name: "json") { bytes in
        let strict = try? JSONReader.read(bytes, as: .json)
        let loose = try? JSONReader.read(bytes, as: .json5)
        if let strict {
            let text = written(strict)
            try require(loose.map { written($0) == text } ?? false, "it is not the same as JSON5")
        }
        guard let value = loose else { return }
        let text = written(value)
        // Numbers keep their spelling, and some of JSON5's are no JSON.
        let again = (try? JSONReader.read(text, as: .json)) ?? (try? JSONReader.read(text, as: .json5))
        try require(again.map { written($0) == text } ?? false, "\(text.text) is not read again")
    }

    private static func decoded(_ bytes: [UInt8], plusIsSpace: Bool) -> [UInt8]? {
        var out = ByteWriter()
        return Percent.decode(bytes.span, plusIsSpace: plusIsSpace, into: &out) ? out.array : nil
    }

    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var out = ByteWriter()
        Percent.encode(bytes.span, into: &out)
        return out.array
    }

    /// By the reader of what has one spelling.
    private static func read(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var position = 0
        while let byte = Percent.nextEncoded(&position, of: text.span) { bytes.append(byte) }
        return position == text.count ? bytes : nil
    }

    private static func pairs(_ text: [UInt8]) -> [(name: [UInt8], value: [UInt8])]? {
        var parameters = Parameters()
        do { try parameters.read(form: text.span) } catch { return nil }
        var pairs: [(name: [UInt8], value: [UInt8])] = []
        for entry in parameters.entries {
            pairs.append((parameters.bytes(entry.name).array, parameters.bytes(entry.value).array))
        }
        return pairs
    }

    private static func written(_ value: JSONValue) -> [UInt8] {
        var out = ByteWriter()
        out.append(json: value)
        return out.array
    }
}
