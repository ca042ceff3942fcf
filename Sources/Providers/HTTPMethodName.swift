import Access
import Bytes

/// The name of an HTTP method, which is case-sensitive (RFC 9110 section 9.1).
enum HTTPMethodName {
    /// - Throws: for a name in small letters, saying what would be right.
    static func check(_ method: Span<UInt8>) throws(AskError) {
        // A proper name costs no copy.
        guard small.meets(method) else { return }
        let capitals = method.array.map { isSmall($0) ? $0 - 0x20 : $0 }
        guard capitals.allSatisfy({ (0x41...0x5A).contains($0) }) else { return }
        throw AskError(.invalid, "method", "must be in capitals: write \(capitals.text)")
    }

    private static func isSmall(_ letter: UInt8) -> Bool { small.contains(letter) }

    private static let small = ByteSet.lowercase
}
