import Access
import Providers
import Testing

@testable import Configuration
@testable import Gateway

/// What must hold of every provider that describes itself.
@Suite struct RegistryTests {
    @Test func `routes have one path and one name each`() {
        let routes = Registry.routes.map(\.description)
        #expect(!routes.isEmpty)
        #expect(Set(routes.map(\.name)).count == routes.count)
        #expect(Set(routes.map(\.path)).count == routes.count)
        for route in routes { #expect(route.path.first == UInt8(ascii: "/")) }
    }

    @Test(arguments: Registry.routes.map(\.description.name))
    func `names within a route are used once, and everything is explained`(name: String) throws {
        let route = Registry.routes[try #require(Registry.route(named: name))].description
        let parameters = route.request.parameters.flatMap { [$0.name] + $0.aliases }
        #expect(Set(parameters).count == parameters.count)
        let fields = Schema.grant(of: route).map(\.name)
        #expect(Set(fields).count == fields.count)
        let summaries =
            route.request.parameters.map(\.summary) + Schema.grant(of: route).map(\.summary)
            + route.answer.members.map(\.summary)
        for summary in summaries + [route.summary] { #expect(summary.hasSuffix("."), "\(summary)") }
        if let text = route.request.textParameter { #expect(parameters.contains(text)) }
    }

    @Test func `a route takes credentials of other providers that there are, and only such as are for sessions`() {
        for route in Registry.routes {
            for name in route.description.grant.credential.otherProviders {
                #expect(name != route.provider.name)
                #expect(Registry.provider(named: name)?.sessions != nil, "\(route.description.name)")
            }
        }
    }

    @Test func `a route's lifetimes hold the hour that is given when nobody asks for another (R5)`() {
        for route in Registry.routes.map(\.description) {
            #expect((1...3600).contains(route.request.shortestLifetime), "\(route.name)")
            #expect(route.grant.lifetime?.longest ?? 3600 >= 3600, "\(route.name)")
        }
        #expect(
            Registry.route(named: "distribute-token").map { Registry.routes[$0].description.request.shortestLifetime }
                == 900)
    }

    @Test func `the router knows every route, its aliases and nothing else`() throws {
        let router = Router(aliases: [(Array("/api/uptoken".utf8), 0)], callbacks: [Array("/done".utf8)])
        for (index, route) in Registry.routes.enumerated() {
            let path = route.description.path
            let endpoint = router.find(path.span)
            switch endpoint {
            case .issue(let found, _)?: #expect(found == index && route.description.grant.hasCallers)
            case .callback?: #expect(!route.description.grant.hasCallers)
            default: Issue.record("\(route.description.name) is not found")
            }
        }
        guard case .callback? = router.find(Array("/done".utf8).span) else {
            Issue.record("the callback's path is not found")
            return
        }
        guard case .issue(0, nil)? = router.find(Array("/api/uptoken".utf8).span) else {
            Issue.record("the alias is not found")
            return
        }
        for path in [
            "", "/", "/qiniu/uptoken/", "/qiniu/uptoken%20", "/Qiniu/uptoken", "//qiniu/uptoken", "/qiniu/%75ptoken",
        ] {
            let isUnknown = router.find(Array(path.utf8).span) == nil
            #expect(isUnknown, "\(path)")
        }
    }
}
