import Access
import Bytes
import Providers

/// An ask, held so that it can be decided about again and again.
final class Asked {
    /// The index of the route in the registry.
    let route: Int
    let ask: Ask

    init(_ name: String, _ query: String) throws {
        guard let route = Registry.route(named: name) else { throw RowError("there is no route \(name)") }
        let description = Registry.routes[route].description
        var ask = Ask(Fixture.nonce)
        try ask.parameters.read(form: Array(text: query).span)
        try ask.read(by: description.request.parameters)
        try description.request.read(&ask, Fixture.now)
        self.route = route
        self.ask = ask
    }
}

/// An ask and the permit for it, held so that it can be issued for again and again.
final class Permitted {
    let caller: Caller
    let asked: Asked
    let permit: Permit

    init(_ name: String, _ query: String, by caller: Caller, under policy: Policy) throws {
        asked = try Asked(name, query)
        self.caller = caller
        var workspace = PolicyWorkspace()
        switch policy.decide(asked.ask, on: asked.route, by: caller, at: Fixture.now, in: &workspace) {
        case .denied(let denial): throw RowError("not permitted: \(denial)")
        case .permitted(let permit): self.permit = permit
        }
    }
}
