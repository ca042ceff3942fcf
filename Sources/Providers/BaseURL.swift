import Bytes

/// Scheme, host and port that URLs begin with. They come from the configuration, never from a request: a vendor's signature
/// over a text of the caller's choice is a signature over anything.
///
/// Signatures are over the URL as clients send it, so this is spelled as their URL readers would spell it again: in
/// lower case, without the scheme's own port.
package struct BaseURL: Sendable {
    private let isSecure: Bool
    /// Host and port, as the Host field has them.
    let authority: [UInt8]

    /// - Parameter authority: `host` or `host:port`; nil comes back for anything that is not spelled as above.
    package init?(isSecure: Bool, _ authority: [UInt8]) {
        let colon = authority.firstIndex(of: UInt8(ascii: ":"))
        if let colon {
            let port = Decimal.parse(Array(authority[(colon + 1)...]).span, maximum: 65_535)
            guard let port, port > 0, port != (isSecure ? 443 : 80) else { return nil }
        }
        let host = Array(authority[..<(colon ?? authority.count)])
        guard host.allSatisfy({ $0 == $0.lowercasedASCII }), HostName.isName(host) || IPAddress(host.text) != nil else {
            return nil
        }
        self.isSecure = isSecure
        self.authority = authority
    }

    /// Writes `https://host`.
    func write(into out: inout ByteWriter) {
        out.append(isSecure ? "https://" : "http://")
        out.append(authority)
    }

    /// Writes `https://bucket.host`.
    func write(bucket: Span<UInt8>, into out: inout ByteWriter) {
        out.append(isSecure ? "https://" : "http://")
        writeAuthority(of: bucket, into: &out)
    }

    /// Writes `bucket.host`.
    func writeAuthority(of bucket: Span<UInt8>, into out: inout ByteWriter) {
        out.append(bucket)
        out.append(UInt8(ascii: "."))
        out.append(authority)
    }
}
