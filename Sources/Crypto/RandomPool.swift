import COpenSSL

/// Random bytes in small portions, taken from OpenSSL in large ones; each byte is given out once and forgotten.
package struct RandomPool: ~Copyable {
    private var bytes = [UInt8](repeating: 0, count: 4096)
    /// All are given out.
    private var next = 4096

    package init() {}

    /// Sixteen bytes: as many as a UUID or a request's identifier needs.
    package mutating func draw() throws(CryptoError) -> InlineArray<16, UInt8> {
        if bytes.count - next < 16 {
            try SecureRandom.fill(&bytes)
            next = 0
        }
        var drawn = InlineArray<16, UInt8>(repeating: 0)
        let start = next
        next += 16
        var room = bytes.mutableSpan
        for index in 0..<16 {
            drawn[index] = room[start + index]
            room[start + index] = 0
        }
        return drawn
    }
}
