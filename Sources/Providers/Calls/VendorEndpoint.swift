import Access
import Bytes

/// Where a vendor is asked: `https://host[:port]`, or `http://` to this machine itself.
package struct VendorEndpoint: Sendable, Hashable {
    package let isSecure: Bool
    /// In lower case, an IPv6 address without its brackets; for connecting, and for the certificate.
    package let host: [UInt8]
    package let port: UInt16
    /// What the Host field says: the port only where it is not the scheme's own. Signatures are over it.
    package let authority: [UInt8]

    /// Why a text is no endpoint.
    package struct Fault: Error, Sendable {
        package let reason: StaticString
    }

    package init(_ text: [UInt8]) throws(Fault) {
        let (https, http) = (StaticString("https://").array, StaticString("http://").array)
        isSecure = text.starts(with: https)
        guard isSecure || text.starts(with: http) else { throw Fault(reason: "must begin with https://") }
        var rest = Array(text.dropFirst(isSecure ? https.count : http.count))
        if rest.last == UInt8(ascii: "/") { rest.removeLast() }
        guard let asked = URLAuthority(rest) else {
            throw Fault(reason: "must be https://, a host, and a port where it is not 443; no path or query")
        }
        let name = asked.host
        guard isSecure || VendorEndpoint.isLoopback(name) else {
            throw Fault(reason: "must begin with https://; only this machine itself is spoken to without TLS")
        }
        guard asked.address != nil || !asked.isBracketed && HostName.isName(name) else {
            throw Fault(reason: "must name a host, or an address with an IPv6 one in brackets")
        }
        let standard: UInt16 = isSecure ? 443 : 80
        host = name
        port = asked.port ?? standard
        let shown = asked.isBracketed ? [UInt8(ascii: "[")] + name + [UInt8(ascii: "]")] : name
        authority = port == standard ? shown : shown + Array(text: ":\(port)")
    }

    /// - Parameter host: a URL as above, or a host that is asked over TLS, with a port if it is not 443.
    package init(host: [UInt8]) throws(Fault) {
        let hasScheme =
            host.starts(with: StaticString("http://").array) || host.starts(with: StaticString("https://").array)
        try self.init(hasScheme ? host : StaticString("https://").array + host)
    }

    /// A host that is spoken to without TLS though it is not this machine.
    init(withoutTLS host: [UInt8]) {
        (isSecure, self.host, port, authority) = (false, host, 80, host)
    }

    /// Whether it is this machine itself.
    package var isLoopback: Bool { VendorEndpoint.isLoopback(host) }

    private static func isLoopback(_ name: [UInt8]) -> Bool {
        IPAddress(name.text)?.isLoopback ?? Localhost.isName(name)
    }
}

extension VendorEndpoint {
    /// What `list` reads, for the documentation.
    static let listMeaning =
        "the first one that answers is used. Each is `HOST` or `https://HOST`, with `:PORT` if the port is not 443. "
        + "`http://` is for this machine only."

    /// The hosts that a grant names, as `init(host:)` reads each.
    /// - Parameter field: where they stand.
    static func list(_ hosts: [[UInt8]], field: String) throws(FieldProblem) -> [VendorEndpoint] {
        var endpoints: [VendorEndpoint] = []
        for host in hosts {
            do throws(Fault) {
                let endpoint = try VendorEndpoint(host: host)
                guard !endpoints.contains(endpoint) else { throw Fault(reason: "must not name a host twice") }
                endpoints.append(endpoint)
            } catch {
                throw FieldProblem(field, error.reason.description)
            }
        }
        guard !endpoints.isEmpty else { throw FieldProblem(field, "must name at least one") }
        return endpoints
    }
}
