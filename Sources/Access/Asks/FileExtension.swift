import Bytes

/// What stands behind the last dot of a key, and in the place of `${ext}`.
package enum FileExtension {
    package static let fault: StaticString = "must be 1 to 8 of a-z 0-9, without the dot"

    private static let bytes = ByteSet.lowercase.union(.digits)

    package static func admits(_ name: Span<UInt8>) -> Bool {
        (1...8).contains(name.count) && bytes.contains(all: name)
    }

    /// Where in `key` its extension begins, behind the last dot of its last segment; the key's end where it has none.
    static func start(in key: Span<UInt8>) -> Int {
        var start = key.count
        while start > 0, key[start - 1] != UInt8(ascii: "."), key[start - 1] != UInt8(ascii: "/") { start -= 1 }
        return start > 0 && key[start - 1] == UInt8(ascii: ".") ? start : key.count
    }
}
