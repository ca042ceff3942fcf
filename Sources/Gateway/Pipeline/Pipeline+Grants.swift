import Access
import Bytes
import Configuration
import HTTP
import Providers

/// `GET /grants`: what the caller may do. Nothing is issued.
extension Pipeline {
    mutating func listGrants(
        _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) {
        if request.head.method == .options {
            return try explainOptions(request, of: .grants, into: &response)
        }
        try identifyLister(request, into: &response)
        let (caller, instant) = (context.caller, context.instant)
        let (brakes, now) = (newest.brakes, context.instant.unixSeconds)
        try readNothing(request)
        if caller.ticket != nil { throw Refusal(.notInGrant(nil)) }
        guard origins.admits(request) else { throw .foreignOrigin }
        response.body.append(object: { json in
            json.add(
                "grants",
                array: { list in
                    configuration.policy.list(for: caller, asking: ask, at: instant, in: &workspace) { listed in
                        guard brakes.covers(listed.grant, of: configuration, for: caller, at: now) == nil else {
                            return
                        }
                        list.add(object: { $0.add(listed) })
                    }
                })
            json.add("serverTime", time: instant.unixSeconds)
        })
        response.body.append("\n")
    }

    /// Identifies the caller that asks for the list.
    mutating func identifyLister(_ request: borrowing Request, into response: inout Response) throws(Refusal) {
        switch request.head.method {
        case .get, .head: break
        case .post, .delete, .options, .other: throw .methodNotAllowed(of: .grants)
        }
        try identify(request, into: &response)
        guard !context.caller.principal.isAnonymous || configuration.policy.hasGrants(for: context.caller) else {
            throw .unauthenticated(by: configuration.authenticator)
        }
        if context.caller.isDenied { throw Refusal(.forbidden) }
    }
}

extension Pipeline {
    /// What is told of each grant, beside those of its route's own fields that are told (`Field.isTold`).
    static let listedMembers = [
        AnswerField("name", "The grant's name, for the parameter `grant`."),
        AnswerField("route", "The route that it is for."), AnswerField("path", "The path to ask."),
        AnswerField("description", "The operator's words about it, if there are any."),
        AnswerField("provider", "The vendor."), AnswerField("bucket", "The bucket, where the grant names one."),
        AnswerField("key", "The object's key; null where the server makes it up for each request."),
        AnswerField("keyPrefix", "What keys must begin with."),
        AnswerField(
            "lifetime", type: .integer, "The lifetime of a credential in seconds, if the caller asks for none."),
        AnswerField(
            "maxLifetime", type: .integer, "The longest lifetime in seconds that a caller may ask for (`expires`)."),
        AnswerField("notAfter", "When the grant ends, in UTC."),
    ]
}

extension JSONObject {
    fileprivate mutating func add(_ listed: borrowing Policy.Listed) {
        let grant = listed.grant
        let route = Registry.routes[grant.route]
        add("name", grant.name)
        add("route", route.description.name)
        add("path", route.description.path)
        if let description = grant.description { add("description", description) }
        add("provider", route.provider.name)
        if case .named(let bucket) = grant.resources.bucket { add("bucket", bucket) }
        switch grant.resources.target {
        case .key: if let key = listed.key { add("key", key) } else { addNull("key") }
        case .prefix: if let key = listed.key { add("keyPrefix", key) }
        case .anything: break
        }
        add(grant.issuance.facts)
        if !grant.neverEnds, route.description.grant.lifetime != nil {
            add("lifetime", grant.lifetimes.usual)
            add("maxLifetime", grant.lifetimes.longest)
        }
        if let notAfter = grant.availability.notAfter { add("notAfter", time: notAfter) }
    }
}
