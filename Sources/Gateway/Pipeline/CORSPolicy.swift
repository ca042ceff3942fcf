import Bytes
import Configuration
import HTTP

/// R2: which web pages may ask. A request without an origin does not come from a page.
struct CORSPolicy: Sendable {
    private let origins: [[UInt8]]
    private let schemes: [[UInt8]]

    init(_ server: Configuration.Server) {
        origins = server.origins
        // Where a proxy does TLS, the page's scheme is the proxy's. Where the listener does, no page of http is its own.
        schemes = (server.tls == nil ? ["http://", "https://"] : ["https://"]).map { Array($0.utf8) }
    }

    /// For the listener's own pages and no others. The scheme of such a page is the listener's, since its port is.
    static let ownPages = CORSPolicy(origins: [], schemes: ["http://", "https://"].map { Array($0.utf8) })

    private init(origins: [[UInt8]], schemes: [[UInt8]]) {
        self.origins = origins
        self.schemes = schemes
    }

    /// Whether the answer depends on the origin, so that caches must know.
    var varies: Bool { !origins.isEmpty }

    func admits(_ request: borrowing Request) -> Bool {
        guard request.head.value(of: .origin) != nil else {
            return CORSPolicy.isOwnOrNone(request)
        }
        return isListed(request)
    }

    /// Whether a browser does not say that a page of another origin asks, even one of the same site (Fetch Metadata, section 2.3):
    /// a page may load an image without an Origin.
    static func isOwnOrNone(_ request: borrowing Request) -> Bool {
        let site = request.field(.fetchSite)
        return !request.head.isRepeated(.fetchSite)
            && (site.isEmpty || site.equals("none") || site.equals("same-origin"))
    }

    /// Whether there is one Origin field, and it names an origin of the list or the listener's own.
    func isListed(_ request: borrowing Request) -> Bool {
        !request.head.isRepeated(.origin) && isListed(request.field(.origin), askedAs: request.authority)
    }

    /// Whether an origin is one of the list or the listener's own.
    /// - Parameter authority: the name by which the page asks the listener.
    func isListed(_ origin: Span<UInt8>, askedAs authority: Span<UInt8>) -> Bool {
        if origin.isEmpty { return false }
        for listed in origins where origin.equals(listed) { return true }
        for scheme in schemes where origin.begins(with: scheme.span) {
            if origin.extracting(scheme.count..<origin.count).equals(authority) { return true }
        }
        return false
    }
}
