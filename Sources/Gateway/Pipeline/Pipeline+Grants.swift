import Access
import Bytes
import Configuration
import HTTP
import Providers

/// `GET /grants`: what the caller may do. Nothing is issued.
extension Pipeline {
    static let grantsMethods: StaticString = "GET, HEAD, OPTIONS"

    mutating func listGrants(
        _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) {
        if request.head.method == .options {
            return try explainOptions(request, Pipeline.grantsMethods, into: &response)
        }
        try identifyLister(request, into: &response)
        let (caller, instant) = (context.caller, context.instant)
        try readNothing(request)
        if caller.isDenied { throw Refusal(.forbidden) }
        if caller.ticket != nil { throw Refusal(.notInGrant(nil)) }
        guard origins.admits(request) else { throw .foreignOrigin }
        response.body.append("{\"grants\":[")
        var separator: StaticString = ""
        configuration.policy.list(for: caller, by: ask.nonce, at: instant, in: &workspace) { listed in
            response.body.append(separator)
            response.body.append(listed)
            separator = ","
        }
        response.body.append("],\"serverTime\":\"")
        ISO8601.write(instant.unixSeconds, into: &response.body)
        response.body.append("\"}\n")
    }

    /// Who asks for the list, if it need not be asked first who that is.
    mutating func identifyLister(_ request: borrowing Request, into response: inout Response) throws(Refusal) {
        switch request.head.method {
        case .get, .head: break
        case .post, .options, .other: throw .methodNotAllowed(Pipeline.grantsMethods)
        }
        try identify(request, into: &response)
        guard context.caller.principal.kind != .anonymous || configuration.policy.hasGrants(for: context.caller) else {
            throw Refusal(.unauthenticated)
        }
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ listed: borrowing Policy.Listed) {
        let grant = listed.grant
        let route = Registry.routes[grant.route]
        append("{\"name\":")
        append(jsonString: grant.name)
        append(",\"route\":")
        append(jsonString: Array(text: route.description.name))
        append(",\"path\":")
        append(jsonString: route.description.path)
        append(",\"provider\":")
        append(jsonString: Array(text: route.provider.name))
        if case .named(let bucket) = grant.bucket {
            append(",\"bucket\":")
            append(jsonString: bucket)
        }
        switch grant.target {
        case .key: append(",\"key\":")
        case .prefix: append(",\"keyPrefix\":")
        case .anything: break
        }
        if let key = listed.key { append(jsonString: key) } else if case .key = grant.target { append("null") }
        append(grant.facts)
        if !grant.neverEnds, route.description.grant.lifetime != nil {
            append(",\"lifetime\":")
            append(decimal: grant.lifetime)
            append(",\"maxLifetime\":")
            append(decimal: grant.maxLifetime)
        }
        append("}")
    }
}
