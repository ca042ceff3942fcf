import COpenSSL

/// What is spoken over TLS (RFC 7301): HTTP/1.1, and nothing else.
enum ALPN {
    // Unsafe: OpenSSL gets a pointer into it, so it must never move; it is written once, and never freed.
    private nonisolated(unsafe) static let http11: UnsafeMutableBufferPointer<UInt8> = {
        let name = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 8)
        _ = unsafe name.initialize(from: "http/1.1".utf8)
        return unsafe name
    }()

    /// OpenSSL's callback, whose pointers are good while it runs.
    /// - Parameter offered: the client's names, each behind its length.
    static func choose(
        _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt8>?,
        _ offered: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        var rest = unsafe offered[...]
        while let count = unsafe rest.popFirst(), unsafe Int(count) <= rest.count {
            guard unsafe !rest.prefix(Int(count)).elementsEqual(http11) else {
                unsafe chosen?.pointee = unsafe UnsafePointer(http11.baseAddress)
                unsafe length?.pointee = unsafe UInt8(http11.count)
                return SSL_TLSEXT_ERR_OK
            }
            unsafe rest = rest.dropFirst(Int(count))
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
}
