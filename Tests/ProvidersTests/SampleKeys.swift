import TestTraits

/// Object keys as callers come up with them.
enum SampleKeys {
    private static let scalars: [[Unicode.Scalar]] = [
        Array("abcxyzABCXYZ0189".unicodeScalars), Array("-._~/+%*'\"& =?#;:@$()!,|\\^`<>[]{}".unicodeScalars),
        Array("éßñЖ中文空格图片e\u{301}\u{2028}\u{FEFF}\u{200D}𝒳🦊🇨🇳".unicodeScalars), Array("%2F%25%20+ ~".unicodeScalars),
    ]

    /// Different keys of 1 to 750 bytes, or to as many as said; half of them short, some of them spelled alike.
    /// - Parameter count: how many there are in `scripts/check-all`, and ten times as many as in `scripts/test`; those that are spelled
    ///   alike come on top.
    static func many(_ count: Int, seed: UInt64, upTo longest: Int = 750) -> [[UInt8]] {
        var random = SplitMix64(seed: seed)
        var keys: [[UInt8]] = []
        var known: Set<[UInt8]> = []
        for _ in 0..<Rounds.share(of: count) {
            let key = one(upTo: longest, using: &random)
            for other in [key] + likes(of: key)
            where (1...longest).contains(other.count) && known.insert(other).inserted {
                keys.append(other)
            }
        }
        return keys
    }

    private static func one(upTo longest: Int, using random: inout SplitMix64) -> [UInt8] {
        let length = Int.random(in: 1...(Bool.random(using: &random) ? 20 : longest), using: &random)
        var text = String.UnicodeScalarView()
        var bytes = 0
        while bytes < length {
            let pool = scalars[Int.random(in: 0..<scalars.count, using: &random)]
            let scalar = pool[Int.random(in: 0..<pool.count, using: &random)]
            // What ends up too long by a scalar's bytes is filled with one-byte letters.
            let next = bytes + scalar.utf8.count > length ? "x" : scalar
            text.append(next)
            bytes += next.utf8.count
        }
        return Array(String(text).utf8)
    }

    /// Keys that a sloppy reader would take for the same.
    private static func likes(of key: [UInt8]) -> [[UInt8]] {
        let text = String(decoding: key, as: UTF8.self)
        return [
            text + "/", "/" + text, text + "?", text + "%20", text.replacing(" ", with: "+"),
            text.replacing("+", with: "%2B"), text.replacing("/", with: "%2F"), text.replacing("//", with: "/"),
            text.replacing("~", with: "%7E"), text.replacing("%2F", with: "/"), text.replacing("é", with: "e\u{301}"),
            text.uppercased(), text.lowercased(),
        ].map { Array($0.utf8) }
    }
}
