import HTTP

/// `Allow` (RFC 9110 section 10.2.1): the methods of a path, in the answer to OPTIONS and in a 405.
extension Response {
    mutating func addAllow(_ methods: String) { add("Allow", methods.utf8.span) }

    /// Answers OPTIONS.
    mutating func tellMethods(_ methods: String) {
        status = 204
        addAllow(methods)
    }
}

extension Refusal {
    static func methodNotAllowed(of endpoint: Router.Endpoint) -> Refusal { .methodNotAllowed(endpoint.methods) }

    static func methodNotAllowed(_ allowed: String) -> Refusal {
        var refusal = Refusal(.methodNotAllowed, "this path answers to \(allowed)")
        refusal.allowed = allowed
        return refusal
    }
}
