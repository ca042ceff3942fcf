/// A numeric IPv4 or IPv6 address.
package struct IPAddress: Sendable, Equatable {
    /// Four or sixteen bytes, in network order.
    package let bytes: [UInt8]

    package var isV6: Bool { bytes.count == 16 }

    /// Whether only this machine has it: 127.0.0.0/8, ::1, and the former within IPv6.
    package var isLoopback: Bool {
        if !isV6 { return bytes.first == 127 }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
            || bytes.starts(with: mapped) && bytes[12] == 127
    }

    /// `0.0.0.0` or `::`: every address of the machine.
    package var isEverything: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Reads `192.0.2.1`, or `2001:db8::1` without brackets (RFC 4291 section 2.2); nil for anything else.
    package init?(_ text: some StringProtocol) {
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard let bytes = IPAddress.v6(String(text)) else { return nil }
            self.bytes = bytes
        } else {
            guard let bytes = IPAddress.v4(String(text)) else { return nil }
            self.bytes = bytes
        }
    }

    private static func v4(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let bytes = parts.compactMap { Decimal.parse(Array($0.utf8).span, maximum: 255).map { UInt8(clamping: $0) } }
        return bytes.count == 4 ? bytes : nil
    }

    private static func v6(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2, let first = halves.first, let start = groups(first, areLast: halves.count == 1) else {
            return nil
        }
        guard halves.count == 2 else { return start.count == 16 ? start : nil }
        guard let end = groups(halves[1], areLast: true), start.count + end.count <= 14 else { return nil }
        return start + [UInt8](repeating: 0, count: 16 - start.count - end.count) + end
    }

    /// Groups of up to four hex digits, the very last of which may be an IPv4 address.
    private static func groups(_ text: Substring, areLast: Bool) -> [UInt8]? {
        if text.isEmpty { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if areLast, index == parts.count - 1, part.contains("."), let tail = v4(String(part)) {
                bytes += tail
                continue
            }
            let digits = Array(part.utf8)
            guard (1...4).contains(digits.count) else { return nil }
            var value: UInt16 = 0
            for digit in digits {
                guard let four = Hex.value(of: digit) else { return nil }
                value = value << 4 | UInt16(four)
            }
            bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
        }
        return bytes.count <= 16 ? bytes : nil
    }
}

extension IPAddress: CustomStringConvertible {
    /// The one spelling that everybody uses (RFC 5952 for IPv6).
    package var description: String {
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
