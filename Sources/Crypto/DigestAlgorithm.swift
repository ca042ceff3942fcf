import COpenSSL

/// The hash functions that the vendors' protocols are built on.
package enum DigestAlgorithm: Sendable {
    /// Not for security: collisions are made in seconds. Only where a vendor's protocol prescribes it, as Qiniu's CDN does.
    case md5
    /// Only inside HMAC, where its collisions do not matter: Qiniu and OSS V1 prescribe it.
    case sha1
    case sha256

    /// Bytes of a digest.
    package var length: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        }
    }

    /// Bytes of the block that HMAC pads its key to (RFC 2104); 64 for all of these.
    var blockLength: Int { 64 }

    // Unsafe: OpenSSL never changes a fetched algorithm, and never frees it while the process runs.
    /// OpenSSL's own, looked up once: to look it up for every digest would cost more than a short digest does.
    var implementation: OpaquePointer? {
        switch self {
        case .md5: unsafe Implementations.md5
        case .sha1: unsafe Implementations.sha1
        case .sha256: unsafe Implementations.sha256
        }
    }
}

private enum Implementations {
    // Unsafe: OpenSSL never changes a fetched algorithm, and counts its references atomically.
    nonisolated(unsafe) static let md5 = unsafe EVP_MD_fetch(nil, "MD5", nil)
    nonisolated(unsafe) static let sha1 = unsafe EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) static let sha256 = unsafe EVP_MD_fetch(nil, "SHA256", nil)
}
