import COpenSSL

/// Bytes that must not be seen: a vendor's secret key or an API key.
///
/// They are wiped when the last holder lets go, and neither printing, dumping, coding nor `==` gets at them. Where the process
/// has prepared it (`lockMemory`) and as far as it goes, they are in memory that is never swapped out.
package final class Secret: @unchecked Sendable {
    // Never written after init, so sharing it between threads is safe.
    private let storage: UnsafeMutableRawBufferPointer
    /// Whether that is memory of OpenSSL's secure heap.
    private let isLocked: Bool

    /// Takes a copy; the caller still owns, and should forget, the original.
    package init(_ bytes: Span<UInt8>) {
        let locked = CRYPTO_secure_malloc_initialized() == 1 ? CRYPTO_secure_malloc(max(1, bytes.count), nil, 0) : nil
        isLocked = locked != nil
        storage =
            locked.map { UnsafeMutableRawBufferPointer(start: $0, count: bytes.count) }
            ?? .allocate(byteCount: bytes.count, alignment: 1)
        bytes.withUnsafeBytes { storage.copyMemory(from: $0) }
    }

    package convenience init(_ bytes: [UInt8]) { self.init(bytes.span) }

    deinit {
        OPENSSL_cleanse(storage.baseAddress, storage.count)
        if isLocked { CRYPTO_secure_free(storage.baseAddress, nil, 0) } else { storage.deallocate() }
    }

    /// Sets memory aside for secrets that are made from now on: between pages that nobody may touch, never in a dump, and locked as
    /// far as the system lets the process lock any. What does not fit is kept as before.
    package static func lockMemory() { CRYPTO_secure_malloc_init(1 << 20, 32) }

    package var count: Int { storage.count }

    /// Compares without telling by its duration where the first difference is; the lengths are not secret.
    package func constantTimeEquals(_ other: Secret) -> Bool {
        count == other.count && CRYPTO_memcmp(storage.baseAddress, other.storage.baseAddress, count) == 0
    }

    /// Lends the bytes to a computation inside this room.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(storage))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
