import Bytes
import Crypto

/// The tokens and tickets that were accepted lately, by their SHA-256, up to a fixed number; and the keys that were fetched to check
/// them. Each event loop of a configuration has its own.
package struct CredentialCache: ~Copyable {
    /// A token or a ticket that was accepted, and its caller.
    package struct Entry: Sendable {
        let digest: Digest
        let caller: Caller
        /// Nil for a ticket.
        let token: Token?
        /// When it was looked at last, in looks.
        var lastLook = 0
    }

    /// What is remembered of a token alone.
    struct Token {
        /// The index of its issuer.
        let issuer: Int
        let validity: JWTValidity
    }

    /// The keys of an issuer as they were fetched last.
    struct FetchedKeys {
        let keys: JWTKeySet
        /// How long tokens may be believed by them, in seconds since 1970.
        let until: Int64

        func isCurrent(at now: Int64) -> Bool { now < until }
    }

    /// How many slots share what a digest begins with: the one that was not looked at for longest gives way.
    private static let ways = 4
    private var entries: [Entry?]
    private let sets: Int
    private var looks = 0
    /// By the issuer's index; nil for those whose keys are configured, or have not come.
    private var fetched: [FetchedKeys?] = []

    /// - Parameter capacity: how many are remembered; rounded up to a multiple of four.
    package init(capacity: Int) {
        sets = max(0, capacity + CredentialCache.ways - 1) / CredentialCache.ways
        entries = Array(repeating: nil, count: sets * CredentialCache.ways)
    }

    // MARK: Keys

    /// The keys of an issuer have been fetched.
    /// - Parameters:
    ///   - areOther: whether they may be other ones than before, so that its tokens are to be checked anew.
    ///   - until: how long they may be used, in seconds since 1970.
    package mutating func take(_ keys: JWTKeySet, of issuer: Int, areOther: Bool, until: Int64) {
        while fetched.count <= issuer { fetched.append(nil) }
        fetched[issuer] = FetchedKeys(keys: keys, until: until)
        guard areOther else { return }
        for slot in entries.indices where entries[slot]?.token?.issuer == issuer { entries[slot] = nil }
    }

    /// The keys that were fetched of an issuer, which may be too old; nil where there are none.
    func keys(of issuer: Int) -> FetchedKeys? { fetched.indices.contains(issuer) ? fetched[issuer] : nil }

    // MARK: Tokens and tickets

    /// How many are remembered.
    var count: Int { entries.count { $0 != nil } }

    /// What is remembered of the token or ticket of this digest.
    mutating func find(_ digest: Digest) -> Entry? {
        for slot in slots(of: digest) {
            guard let entry = entries[slot], entry.digest.constantTimeEquals(digest) else { continue }
            looks += 1
            entries[slot]?.lastLook = looks
            return entry
        }
        return nil
    }

    /// A ticket takes no token's slot: many tickets may be made by one caller, and a token costs more to check again.
    mutating func remember(_ entry: Entry) {
        looks += 1
        let oldest = slots(of: entry.digest).filter { entry.token != nil || entries[$0]?.token == nil }
            .min { lastLook(at: $0) < lastLook(at: $1) }
        guard let oldest else { return }
        entries[oldest] = entry
        entries[oldest]?.lastLook = looks
    }

    private func lastLook(at slot: Int) -> Int { entries[slot]?.lastLook ?? -1 }

    private func slots(of digest: Digest) -> Range<Int> {
        guard sets > 0 else { return 0..<0 }
        let start = Int(digest.prefix % UInt64(sets)) * CredentialCache.ways
        return start..<start + CredentialCache.ways
    }
}
