import Bytes

/// What STS takes for a name, and what may be believed of its answers. All of it is ASCII.
enum STSGrammar {
    /// Whether `text` is visible ASCII that stands in a JSON string, a header or a log as it is.
    static func isPlain(_ text: [UInt8], length: ClosedRange<Int>) -> Bool {
        plainBytes.contains(all: text, length: length)
    }

    private static let plainBytes = ByteSet(0x21...0x7E).subtracting(ByteSet("\"\\"))

    /// The name of a RAM role.
    static func isRoleName(_ text: [UInt8]) -> Bool { ByteSet.dottedWord.contains(all: text, length: 1...64) }

    /// `acs:ram::<account>:<kind>/<name>`.
    static func isARN(_ text: [UInt8], _ kind: StaticString) -> Bool {
        let start = StaticString("acs:ram::").array
        let middle = [UInt8(ascii: ":")] + kind.array + [UInt8(ascii: "/")]
        guard text.starts(with: start) else { return false }
        let account = text.dropFirst(start.count).prefix { $0.isDigit }
        let rest = text.dropFirst(start.count + account.count)
        return (1...32).contains(account.count) && rest.starts(with: middle)
            && ByteSet.dottedWord.contains(all: rest.dropFirst(middle.count), length: 1...128)
    }
}
