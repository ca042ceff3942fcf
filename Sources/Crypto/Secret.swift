import COpenSSL

/// Bytes that must not be seen: a vendor's secret key or an API key.
///
/// They are wiped when the last holder lets go, and neither printing, dumping, coding nor `==` gets at them.
package final class Secret: @unchecked Sendable {
    // Never written after init, so sharing it between threads is safe.
    private let storage: UnsafeMutableRawBufferPointer

    /// Takes a copy; the caller still owns, and should forget, the original.
    package init(_ bytes: Span<UInt8>) {
        storage = .allocate(byteCount: bytes.count, alignment: 1)
        bytes.withUnsafeBytes { storage.copyMemory(from: $0) }
    }

    package convenience init(_ bytes: [UInt8]) { self.init(bytes.span) }

    deinit {
        OPENSSL_cleanse(storage.baseAddress, storage.count)
        storage.deallocate()
    }

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
