import Bytes
import Crypto

/// Kodo's hash of a content, which it tells as `hash` and `etag`: the SHA-1 of up to 4 MiB, or of the SHA-1s of all blocks of
/// 4 MiB, with a byte before it that says which, in url-safe base64 (github.com/qiniu/qetag).
struct KodoHash {
    static let blockLength = 4 << 20
    private static let oneBlock: UInt8 = 0x16
    private static let manyBlocks: UInt8 = 0x96

    private let block: RunningDigest
    private var filled = 0
    /// Digests of the blocks that are full.
    private var digests: [UInt8] = []

    init() throws(CryptoError) { block = try RunningDigest(.sha1) }

    mutating func update(_ bytes: [UInt8]) throws(CryptoError) {
        var start = 0
        while start < bytes.count {
            if filled == KodoHash.blockLength { try endBlock() }
            let count = min(bytes.count - start, KodoHash.blockLength - filled)
            try block.update(bytes.span.extracting(start..<start + count))
            filled += count
            start += count
        }
    }

    /// The hash of all that came.
    mutating func finish() throws(CryptoError) -> [UInt8] {
        if filled > 0 || digests.isEmpty { try endBlock() }
        let isOne = digests.count == DigestAlgorithm.sha1.length
        let digest = isOne ? digests : try Digest(.sha1, of: digests.span).bytes.array
        return Base64.urlSafe.encode([isOne ? KodoHash.oneBlock : KodoHash.manyBlocks] + digest)
    }

    private mutating func endBlock() throws(CryptoError) {
        digests += try block.finish().bytes.array
        filled = 0
    }

    /// The hash of a content that is there.
    static func of(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        var hash = try KodoHash()
        try hash.update(bytes)
        return try hash.finish()
    }
}
