import Bytes

/// The character classes of RFC 9110 section 5.6.2 and RFC 3986 as 128-bit sets.
struct CharacterClass {
    private let low: UInt64
    private let high: UInt64

    private init(_ characters: StaticString) {
        var (low, high): (UInt64, UInt64) = (0, 0)
        let bytes = characters.bytes
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
        (self.low, self.high) = (low, high)
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte - 64) & 1 == 1
    }

    func contains(all bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where !contains(bytes[index]) { return false }
        return true
    }

    /// `tchar`: what methods and field names are made of.
    static let token = CharacterClass(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    /// What a path or query may hold: unreserved, percent, sub-delims, `:@/?` (RFC 3986 sections 3.3 and 3.4), and the
    /// characters `[ ] | ^ { } " < > \ `` ` that some clients leave unescaped in queries are not among them.
    static let target = CharacterClass(
        "-._~%!$&'()*+,;=:@/?0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    /// `reg-name` (RFC 3986 section 3.2.2): unreserved, percent, sub-delims.
    static let name = CharacterClass(
        "-._~%!$&'()*+,;=0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
