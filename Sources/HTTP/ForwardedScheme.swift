import Bytes

/// By which scheme a client asked the proxy that hands its request on.
package enum ForwardedScheme: Sendable {
    case http, https

    init?(_ text: Span<UInt8>) {
        if text.equals(ignoringCase: "https") {
            self = .https
        } else if text.equals(ignoringCase: "http") {
            self = .http
        } else {
            return nil
        }
    }

    /// The `proto` of the last element of a Forwarded field (RFC 7239 section 4), which the last proxy has added.
    init?(forwarded list: Span<UInt8>) {
        var (start, isQuoted, found) = (0, false, nil as ForwardedScheme?)
        for index in 0...list.count {
            let byte = index < list.count ? list[index] : UInt8(ascii: ",")
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard !isQuoted, byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") else { continue }
            if let scheme = ForwardedScheme(pair: list.extracting(start..<index).trimmed) { found = scheme }
            // What stood in the element before says nothing of this proxy.
            if byte == UInt8(ascii: ","), index < list.count { found = nil }
            start = index + 1
        }
        guard let found else { return nil }
        self = found
    }

    private init?(pair: Span<UInt8>) {
        let name: StaticString = "proto="
        let start = name.utf8CodeUnitCount
        guard pair.count > start, pair.extracting(0..<start).equals(ignoringCase: name) else { return nil }
        let value = pair.extracting(start..<pair.count)
        let isQuoted = value.count > 2 && value[0] == UInt8(ascii: "\"") && value[value.count - 1] == value[0]
        self.init(isQuoted ? value.extracting(1..<value.count - 1) : value)
    }
}

extension TrustedProxies {
    /// By which scheme a client asked, if `peer` is a trusted proxy that tells it: by Forwarded, or by the last element of
    /// X-Forwarded-Proto. Where the two differ it is https, which betrays nothing if it is wrong.
    /// - Returns: nil where nobody tells it who is trusted, or tells it in several field lines of one name.
    func scheme(behind peer: ClientAddress, _ head: RequestHead, in bytes: Span<UInt8>) -> ForwardedScheme? {
        let forwarded = head.isRepeated(.forwarded) ? nil : head.value(of: .forwarded)
        let proto = head.isRepeated(.forwardedProto) ? nil : head.value(of: .forwardedProto)
        guard forwarded != nil || proto != nil, contains(peer) else { return nil }
        var told: ForwardedScheme?
        if let forwarded { told = ForwardedScheme(forwarded: bytes.extracting(forwarded)) }
        if told != .https, let proto { told = ForwardedScheme(lastOf: bytes.extracting(proto)) ?? told }
        return told
    }
}

extension ForwardedScheme {
    fileprivate init?(lastOf list: Span<UInt8>) {
        var start = list.count
        while start > 0, list[start - 1] != UInt8(ascii: ",") { start -= 1 }
        self.init(list.extracting(start..<list.count).trimmed)
    }
}
