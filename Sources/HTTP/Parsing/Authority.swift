import Bytes

/// `uri-host [ ":" port ]` (RFC 9110 section 7.2): a registered name, an IPv4 address, or an IPv6 address in brackets; without
/// user, and without the future's addresses of RFC 3986.
enum Authority {
    static func isValid(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0 else { return false }
        let end: Int
        if text[0] == UInt8(ascii: "[") {
            guard let bracket = text.firstIndex(of: UInt8(ascii: "]")),
                IPAddress(text.extracting(1..<bracket))?.isV6 == true
            else { return false }
            end = bracket + 1
        } else {
            end = text.firstIndex(of: UInt8(ascii: ":")) ?? text.count
            let name = text.extracting(0..<end)
            guard end > 0, ByteSet.registeredName.contains(all: name), PercentEncoding.isValid(name) else {
                return false
            }
        }
        guard end < text.count else { return true }
        // The colon may stand alone (RFC 3986 section 3.2.3).
        let port = text.extracting(end + 1..<text.count)
        return text[end] == UInt8(ascii: ":") && (port.isEmpty || ContentLength.parse(port).map { $0 <= 65535 } == true)
    }
}
