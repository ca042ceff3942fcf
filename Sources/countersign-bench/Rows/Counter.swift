import COpenSSL

/// What is known beforehand, so that the counting itself can be trusted; and what calling an operation costs by itself.
extension Chapter {
    private final class Thing {}

    static let counter = Chapter(rows: [
        Row("counter: nothing") { _ in {} },
        Row("counter: one object") { bench in { bench.object = Thing() } },
        Row("counter: three buffers of 100 bytes") { _ in
            // Unsafe: allocations to count, freed at once and never written to.
            { for _ in 0..<3 { UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 16).deallocate() } }
        },
        Row("counter: two contexts of OpenSSL") { _ in
            { for _ in 0..<2 { EVP_MD_CTX_free(EVP_MD_CTX_new()) } }
        },
    ])
}
