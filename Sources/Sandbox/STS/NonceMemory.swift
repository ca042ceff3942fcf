import Bytes
import Crypto

/// Which nonces have been used, for as long as a request with one of them could be sent again. It holds so many and no
/// more: when all of them still matter, nothing is forgotten, and new ones are refused.
struct NonceMemory {
    enum Verdict: Equatable { case fresh, used, full }

    /// The first sixteen bytes of a digest over key and nonce: as long as no two nonces share it, all are told apart.
    private struct NonceDigest: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private let capacity: Int
    /// The last second at which each could be used again.
    private var ends: [NonceDigest: Int64] = [:]
    private var sweptAt = Int64.min

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { ends.count }

    /// Remembers a nonce.
    /// - Parameters:
    ///   - accessKeyID: whose it is; two callers may use the same one.
    ///   - end: the last second at which a request with this nonce, and its time, would be accepted.
    mutating func take(
        _ nonce: [UInt8], of accessKeyID: [UInt8], until end: Int64, at now: Int64
    ) throws(CryptoError) -> Verdict {
        let mark = try NonceMemory.mark(accessKeyID, nonce)
        if let known = ends[mark], known >= now { return .used }
        if ends.count >= capacity, ends[mark] == nil {
            // Once a second is enough: nothing ends in between.
            if sweptAt != now {
                ends = ends.filter { $0.value >= now }
                sweptAt = now
            }
            guard ends.count < capacity else { return .full }
        }
        ends[mark] = end
        return .fresh
    }

    private static func mark(_ accessKeyID: [UInt8], _ nonce: [UInt8]) throws(CryptoError) -> NonceDigest {
        // The identifier comes with its length, so that no two pairs give the same text.
        let text = Array("\(accessKeyID.count):".utf8) + accessKeyID + nonce
        let digest = try Digest(.sha256, of: text.span).bytes.array
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return NonceDigest(high: number(digest[..<8]), low: number(digest[8..<16]))
    }
}
