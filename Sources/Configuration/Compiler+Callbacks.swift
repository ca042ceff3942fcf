import Access
import Bytes
import Providers

extension Compiler {
    /// What must hold of callbacks together (R6): each is found by path and query alone, since behind a proxy every host may
    /// be another, and none is where something else is.
    func checkCallbacks(_ grants: [Grant], _ issuers: [IssuerKind], beside aliases: [(path: [UInt8], route: Int)]) {
        /// The names of the grants, by what they are found by.
        var known: [Place: [UInt8]] = [:]
        for index in issuers.indices {
            guard case .verifying(let verifier) = issuers[index] else { continue }
            let (grant, url) = (grants[index], verifier.publicURL)
            let path = "grants".member(grant.name) + ".publicURL"
            let place = Place(path: url.path, query: url.query)
            let own = Registry.routes[grant.route].description.path
            if url.path != own, Compiler.isOwn(url.path) {
                reader.report(path, "has a path of the service's own")
            } else if aliases.contains(where: { $0.path == url.path }) {
                reader.report(path, "has a path that server.aliases gives to something else")
            } else if let other = known[place] {
                let twin = "grants".member(other)
                reader.report(
                    path, "has the path and query of that of \(twin), so that nobody could tell them apart")
            }
            if known[place] == nil { known[place] = grant.name }
        }
    }

    /// Where the vendor calls.
    private struct Place: Hashable {
        let path: [UInt8]
        let query: [UInt8]?
    }

    /// Whether something of the service's own is at a path.
    static func isOwn(_ path: [UInt8]) -> Bool {
        Registry.hasRoute(at: path) || Configuration.ownPaths.contains(path)
    }
}
