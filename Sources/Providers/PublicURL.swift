import Bytes

/// A URL by which vendors reach this service: what they know of it, whatever stands between. What they sign of a request is as
/// it is here, so it is spelled as in the vendor's settings.
package struct PublicURL: Sendable {
    private let base: BaseURL
    /// Begins with `/`, and is not decoded.
    package let path: [UInt8]
    /// What follows the `?`, not decoded either; nil where there is none.
    package let query: [UInt8]?

    /// What such a text must be, in words.
    static let form =
        "must be https:// or http://, a host in lower case, a port if it is not the scheme's own, and a path"

    /// Host and port, as the Host field of a request to it has them.
    package var authority: [UInt8] { base.authority }

    /// The same without the port.
    package var host: [UInt8] { base.host }

    /// Nil comes back for anything but `https://` or `http://`, a host in lower case, a port if it is not the scheme's own, a
    /// path, and perhaps a query.
    package init?(_ text: [UInt8]) {
        let (https, http) = (StaticString("https://").array, StaticString("http://").array)
        let isSecure = text.starts(with: https)
        guard isSecure || text.starts(with: http) else { return nil }
        let rest = text.dropFirst(isSecure ? https.count : http.count)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")),
            let base = BaseURL(isSecure: isSecure, Array(rest[..<slash]))
        else { return nil }
        let end = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        guard slash < end else { return nil }
        self.base = base
        path = Array(rest[slash..<end])
        query = end < rest.endIndex ? Array(rest[(end + 1)...]) : nil
        guard PublicURL.isPath(path), query.map(PublicURL.isQuery) ?? true else { return nil }
    }

    /// Whether it is what a request's path may be (RFC 3986 section 3.3); another never gets as far as to be compared.
    package static func isPath(_ text: [UInt8]) -> Bool {
        text.first == UInt8(ascii: "/") && ByteSet.path.contains(all: text)
    }

    private static func isQuery(_ text: [UInt8]) -> Bool {
        !text.isEmpty && ByteSet.target.contains(all: text)
    }
}
