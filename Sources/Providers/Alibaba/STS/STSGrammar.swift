import Bytes

/// What STS takes for a name. All of it is ASCII.
enum STSGrammar {
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
