import Bytes

/// Looks for secrets in what others may read: raw, in base64 of both alphabets and in hexadecimal of both cases; whole, and in every
/// slice of twelve bytes.
package struct SecretSearch: Sendable {
    /// How long a slice is that gives a secret away, in bytes.
    package static let slice = 12

    private struct Needle {
        let bytes: [UInt8]
        let what: String
    }

    /// By their first eight bytes.
    private var needles: [UInt64: [Needle]] = [:]

    package init(_ secrets: [(name: String, bytes: [UInt8])]) {
        for secret in secrets { add(secret.bytes, named: secret.name) }
    }

    /// All forms of a secret that is at least a slice long: as each begins somewhere within any longer text, the whole is found by
    /// its slices.
    private mutating func add(_ secret: [UInt8], named name: String) {
        precondition(secret.count >= SecretSearch.slice, "\(name) is too short to be found")
        for start in 0...(secret.count - SecretSearch.slice) {
            let slice = Array(secret[start..<start + SecretSearch.slice])
            let forms = [
                ("raw", slice), ("base64", Base64.standard.encode(slice)), ("base64url", Base64.urlSafe.encode(slice)),
                ("hex", SecretSearch.hex(slice, "0123456789abcdef")),
                ("HEX", SecretSearch.hex(slice, "0123456789ABCDEF")),
            ]
            for (form, bytes) in forms { add(Needle(bytes: bytes, what: "\(name), \(form), from byte \(start)")) }
        }
    }

    /// What is looked for as it stands alone, whatever its length from eight bytes on.
    package mutating func add(whole text: String, named name: String) {
        precondition(text.utf8.count >= 8, "\(name) is too short to be found")
        add(Needle(bytes: Array(text.utf8), what: name))
    }

    private mutating func add(_ needle: Needle) {
        let prefix = needle.bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        needles[prefix, default: []].append(needle)
    }

    private static func hex(_ bytes: [UInt8], _ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// - Returns: what was found, at most ten of it; nothing where all is well.
    package func find(in text: [UInt8]) -> [String] {
        var found: [String] = []
        var window: UInt64 = 0
        for (index, byte) in text.enumerated() {
            window = window << 8 | UInt64(byte)
            guard index >= 7, let candidates = needles[window] else { continue }
            let rest = text[(index - 7)...]
            for needle in candidates where rest.starts(with: needle.bytes) {
                found.append("\(needle.what), at \(index - 7)")
                if found.count == 10 { return found }
            }
        }
        return found
    }

    package func find(in text: String) -> [String] { find(in: Array(text.utf8)) }

    /// The same in a dump, which shows lists of bytes as numbers, one a line.
    package func find(inDump text: String) -> [String] {
        var found = find(in: text)
        var run: [UInt8] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == "-", let byte = UInt8(words[1]) {
                run.append(byte)
            } else if !run.isEmpty {
                found += find(in: run)
                run = []
            }
        }
        return found + find(in: run)
    }
}
