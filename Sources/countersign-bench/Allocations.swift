import CAllocations
import COpenSSL

/// What a stretch of the program has asked the allocator for.
struct Allocations {
    /// How often memory was asked for; to make a block larger counts, too.
    private(set) var count: UInt64
    private(set) var bytes: UInt64

    private init(_ raw: ca_count) {
        count = raw.allocations
        bytes = raw.bytes
    }

    /// What this thread has asked for since it began, but for what OpenSSL did.
    static var program: Allocations { Allocations(ca_program()) }
    /// What OpenSSL has asked for in this thread.
    static var openSSL: Allocations { Allocations(ca_openssl()) }

    static func - (later: Allocations, earlier: Allocations) -> Allocations {
        var difference = later
        difference.count -= earlier.count
        difference.bytes -= earlier.bytes
        return difference
    }

    /// Has OpenSSL's allocations counted by themselves; to be called before it is used.
    static func separateOpenSSL() { CRYPTO_set_mem_functions(ca_openssl_malloc, ca_openssl_realloc, ca_openssl_free) }

    /// Whether allocations are counted here. It is tried out, since a count that stands still looks like perfection.
    static let areCounted: Bool = {
        guard ca_is_counting() != 0 else { return false }
        let (program, openSSL) = (Allocations.program, Allocations.openSSL)
        // Unsafe: an allocation to count, freed at once and never written to.
        for _ in 0..<3 { UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 16).deallocate() }
        EVP_MD_CTX_free(EVP_MD_CTX_new())
        let own = Allocations.program - program
        return own.count == 3 && own.bytes == 300 && (Allocations.openSSL - openSSL).count == 1
    }()
}
