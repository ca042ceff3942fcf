import HTTP

/// What browsers ask before they let a page ask (R2).
extension Pipeline {
    func addCORSFields(of request: borrowing Request, into response: inout Response) {
        if origins.varies { response.add("Vary", "Origin") }
        if origins.isListed(request) {
            response.add("Access-Control-Allow-Origin", request.field(.origin))
            response.add(
                "Access-Control-Expose-Headers",
                "X-Request-Id, Retry-After, Countersign-Limited-By, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset"
            )
        }
    }

    /// OPTIONS: what the path answers to, and whether a web page may ask it (a preflight).
    func explainOptions(
        _ request: borrowing Request, of endpoint: Router.Endpoint, into response: inout Response
    ) throws(Refusal) {
        let isPreflight =
            request.head.value(of: .origin) != nil && request.head.value(of: .accessControlRequestMethod) != nil
        addCORSFields(of: request, into: &response)
        if isPreflight, !origins.admits(request) { throw .foreignOrigin }
        explain(endpoint, into: &response)
        if isPreflight {
            let (methods, headers) = endpoint.forPages
            let all = ["Authorization", "Content-Type", "X-API-Key", "X-Request-Id"] + headers
            response.add("Access-Control-Allow-Methods", methods.utf8.span)
            response.add("Access-Control-Allow-Headers", all.joined(separator: ", ").utf8.span)
            response.add("Access-Control-Max-Age", "600")
        }
    }
}
