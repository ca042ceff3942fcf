import Bytes

/// Where a client's bytes come from: an IPv6 address, or an IPv4 one mapped into it; none for a client without, as of a Unix
/// socket.
package struct ClientAddress: Sendable, Hashable {
    private let high, low: UInt64
    /// Whether it is an address at all: `::` is one, too.
    package let isKnown: Bool

    package static let none = ClientAddress(high: 0, low: 0, isKnown: false)
    /// `::`. Clients count as this address when they come through a proxy on a Unix socket that does not name them.
    package static let unspecified = ClientAddress(high: 0, low: 0)

    private init(high: UInt64, low: UInt64, isKnown: Bool = true) {
        self.high = high
        self.low = low
        self.isKnown = isKnown
    }

    /// - Parameter bytes: the sixteen of an IPv6 address, in network order.
    package init(_ bytes: InlineArray<16, UInt8>) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            high = high << 8 | UInt64(bytes[index])
            low = low << 8 | UInt64(bytes[index + 8])
        }
        self.init(high: high, low: low)
    }

    package init(_ address: IPAddress) {
        let (high, low) = address.mapped
        self.init(high: high, low: low)
    }

    /// The address; nil for none.
    package var ip: IPAddress? { isKnown ? IPAddress(high: high, low: low) : nil }

    /// Whether it is one of `block`.
    func isIn(_ block: AddressBlock) -> Bool { isKnown && block.contains(high: high, low: low) }

    /// What one customer of a provider has: an IPv4 address, or the /64 of an IPv6 address; none for none.
    package var network: ClientAddress {
        !isKnown || high == 0 && low >> 32 == 0xFFFF ? self : ClientAddress(high: high, low: 0)
    }
}

extension ClientAddress: CustomStringConvertible {
    /// `192.0.2.1`, `2001:db8::1`; `-` for none.
    package var description: String { ip?.description ?? "-" }

    /// Writes the same.
    package func write(into out: inout ByteWriter) {
        if let ip { ip.write(into: &out) } else { out.append("-") }
    }
}
