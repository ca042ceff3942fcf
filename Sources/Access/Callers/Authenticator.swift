import Bytes
import Crypto

/// Finds out who asks from what a request presents (R8).
package struct Authenticator: Sendable {
    /// An API key as the configuration has it.
    package struct APIKey: Sendable {
        package let id: [UInt8]
        /// SHA-256 of the key.
        package let digest: Digest
        /// When it ends, in seconds since 1970.
        package let notAfter: Int64?

        package init(id: [UInt8], digest: Digest, notAfter: Int64?) {
            self.id = id
            self.digest = digest
            self.notAfter = notAfter
        }
    }

    package enum Finding {
        case caller(Caller)
        /// Not to be served; the reason does not tell whether a key exists.
        case refused(StaticString)
    }

    /// Nobody in particular.
    package let anonymous: Caller
    /// Every caller there can be: `anonymous`, then one for each identity.
    let callers: [Caller]
    private let keys: [(prefix: UInt64, digest: Digest, caller: Caller)]

    /// The longest API key that is looked at, in bytes.
    static let maximumKeyLength = 512

    /// - Parameter denied: the principals of the deny list.
    package init(apiKeys: [APIKey], denied: Set<Principal>) {
        anonymous = Caller(.anonymous, index: 0)
        var callers = [anonymous]
        var keys: [(prefix: UInt64, digest: Digest, caller: Caller)] = []
        // Several keys of one identity share its grants, hence its index.
        var indices: [[UInt8]: Int] = [:]
        for key in apiKeys {
            let principal = Principal(.apiKey, id: key.id, subject: key.id)
            let index = indices[key.id] ?? callers.count
            let caller = Caller(
                principal, index: index, endsAt: key.notAfter, isDenied: denied.contains(principal))
            if indices.updateValue(index, forKey: key.id) == nil { callers.append(caller) }
            keys.append((Authenticator.prefix(of: key.digest), key.digest, caller))
        }
        self.callers = callers
        self.keys = keys.sorted { $0.prefix < $1.prefix }
    }

    /// - Parameters:
    ///   - authorization: the value of the Authorization field, nil when there is none.
    ///   - apiKey: the value of the X-API-Key field, nil when there is none.
    ///   - now: seconds since 1970.
    package func identify(authorization: Span<UInt8>?, apiKey: Span<UInt8>?, at now: Int64) -> Finding {
        if let authorization {
            guard apiKey == nil else { return .refused("present one credential, not two") }
            guard authorization.count > 7, authorization.extracting(0..<7).equals(ignoringCase: "bearer ") else {
                return .refused("the Authorization scheme must be Bearer")
            }
            return find(authorization.extracting(7..<authorization.count), at: now)
        }
        if let apiKey { return find(apiKey, at: now) }
        return .caller(anonymous)
    }

    /// Whether there is anybody whom one of `selectors` admits.
    package func knows(anyOf selectors: [CallerSelector]) -> Bool {
        callers.contains { caller in selectors.contains { $0.admits(caller.principal) } }
    }

    private static let refusal: StaticString = "the API key is not valid"

    private func find(_ key: Span<UInt8>, at now: Int64) -> Finding {
        guard !key.isEmpty, key.count <= Authenticator.maximumKeyLength else { return .refused(Authenticator.refusal) }
        let digest: Digest
        do throws(CryptoError) { digest = try Digest(.sha256, of: key) } catch {
            return .refused("no key can be checked now")
        }
        // The key has 256 random bits, so where its digest sorts tells nothing that helps to guess it; the digests
        // themselves are compared in constant time.
        let prefix = Authenticator.prefix(of: digest)
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].prefix < prefix { low = middle + 1 } else { high = middle }
        }
        while low < keys.count, keys[low].prefix == prefix {
            if keys[low].digest.constantTimeEquals(digest) {
                let caller = keys[low].caller
                if let end = caller.endsAt, now >= end { return .refused(Authenticator.refusal) }
                return .caller(caller)
            }
            low += 1
        }
        return .refused(Authenticator.refusal)
    }

    private static func prefix(of digest: Digest) -> UInt64 {
        var prefix: UInt64 = 0
        for index in 0..<8 { prefix = prefix << 8 | UInt64(digest.bytes[index]) }
        return prefix
    }
}
