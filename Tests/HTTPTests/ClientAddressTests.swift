import Bytes
import Testing

@testable import HTTP

@Suite struct ClientAddressTests {
    private static func address(_ bytes: [UInt8]) -> ClientAddress {
        ClientAddress(InlineArray<16, UInt8> { bytes[$0] })
    }

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    @Test func `an IPv4 address is a network of its own`() {
        let one = Self.address(Self.mapped + [192, 0, 2, 1])
        #expect(one.network == one)
        #expect(one.network != Self.address(Self.mapped + [192, 0, 2, 2]).network)
    }

    @Test func `:: is an address, and none is not; each is one network`() {
        let everything = Self.address(Array(repeating: 0, count: 16))
        #expect(everything == .unspecified)
        #expect(everything != .none)
        #expect(everything.network == everything)
        #expect(everything.network != ClientAddress.none.network)
        #expect(ClientAddress.none.network == .none)
        #expect(Self.address(Array(repeating: 0, count: 15) + [1]).network == everything, "::1 is of the same /64")
        #expect(Self.address(Self.mapped + [0, 0, 0, 0]).network != everything)
        #expect(everything.description == "::" && ClientAddress.none.description == "-")
    }

    @Test func `an address is written as it is described`() {
        let addresses = [
            Self.address(Self.mapped + [192, 0, 2, 1]), Self.address(Self.mapped + [0, 255, 10, 100]),
            Self.address([0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]), .unspecified, .none,
        ]
        let written = addresses.map { address in [UInt8](atMost: 39) { address.write(into: &$0) }.text }
        #expect(written == ["192.0.2.1", "0.255.10.100", "2001:db8::1", "::", "-"])
        #expect(written == addresses.map(\.description))
    }

    @Test func `an IPv6 address is told from others by its first 64 bits`() {
        let prefix: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2]
        let one = Self.address(prefix + [0, 0, 0, 0, 0, 0, 0, 1])
        #expect(one.network == Self.address(prefix + [9, 8, 7, 6, 5, 4, 3, 2]).network)
        #expect(one != Self.address(prefix + [9, 8, 7, 6, 5, 4, 3, 2]))
        #expect(one.network != Self.address(prefix.dropLast() + [3, 0, 0, 0, 0, 0, 0, 0, 1]).network)
    }
}
