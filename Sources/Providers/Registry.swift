/// All providers. A new one is its folder and its line here.
package enum Registry {
    package static let providers: [ProviderDescription] = [
        Qiniu.description,
        NOS.description,
        OSS.description,
        STS.description,
        S3.description,
        AWSSTS.description,
    ]

    /// A route with the provider it belongs to; its index in the list is its number everywhere.
    package struct Route: Sendable {
        package let provider: ProviderDescription
        package let description: RouteDescription
    }

    package static let routes: [Route] = providers.flatMap { provider in
        provider.routes.map { Route(provider: provider, description: $0) }
    }

    /// Whether a route is asked at a path.
    package static func hasRoute(at path: [UInt8]) -> Bool {
        routes.contains { $0.description.isAsked(at: path.span) }
    }

    package static func provider(named name: String) -> ProviderDescription? { providers.first { $0.name == name } }

    package static func route(named name: String) -> Int? { routes.firstIndex { $0.description.name == name } }
}
