/// A host and its port as URLs have them (RFC 3986 section 3.2): `HOST`, `HOST:PORT`, or `[ADDRESS]:PORT` for IPv6.
package struct URLAuthority: Sendable {
    /// In lower case, and without brackets. Whether anything can be called so is for the reader to judge.
    package let host: [UInt8]
    /// Nil where none is named.
    package let port: UInt16?
    package let isBracketed: Bool

    /// - Returns: nil where brackets do not match, or the port is no number from 1 to 65535.
    package init?(_ text: [UInt8]) {
        let rest: ArraySlice<UInt8>
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = text[1..<end].map(\.lowercasedASCII)
            isBracketed = true
            rest = text[(end + 1)...]
        } else {
            let end = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
            host = text[..<end].map(\.lowercasedASCII)
            isBracketed = false
            rest = text[end...]
        }
        guard !rest.isEmpty else {
            port = nil
            return
        }
        guard rest.first == UInt8(ascii: ":"),
            let number = Decimal.parse(Array(rest.dropFirst()).span, maximum: 65_535), number > 0
        else { return nil }
        port = UInt16(clamping: number)
    }

    /// The host as a numeric address, which must be in brackets if it is of IPv6; nil for any other.
    package var address: IPAddress? { IPAddress(host.text).flatMap { $0.isV6 == isBracketed ? $0 : nil } }
}
