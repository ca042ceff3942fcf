import Bytes

/// The name of an object or a bucket in a path of Kodo's: url-safe base64 with its padding.
struct KodoEntry {
    let bucket: [UInt8]
    /// nil where the bucket itself is meant.
    let key: [UInt8]?

    /// The longest key, in bytes.
    static let longestKey = 750

    /// `<bucket>` or `<bucket>:<key>`.
    init(name: [UInt8]) {
        let colon = name.firstIndex(of: UInt8(ascii: ":")) ?? name.endIndex
        bucket = Array(name[..<colon])
        key = colon < name.endIndex ? Array(name[(colon + 1)...]) : nil
    }

    /// Reads what stands encoded in a path.
    init(_ segment: [UInt8]) throws { self.init(name: try KodoEntry.decode(segment)) }

    /// The text that is encoded.
    static func decode(_ segment: [UInt8]) throws -> [UInt8] {
        guard let text = Base64.urlSafe.decode(segment.span), UTF8Text.isWellFormed(text.span) else {
            throw KodoRefusal.invalid("argument")
        }
        return text
    }
}
