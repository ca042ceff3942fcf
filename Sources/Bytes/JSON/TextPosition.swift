/// A position in a text as an editor shows it.
package struct TextPosition: Sendable, Equatable {
    /// From 1; a line ends with LF, CR LF or CR.
    package let line: Int
    /// From 1, in Unicode scalars.
    package let column: Int

    /// Finds the position that is `offset` bytes from the start; the nearest end of the text if it is outside.
    package init(of offset: Int, in bytes: Span<UInt8>) {
        var line = 1
        var column = 1
        for index in 0..<max(0, min(offset, bytes.count)) {
            let byte = bytes[index]
            let isBeforeLF = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
            if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: "\r") && !isBeforeLF) {
                line += 1
                column = 1
            } else if byte & 0b1100_0000 != 0b1000_0000 {
                column += 1
            }
        }
        self.line = line
        self.column = column
    }

    package init(of offset: Int, in bytes: [UInt8]) {
        self.init(of: offset, in: bytes.span)
    }
}
