import Bytes

extension ByteWriter {
    /// A JSON string in which also those characters are escaped that terminals obey.
    package mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            guard scalar.value >= 0x80, !scalar.isVisible else {
                append(jsonEscaped: Array(String(scalar).utf8).span)
                continue
            }
            for unit in String(scalar).utf16 {
                append("\\u")
                Hex.encode([UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)].span, into: &self)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
