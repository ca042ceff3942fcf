/// A numeric IPv4 or IPv6 address.
package struct IPAddress: Sendable, Equatable {
    package let isV6: Bool
    /// The address as a number of 128 bits; an IPv4 address is the last 32.
    private let high, low: UInt64

    private init(isV6: Bool, high: UInt64 = 0, low: UInt64) {
        self.isV6 = isV6
        self.high = high
        self.low = low
    }

    /// The address of this number of an IPv6 address; an IPv4 address where that is mapped into it (`mapped`).
    package init(high: UInt64, low: UInt64) {
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        self.init(isV6: !isMapped, high: high, low: isMapped ? low & 0xFFFF_FFFF : low)
    }

    /// Four or sixteen bytes, in network order.
    package var bytes: [UInt8] {
        (isV6 ? 0..<16 : 12..<16).map { (index: Int) -> UInt8 in
            let half: UInt64 = index < 8 ? high : low
            return UInt8(truncatingIfNeeded: half >> UInt64((7 - index & 7) * 8))
        }
    }

    /// The number of an IPv6 address: of an IPv4 address, that of the one that it is mapped into (RFC 4291 section 2.5.5.2).
    package var mapped: (high: UInt64, low: UInt64) { isV6 ? (high, low) : (0, 0xFFFF << 32 | low) }

    /// Whether only this machine has it: 127.0.0.0/8, ::1, and the former within IPv6.
    package var isLoopback: Bool {
        let (high, low) = mapped
        return high == 0 && (low == 1 || low >> 24 == 0xFFFF << 8 | 127)
    }

    /// `0.0.0.0` or `::`: every address of the machine.
    package var isEverything: Bool { high == 0 && low == 0 }

    package init?(_ text: some StringProtocol) { self.init(Array(text.utf8).span) }

    /// Reads `192.0.2.1`, or `2001:db8::1` without brackets (RFC 4291 section 2.2); nil for anything else.
    package init?(_ text: Span<UInt8>) {
        if text.firstIndex(of: UInt8(ascii: ":")) != nil {
            guard let (high, low) = IPAddress.v6(text) else { return nil }
            self.init(isV6: true, high: high, low: low)
        } else {
            guard let number = IPAddress.v4(text) else { return nil }
            self.init(isV6: false, low: number)
        }
    }

    private static func v4(_ text: Span<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        var start = 0
        for part in 0..<4 {
            let end = part == 3 ? text.count : text.firstIndex(of: UInt8(ascii: "."), from: start)
            guard let end, let value = Decimal.parse(text.extracting(start..<end), maximum: 255) else { return nil }
            number = number << 8 | UInt64(value)
            start = end + 1
        }
        return number
    }

    /// Eight groups of up to four hex digits, of which `::` leaves out one or more that are zero; the last two may be written as
    /// an IPv4 address.
    private static func v6(_ text: Span<UInt8>) -> (high: UInt64, low: UInt64)? {
        let colon = UInt8(ascii: ":")
        var groups = InlineArray<8, UInt64>(repeating: 0)
        var (count, start): (Int, Int) = (0, 0)
        var gap: Int?
        if text[0] == colon {
            guard text.count > 1, text[1] == colon else { return nil }
            (gap, start) = (0, 2)
        }
        while start < text.count {
            let end = text.firstIndex(of: colon, from: start) ?? text.count
            let part = text.extracting(start..<end)
            if end == text.count, let tail = v4(part) {
                guard count <= 6 else { return nil }
                (groups[count], groups[count + 1]) = (tail >> 16, tail & 0xFFFF)
                count += 2
                break
            }
            guard count < 8, let group = group(part) else { return nil }
            groups[count] = group
            count += 1
            guard end < text.count else { break }
            start = end + 1
            guard start < text.count else { return nil }
            if text[start] == colon {
                guard gap == nil else { return nil }
                (gap, start) = (count, start + 1)
            }
        }
        guard gap == nil ? count == 8 : count < 8 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in 0..<count {
            let position = index < gap ?? count ? index : index + 8 - count
            let group = groups[index] << UInt64((3 - position & 3) * 16)
            if position < 4 { high |= group } else { low |= group }
        }
        return (high, low)
    }

    private static func group(_ digits: Span<UInt8>) -> UInt64? {
        guard (1...4).contains(digits.count) else { return nil }
        var value: UInt64 = 0
        for index in digits.indices {
            guard let four = Hex.value(of: digits[index]) else { return nil }
            value = value << 4 | UInt64(four)
        }
        return value
    }
}

extension IPAddress {
    /// Writes its description.
    package func write(into out: inout ByteWriter) {
        guard !isV6 else { return out.append(text: description) }
        for index in 0..<4 {
            if index > 0 { out.append(UInt8(ascii: ".")) }
            out.append(decimal: Int64(low >> UInt64(24 - 8 * index) & 0xFF))
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The one spelling that everybody uses (RFC 5952 for IPv6).
    package var description: String {
        let bytes = bytes
        guard isV6 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        // The first of the longest runs of two zero groups or more is left out.
        var run = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || groups[index] != 0 {
            if index - start > max(run.count, 1) { run = start..<index }
            start = index + 1
        }
        func text(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
        return run.isEmpty
            ? text(groups[...]) : "\(text(groups[..<run.lowerBound]))::\(text(groups[run.upperBound...]))"
    }
}

/// An address with a port, as a listener is named: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
package struct HostPort: Sendable, Equatable, CustomStringConvertible {
    package let address: IPAddress
    /// 0 lets the system choose.
    package let port: UInt16
    private let text: String

    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = Decimal.parse(Array(text[text.index(after: colon)...].utf8).span, maximum: 65535)
        else { return nil }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = host == "localhost" ? "127.0.0.1" : isBracketed ? host.dropFirst().dropLast() : host
        guard let address = IPAddress(name), address.isV6 == isBracketed else { return nil }
        self.address = address
        self.port = UInt16(clamping: port)
        self.text = text
    }

    package var description: String { text }

    /// The address at which this machine reaches a listener of its own: loopback, where it listens on every address.
    package var reachable: HostPort {
        guard address.isEverything else { return self }
        return HostPort(address.isV6 ? "[::1]:\(port)" : "127.0.0.1:\(port)") ?? self
    }

    /// The address as a Host field names it: without the port, an IPv6 address in brackets.
    package var hostBytes: [UInt8] { Array((address.isV6 ? "[\(address)]" : "\(address)").utf8) }

    /// Whether one listener of the two would take the other's connections.
    package func overlaps(_ other: HostPort) -> Bool {
        guard port == other.port, port != 0, address.isV6 == other.address.isV6 else { return false }
        return address == other.address || address.isEverything || other.address.isEverything
    }
}
