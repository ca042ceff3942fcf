import Bytes
import COpenSSL

/// Bytes that must not be seen: a vendor's secret key or an API key.
///
/// They are wiped when the last holder lets go, and neither printing, dumping, coding nor `==` gets at them. Where the process
/// has prepared it (`lockMemory`) and as far as it goes, they are in memory that is never swapped out.
@safe package final class Secret: @unchecked Sendable {
    // Unsafe: memory of its own, freed by deinit and lent within calls; never written after init, so threads may share it.
    private let storage: UnsafeMutableRawBufferPointer
    /// Whether that is memory of OpenSSL's secure heap.
    private let isLocked: Bool

    /// Takes a copy; the caller still owns, and should forget, the original.
    package init(_ bytes: Span<UInt8>) {
        let locked =
            unsafe CRYPTO_secure_malloc_initialized() == 1 ? CRYPTO_secure_malloc(max(1, bytes.count), nil, 0) : nil
        isLocked = unsafe locked != nil
        unsafe storage =
            unsafe locked.map { unsafe UnsafeMutableRawBufferPointer(start: $0, count: bytes.count) }
            ?? .allocate(byteCount: bytes.count, alignment: 1)
        unsafe bytes.withUnsafeBytes { unsafe storage.copyMemory(from: $0) }
    }

    package convenience init(_ bytes: [UInt8]) { self.init(bytes.span) }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        if isLocked { unsafe CRYPTO_secure_free(storage.baseAddress, nil, 0) } else { unsafe storage.deallocate() }
    }

    /// Sets memory aside for secrets that are made from now on: between pages that nobody may touch, never in a dump, and locked as
    /// far as the system lets the process lock any. What does not fit is kept as before.
    ///
    /// OpenSSL must not give that memory back when the process exits: other threads may still let go of secrets then.
    package static func lockMemory() {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        CRYPTO_secure_malloc_init(1 << 20, 32)
    }

    package var count: Int { unsafe storage.count }

    /// Compares without telling by its duration where the first difference is; the lengths are not secret.
    package func constantTimeEquals(_ other: Secret) -> Bool {
        unsafe count == other.count && CRYPTO_memcmp(storage.baseAddress, other.storage.baseAddress, count) == 0
    }

    /// Writes the bytes into the answer for a client whose own temporary key they are, or to a server whose password they are. Nothing
    /// else may call this: a test of the architecture names the files that do.
    package func reveal(into out: inout ByteWriter) {
        unsafe withBytes { unsafe out.append(Span(_unsafeBytes: $0)) }
    }

    /// Lends the bytes to a computation inside this room.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe body(UnsafeRawBufferPointer(storage))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
