import Testing

/// What can be asked.
enum Endpoint: Sendable, CustomTestStringConvertible {
    case issuing(EveryRoute), grants, tickets

    var path: String {
        switch self {
        case .issuing(let route): route.path
        case .grants: "/grants"
        case .tickets: "/tickets"
        }
    }

    var methods: [String] {
        switch self {
        case .issuing(let route): route.isCallback ? ["POST"] : ["GET", "HEAD", "POST"]
        case .grants: ["GET", "HEAD"]
        case .tickets: ["POST"]
        }
    }

    var route: EveryRoute? { if case .issuing(let route) = self { route } else { nil } }
    var isCallback: Bool { route?.isCallback == true }
    var testDescription: String { path }

    /// The grant of it that a caller of this id has, and one that is another's.
    func grants(of caller: String) -> (own: String, foreign: String) {
        let name = (route?.name ?? "nos.token").replacing(".", with: "-")
        let kind = ["alice": "key", "42": "token"][caller] ?? "certificate"
        return ("\(kind)-\(name)", "\(kind == "key" ? "token" : "key")-\(name)")
    }

    /// The parameters of a request of this caller's.
    func parameters(of caller: String, _ flaw: Flaw) -> [(name: String, value: String)] {
        var parameters = route?.parameters?(caller) ?? []
        if flaw == .unknownParameter { parameters.append(("nothing", "1")) }
        switch flaw {
        case .foreignGrant: parameters.append(("grant", grants(of: caller).foreign))
        case .absentGrant: parameters.append(("grant", "no-such-grant"))
        case .none, .foreignHost, .unknownParameter, .unknownPath, .unknownMethod:
            if case .tickets = self { parameters.append(("grant", grants(of: caller).own)) }
        }
        return parameters
    }
}
