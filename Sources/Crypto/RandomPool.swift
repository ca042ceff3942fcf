import COpenSSL

/// Random bytes in small portions, taken from OpenSSL in large ones; each byte is given out once and forgotten.
package struct RandomPool: ~Copyable {
    private var bytes: [UInt8] = []
    private var next = 0

    package init() {}

    /// Sixteen bytes: as many as a UUID or a request's identifier needs.
    package mutating func draw() throws(CryptoError) -> InlineArray<16, UInt8> {
        if bytes.count - next < 16 {
            bytes = try SecureRandom.bytes(4096)
            next = 0
        }
        var drawn = InlineArray<16, UInt8>(repeating: 0)
        for index in 0..<16 {
            drawn[index] = bytes[next + index]
            bytes[next + index] = 0
        }
        next += 16
        return drawn
    }
}
