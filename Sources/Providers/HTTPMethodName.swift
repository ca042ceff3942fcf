import Access
import Bytes

/// The name of an HTTP method, which is case-sensitive (RFC 9110 section 9.1).
enum HTTPMethodName {
    /// - Throws: for a name in small letters, saying what would be right.
    static func check(_ method: [UInt8]) throws(AskError) {
        let capitals = method.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        guard capitals != method, capitals.allSatisfy({ (0x41...0x5A).contains($0) }) else { return }
        throw AskError(.invalid, "method", "must be in capitals: write \(capitals.text)")
    }
}
