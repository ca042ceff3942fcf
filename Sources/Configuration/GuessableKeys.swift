import Bytes
import Crypto

/// API keys that somebody who has never seen the configuration would try: their digests are refused.
enum GuessableKeys {
    /// What such a key is, to say so without the key itself.
    enum Kind {
        case empty, sample, common

        var text: String {
            switch self {
            case .empty: "the empty text, which anybody can send"
            case .sample: "a sample key of the documentation, which everybody can read"
            case .common: "one of the thousand commonest passwords, which everybody tries first"
            }
        }
    }

    /// The keys of which the documentation shows the digest.
    private static let samples = ["test"]

    /// Which of some digests are those of guessable keys: about a thousand SHA-256, and none where there are no digests.
    /// - Parameter digests: SHA-256 of API keys.
    static func find(among digests: Set<[UInt8]>) throws(CryptoError) -> [[UInt8]: Kind] {
        guard !digests.isEmpty else { return [:] }
        var found: [[UInt8]: Kind] = [:]
        func look(_ key: [UInt8], _ kind: Kind) throws(CryptoError) {
            let digest = try Digest(.sha256, of: key.span).bytes.array
            if digests.contains(digest), found[digest] == nil { found[digest] = kind }
        }
        try look([], .empty)
        for key in samples { try look(Array(key.utf8), .sample) }
        for key in CommonPasswords.text.utf8.split(whereSeparator: {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n")
        }) {
            try look(Array(key), .common)
        }
        return found
    }
}
