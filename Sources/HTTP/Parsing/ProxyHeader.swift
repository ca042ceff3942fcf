import Bytes

/// What a proxy tells of a connection before anything else: the PROXY protocol, version 1 or 2
/// (haproxy.org/download/3.0/doc/proxy-protocol.txt).
package enum ProxyHeader {
    package enum Reading: Equatable {
        /// More bytes are needed; all that there are belong to it.
        case incomplete
        case malformed
        /// - Parameters:
        ///   - length: its bytes.
        ///   - client: nil when the proxy speaks for itself, or for a client without an address. `0.0.0.0` and `::`, which no
        ///     client has, are addresses like others, so that clients that are named so count as one.
        case complete(length: Int, client: ClientAddress?)
    }

    /// Version 1 is a line of 107 bytes at most. Of version 2 as much is read as any proxy adds to the addresses.
    package static let longest = 4096

    private static let words = Array("PROXY ".utf8)
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10] + Array("QUIT\n".utf8)

    package static func read(_ bytes: Span<UInt8>) -> Reading {
        guard bytes.count > 0 else { return .incomplete }
        return bytes[0] == UInt8(ascii: "P") ? readText(bytes) : readBinary(bytes)
    }

    // MARK: Version 1

    private static func readText(_ bytes: Span<UInt8>) -> Reading {
        guard let feed = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            return isBeginning(bytes, of: words) && bytes.count < 107 ? .incomplete : .malformed
        }
        guard feed < 107, feed > 6, isBeginning(bytes, of: words), bytes[feed - 1] == UInt8(ascii: "\r") else {
            return .malformed
        }
        let words = bytes.extracting(6..<feed - 1)
        let space = UInt8(ascii: " ")
        let family = words.extracting(0..<(words.firstIndex(of: space) ?? words.count))
        if family.equals("UNKNOWN") { return .complete(length: feed + 1, client: nil) }
        var ends = InlineArray<4, Int>(repeating: family.count)
        for index in 1..<4 {
            guard ends[index - 1] < words.count,
                let end = words.firstIndex(of: space, from: ends[index - 1] + 1)
            else { return .malformed }
            ends[index] = end
        }
        let isV6 = family.equals("TCP6")
        guard isV6 || family.equals("TCP4"),
            let source = IPAddress(words.extracting(ends[0] + 1..<ends[1])), source.isV6 == isV6,
            let target = IPAddress(words.extracting(ends[1] + 1..<ends[2])), target.isV6 == isV6,
            Decimal.parse(words.extracting(ends[2] + 1..<ends[3]), maximum: 65535) != nil,
            Decimal.parse(words.extracting(ends[3] + 1..<words.count), maximum: 65535) != nil
        else { return .malformed }
        return .complete(length: feed + 1, client: ClientAddress(source))
    }

    // MARK: Version 2

    private static func readBinary(_ bytes: Span<UInt8>) -> Reading {
        guard isBeginning(bytes, of: signature) else { return .malformed }
        guard bytes.count >= 16 else { return .incomplete }
        let length = 16 + (Int(bytes[14]) << 8 | Int(bytes[15]))
        guard length <= longest else { return .malformed }
        let client: ClientAddress?
        switch (bytes[12], bytes[13]) {
        // LOCAL: the proxy's own connection, to see whether anybody is there. What it tells is skipped.
        case (0x20, _): client = nil
        // No client that has an address, or one at a Unix socket.
        case (0x21, 0x00), (0x21, 0x31): client = nil
        case (0x21, 0x11):
            guard length >= 16 + 12 else { return .malformed }
            guard bytes.count >= 20 else { return .incomplete }
            client = address(of: bytes.extracting(16..<20))
        case (0x21, 0x21):
            guard length >= 16 + 36 else { return .malformed }
            guard bytes.count >= 32 else { return .incomplete }
            client = address(of: bytes.extracting(16..<32))
        default: return .malformed
        }
        return bytes.count >= length ? .complete(length: length, client: client) : .incomplete
    }

    /// - Parameter bytes: four of IPv4, or sixteen of IPv6.
    private static func address(of bytes: Span<UInt8>) -> ClientAddress {
        var address = InlineArray<16, UInt8>(repeating: 0)
        if bytes.count == 4 { (address[10], address[11]) = (0xFF, 0xFF) }
        for index in bytes.indices { address[16 - bytes.count + index] = bytes[index] }
        return ClientAddress(address)
    }

    /// Whether, as far as they go, the bytes begin as `start` does.
    private static func isBeginning(_ bytes: Span<UInt8>, of start: [UInt8]) -> Bool {
        let count = min(bytes.count, start.count)
        return start.span.extracting(0..<count).equals(bytes.extracting(0..<count))
    }
}
