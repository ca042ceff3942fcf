import Crypto

/// Keys and secrets that an attacker would find by guessing.
extension Compiler {
    func refuseGuessable(_ keyDigests: [(path: String, digest: [UInt8])], _ digests: Set<[UInt8]>) {
        let guessable: [[UInt8]: GuessableKeys.Kind]
        do throws(CryptoError) { guessable = try GuessableKeys.find(among: digests) } catch {
            if let first = keyDigests.first { reader.report(first.path, "cannot be checked: \(error)") }
            return
        }
        for (path, digest) in keyDigests {
            guard let kind = guessable[digest] else { continue }
            reader.report(
                path, "is the digest of \(kind.text); `countersign hash-key` makes a key that nobody can guess")
        }
    }

    /// Reports a secret that the operator has made, where it is too short, or not made at random.
    func checkStrength(of secret: Secret, atLeast length: Int, _ path: String) {
        if secret.count < length {
            reader.report(path, "must have at least \(length) bytes (R10)")
        } else if let kind = GuessableKeys.kind(of: secret) {
            reader.report(
                path, "is made of \(kind.text) (R10); take 32 random bytes, such as `openssl rand -hex 32` makes")
        }
    }
}
