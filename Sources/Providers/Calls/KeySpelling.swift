import Bytes

/// How servers spell a key in their answers. Amazon S3 repeats it; SeaweedFS takes `\` for `/` and several slashes for one, and
/// servers that write XML put U+FFFD in place of what XML cannot contain.
enum KeySpelling {
    /// Whether two texts may name one key. It tells answers apart; it grants nothing.
    static func areAlike(_ one: [UInt8], _ other: [UInt8]) -> Bool { one == other || folded(one) == folded(other) }

    /// Why some servers would store a file of this name under another key, or not at all; nil where none would.
    static func fault(of name: Span<UInt8>) -> StaticString? {
        let name = name.array
        if name.contains(UInt8(ascii: "\\")) { return "must not contain \\; some servers take it for /" }
        let segments = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard segments.dropLast().allSatisfy({ !$0.isEmpty }) else {
            return "must not contain //; some servers take it for /"
        }
        guard segments.allSatisfy({ $0.count <= longestSegment }) else {
            return "must have at most 255 bytes between two slashes, as in a file system"
        }
        return folded(name) == name ? nil : "must not contain U+FFFD, U+FFFE or U+FFFF, which XML cannot name"
    }

    /// Of file systems, in bytes.
    private static let longestSegment = 255

    private static func folded(_ key: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(key.count)
        var index = key.startIndex
        while index < key.endIndex {
            let byte = key[index] == UInt8(ascii: "\\") ? UInt8(ascii: "/") : key[index]
            let rest = key[index...].prefix(3)
            if rest.elementsEqual([0xEF, 0xBF, 0xBE]) || rest.elementsEqual([0xEF, 0xBF, 0xBF])
                || rest.elementsEqual([0xEF, 0xBF, 0xBD])
            {
                folded.append(UInt8(ascii: "?"))
                index += 3
                continue
            }
            if byte != UInt8(ascii: "/") || folded.last != byte { folded.append(byte) }
            index += 1
        }
        return folded
    }
}
