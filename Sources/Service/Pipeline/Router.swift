import Bytes
import Configuration
import Providers

/// Which path is what. Paths are compared as the bytes that were sent; nothing is decoded or normalised.
struct Router: Sendable {
    enum Endpoint: Sendable {
        /// A route of the registry, by its place there.
        case issue(route: Int)
        /// Whether the process answers at all.
        case alive
        /// `OPTIONS *`: the service as a whole.
        case everything
    }

    private let paths: [(path: [UInt8], endpoint: Endpoint)]

    init(aliases: [(path: [UInt8], route: Int)]) {
        paths =
            Registry.routes.enumerated().map { ($1.description.path, .issue(route: $0)) }
            + aliases.map { ($0.path, .issue(route: $0.route)) } + [(Configuration.livenessPath, .alive)]
    }

    func find(_ path: Span<UInt8>) -> Endpoint? {
        for candidate in paths where candidate.path.count == path.count {
            if path.equals(candidate.path) { return candidate.endpoint }
        }
        return nil
    }
}
