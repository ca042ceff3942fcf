import Bytes

/// The peers whose word is taken on whom they speak for.
package struct TrustedProxies: Sendable {
    private let blocks: [AddressBlock]
    /// Whether every client that connects by a Unix socket is one.
    private let includesLocal: Bool

    package static let none = TrustedProxies([], includesLocal: false)

    package init(_ blocks: [AddressBlock], includesLocal: Bool) {
        self.blocks = blocks
        self.includesLocal = includesLocal
    }

    package func contains(_ peer: ClientAddress) -> Bool {
        guard peer.isKnown else { return includesLocal }
        for block in blocks where peer.isIn(block) { return true }
        return false
    }

    /// Who sent a request that came from `peer`: of those that X-Forwarded-For tells, the last that is no trusted proxy; the first
    /// if all are.
    ///
    /// Each proxy adds whom it got the request from at the end, in a field line of its own or in the last one. What stands before an
    /// address that is not trusted may be made up, and is not looked at. What a trusted proxy says must be an address.
    func client(
        behind peer: ClientAddress, _ head: RequestHead, in bytes: Span<UInt8>
    ) throws(RequestError) -> ClientAddress {
        guard head.value(of: .forwardedFor) != nil, contains(peer) else { return peer }
        var client = peer
        var end = head.fieldLines.upperBound
        while end > head.fieldLines.lowerBound {
            var start = end - 2
            while start > head.fieldLines.lowerBound, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
            let field = try FieldLine.parse(start..<end - 2, of: bytes)
            if FieldName.of(bytes.extracting(field.name)) == .forwardedFor {
                let goesOn = try follow(bytes.extracting(field.value), to: &client)
                guard goesOn else { return client }
            }
            end = start
        }
        return client
    }

    /// Goes back over one field's addresses.
    /// - Returns: whether all are trusted proxies, so that the one before them counts.
    private func follow(_ list: Span<UInt8>, to client: inout ClientAddress) throws(RequestError) -> Bool {
        var end = list.count
        while end >= 0 {
            var start = end
            while start > 0, list[start - 1] != UInt8(ascii: ",") { start -= 1 }
            let element = list.extracting(start..<end).trimmed
            end = start - 1
            // Lists may have empty elements (RFC 9110 section 5.6.1.2).
            if element.isEmpty { continue }
            guard let address = TrustedProxies.address(element) else {
                throw .malformed("the proxy's X-Forwarded-For must be a list of addresses")
            }
            client = address
            guard contains(address) else { return false }
        }
        return true
    }

    /// An address, alone or with a port; of IPv6 in brackets then.
    private static func address(_ text: Span<UInt8>) -> ClientAddress? {
        if let address = IPAddress(text) { return named(address) }
        guard Authority.isValid(text) else { return nil }
        let isBracketed = text[0] == UInt8(ascii: "[")
        let end = text.firstIndex(of: isBracketed ? UInt8(ascii: "]") : UInt8(ascii: ":")) ?? text.count
        return IPAddress(text.extracting((isBracketed ? 1 : 0)..<end)).flatMap(named)
    }

    /// - Returns: nil for `0.0.0.0` and `::`, which no client has.
    private static func named(_ address: IPAddress) -> ClientAddress? {
        address.isEverything ? nil : ClientAddress(address)
    }
}
