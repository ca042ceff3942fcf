/// A block of addresses as operators write it (CIDR, RFC 4632): `10.0.0.0/8`, `2001:db8::/32`, or an address alone.
package struct AddressBlock: Sendable, Equatable, CustomStringConvertible {
    package let description: String
    /// What its addresses have in common, as the numbers of IPv6 addresses.
    private let high, low: UInt64
    private let highMask, lowMask: UInt64

    /// - Returns: nil for anything else, and when bits are set beyond the prefix.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
        let (host, prefix) = (Array(bytes[..<slash]), Array(bytes[slash...].dropFirst()))
        guard let address = IPAddress(host.span) else { return nil }
        let size = address.isV6 ? 128 : 32
        var length = size
        if slash < bytes.count {
            guard let given = Decimal.parse(prefix.span, maximum: Int64(size)) else { return nil }
            length = Int(given)
        }
        // Of an IPv4 address the part that maps it counts, too.
        let common = length + 128 - size
        highMask = AddressBlock.mask(min(common, 64))
        lowMask = AddressBlock.mask(max(common - 64, 0))
        (high, low) = address.mapped
        guard high & ~highMask == 0, low & ~lowMask == 0 else { return nil }
        description = text
    }

    /// Whether it is every address that there is, of IPv4 or of IPv6.
    package var isEverything: Bool {
        highMask == 0 || lowMask == ~0 << 32 && (high, low) == (0, 0xFFFF << 32)
    }

    /// - Parameters: the number of an IPv6 address; an IPv4 address is mapped into one.
    package func contains(high: UInt64, low: UInt64) -> Bool {
        high & highMask == self.high && low & lowMask == self.low
    }

    package func contains(_ address: IPAddress) -> Bool {
        let (high, low) = address.mapped
        return contains(high: high, low: low)
    }

    private static func mask(_ bits: Int) -> UInt64 { bits == 0 ? 0 : ~0 << UInt64(64 - bits) }
}
