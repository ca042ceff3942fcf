/// Why a text is not the JSON that was asked for.
package struct JSONError: Error, Sendable {
    /// Bytes from the start of the text to the first byte that cannot stand there, or to the opening of what has no end;
    /// the length of the text if more was expected.
    package let offset: Int

    /// What would be right, in plain English; quotes nothing of the text.
    package let reason: String

    /// The key that is concerned, if one is; messages quote it to the author of the text.
    package let key: [UInt8]?

    init(offset: Int, reason: String, key: [UInt8]? = nil) {
        self.offset = offset
        self.reason = reason
        self.key = key
    }
}

extension JSONError: CustomStringConvertible {
    /// The reason with the key.
    package var description: String { key.map { "\(reason): \(JSONError.quoting($0))" } ?? reason }
}

extension JSONError {
    /// Quotes a key for people: printable ASCII with Swift's escapes, at most 64 bytes, cut with dots beyond.
    static func quoting(_ name: [UInt8]) -> String {
        let limit = 64
        var quoted = ""
        // A scalar of n bytes never becomes fewer than n, so the first 65 bytes are enough to pass the limit.
        for scalar in String(decoding: name.prefix(limit + 1), as: UTF8.self).unicodeScalars {
            let escaped = scalar.escaped(asASCII: true)
            guard quoted.utf8.count + escaped.utf8.count <= limit else { return "\"\(quoted)\"..." }
            quoted += escaped
        }
        return "\"\(quoted)\""
    }
}
