import COpenSSL

/// What is spoken over TLS (RFC 7301): HTTP/1.1, and nothing else.
enum ALPN {
    // OpenSSL gets a place in it, so it must never move.
    private nonisolated(unsafe) static let http11: UnsafeMutableBufferPointer<UInt8> = {
        let name = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 8)
        _ = name.initialize(from: "http/1.1".utf8)
        return name
    }()

    /// OpenSSL's callback.
    /// - Parameter offered: the client's names, each behind its length.
    static func choose(
        _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt8>?,
        _ offered: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        var rest = offered[...]
        while let count = rest.popFirst(), Int(count) <= rest.count {
            guard !rest.prefix(Int(count)).elementsEqual(http11) else {
                chosen?.pointee = UnsafePointer(http11.baseAddress)
                length?.pointee = UInt8(http11.count)
                return SSL_TLSEXT_ERR_OK
            }
            rest = rest.dropFirst(Int(count))
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
}
