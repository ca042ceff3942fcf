import Access
import Bytes
import Providers

extension Compiler {
    /// What must hold of callbacks together (R6): each is found by path and query alone, since behind a proxy every host may
    /// be another, and none is where something else is.
    func checkCallbacks(_ grants: [Grant], _ issuers: [IssuerKind], beside aliases: [(path: [UInt8], route: Int)]) {
        var known: [(url: PublicURL, grant: String)] = []
        for (grant, issuer) in zip(grants, issuers) {
            guard case .verifying(let verifier) = issuer else { continue }
            let url = verifier.publicURL
            let path = reader.join("grants", grant.name) + ".publicURL"
            let own = Registry.routes[grant.route].description.path
            if url.path != own, Compiler.isOwn(url.path) {
                reader.report(path, "has a path of the service's own")
            } else if aliases.contains(where: { $0.path == url.path }) {
                reader.report(path, "has a path that server.aliases gives to something else")
            } else if let other = known.first(where: { $0.url.path == url.path && $0.url.query == url.query }) {
                reader.report(
                    path, "has the path and query of that of \(other.grant), so that nobody could tell them apart")
            }
            known.append((url, reader.join("grants", grant.name)))
        }
    }

    /// Whether something of the service's own is at a path.
    static func isOwn(_ path: [UInt8]) -> Bool {
        Registry.routes.contains { $0.description.path == path } || Configuration.ownPaths.contains(path)
    }
}
