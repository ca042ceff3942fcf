import Access
import Bytes
import Crypto

/// Keys and secrets that an attacker would find by guessing.
extension Compiler {
    /// - Parameters:
    ///   - keyDigests: with the index of each in the list of keys.
    ///   - path: the list's.
    func refuseGuessable(
        _ keyDigests: [(index: Int, digest: [UInt8])], _ digests: Set<[UInt8]>, _ path: String
    ) {
        func keyPath(_ index: Int) -> String { path.element(index) + ".sha256" }
        let guessable: [[UInt8]: GuessableKeys.Kind]
        do throws(CryptoError) { guessable = try GuessableKeys.find(among: digests) } catch {
            if let first = keyDigests.first { reader.report(keyPath(first.index), "cannot be checked: \(error)") }
            return
        }
        for (index, digest) in keyDigests {
            guard let kind = guessable[digest] else { continue }
            reader.report(
                keyPath(index),
                "is the digest of \(kind.text); `countersign make-key` makes a key that nobody can guess")
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

    /// Reports samples of the documentation that were not replaced, if the service listens for other machines.
    func refuseSamples(
        _ credentials: [Configuration.Credential], _ grants: [Grant], listening addresses: [ListenAddress]
    ) {
        guard addresses.contains(where: { !$0.isLocal }) else { return }
        let means = "is a sample of the documentation, and the service listens beyond this machine; put your own here"
        for credential in credentials where !credential.isSandbox {
            let path = "credentials".member(Array(text: credential.name))
            guard let key = credential.key else { continue }
            if SampleValues.isKey(key.accessKey) { reader.report(path + ".accessKey", means) }
            if SampleValues.secretKeys.contains(where: { key.secret.constantTimeEquals($0) }) {
                reader.report(path + ".secretKey", means)
            }
        }
        for grant in grants {
            guard case .named(let bucket) = grant.resources.bucket, bucket.elementsEqual(SampleValues.bucket.utf8)
            else {
                continue
            }
            reader.report("grants".member(grant.name) + ".bucket", means)
        }
    }
}

/// What samples of the documentation have where an operator puts something else.
private enum SampleValues {
    static let bucket = "examplebucket"
    static let secretKeys = ["YOUR-SECRET-KEY", "YOUR-SECRET"].map { Secret(Array($0.utf8)) }

    static func isKey(_ text: [UInt8]) -> Bool { text.starts(with: "YOUR-".utf8) }
}
