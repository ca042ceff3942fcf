import Bytes

/// Scheme, host and port that URLs begin with. They come from the configuration, never from a request: a vendor's signature
/// over a text of the caller's choice is a signature over anything.
///
/// Signatures are over the URL as clients send it, so this is spelled as their URL readers would spell it again: in
/// lower case, without the scheme's own port.
package struct BaseURL: Sendable {
    private let isSecure: Bool
    /// Host and port, as the Host field has them.
    package let authority: [UInt8]

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

    /// Where a credential's buckets are: `host` or `host:port` for HTTPS, the same behind `http://` for a sandbox.
    package init?(endpoint text: [UInt8]) {
        let isPlain = text.starts(with: BaseURL.plainScheme)
        self.init(isSecure: !isPlain, isPlain ? Array(text.dropFirst(BaseURL.plainScheme.count)) : text)
    }

    private static let plainScheme = Array("http://".utf8)

    /// What is wrong with the endpoint of a credential; nil when nothing is.
    /// - Parameters:
    ///   - text: nil where the credential has none.
    ///   - sample: one of a sandbox.
    static func endpointFault(_ text: [UInt8]?, isSandbox: Bool, sample: StaticString) -> String? {
        guard let text else { return nil }
        guard let base = BaseURL(endpoint: text) else {
            return "must be a host in lower case, with a port if it is not 443"
        }
        // A bucket's name comes before it, so that no address of numbers will do.
        let isLocal = Localhost.isName(base.authority.prefix { $0 != UInt8(ascii: ":") })
        guard base.isSecure || isSandbox && isLocal else {
            return "may begin with http:// only with sandbox: true, before a name of this machine (a name, "
                + "not an address), such as \"\(sample)\""
        }
        return nil
    }

    /// Whether it leads to this machine by plain HTTP, where only a sandbox is.
    var leadsToSandbox: Bool { !isSecure && (Localhost.isName(host) || IPAddress(host.text)?.isLoopback == true) }

    var host: [UInt8] { Array(authority.prefix { $0 != UInt8(ascii: ":") }) }

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
