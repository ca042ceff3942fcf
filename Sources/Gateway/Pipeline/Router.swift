import Bytes
import Configuration
import Providers

/// Which path is what. Paths are compared as the bytes that were sent; nothing is decoded or normalised.
struct Router: Sendable {
    enum Endpoint: Sendable {
        /// A route of the registry, by its index there.
        /// - Parameter path: nil where it is asked as all routes are.
        case issue(route: Int, at: RoutePath?)
        /// Where a vendor's callbacks come.
        case callback
        /// What the caller may do.
        case grants
        /// Where callers have tickets made.
        case tickets
        /// Whether the process answers at all.
        case alive
        /// `OPTIONS *`: the service as a whole.
        case everything

        /// Whether it tells no more than that the process lives.
        var isForProbes: Bool { if case .alive = self { true } else { false } }

        /// What it answers to: the value of `Allow`.
        var methods: String {
            switch self {
            case .issue(_, let path?) where !path.operations.isEmpty:
                (path.operations.map { $0.method == "GET" ? "GET, HEAD" : $0.method } + ["OPTIONS"])
                    .joined(separator: ", ")
            case .issue, .everything: "GET, HEAD, POST, OPTIONS"
            case .callback: "POST"
            case .tickets: "POST, OPTIONS"
            case .grants, .alive: "GET, HEAD, OPTIONS"
            }
        }

        /// What web pages may ask it by, and what headers they may send beside those that every endpoint takes.
        var forPages: (methods: String, headers: [String]) {
            guard case .issue(_, let path?) = self else { return ("GET, POST", []) }
            let methods = path.operations.isEmpty ? ["GET", "POST"] : path.operations.map(\.method)
            return (methods.joined(separator: ", "), path.pageHeaders)
        }
    }

    private let paths: [(path: [UInt8], endpoint: Endpoint)]
    private static let others: [(path: RoutePath, route: Int)] = Registry.routes.enumerated().flatMap { index, route in
        route.description.request.paths.map { ($0, index) }
    }

    /// - Parameter callbacks: the paths of their public URLs.
    init(aliases: [(path: [UInt8], route: Int)], callbacks: [[UInt8]]) {
        paths =
            Registry.routes.enumerated().map { route in
                (
                    route.element.description.path,
                    route.element.description.grant.hasCallers
                        ? .issue(route: route.offset, at: route.element.description.mainPath) : .callback
                )
            }
            + aliases.map { ($0.path, .issue(route: $0.route, at: nil)) } + callbacks.map { ($0, .callback) }
            + [
                (Configuration.livenessPath, .alive), (Configuration.grantsPath, .grants),
                (Configuration.ticketsPath, .tickets),
            ]
    }

    /// The path that was probably meant, of those that the API's reference lists: nothing of the configuration.
    static func suggestion(for path: Span<UInt8>) -> String? {
        NearestName.of(path, among: published)?.text
    }

    private static let published =
        Registry.routes.map(\.description).filter(\.grant.hasCallers).map(\.path)
        + [Configuration.grantsPath, Configuration.ticketsPath]

    func find(_ path: Span<UInt8>) -> Endpoint? {
        for candidate in paths where candidate.path.count == path.count {
            if path.equals(candidate.path) { return candidate.endpoint }
        }
        for other in Router.others where other.path.matches(path) { return .issue(route: other.route, at: other.path) }
        return nil
    }
}
