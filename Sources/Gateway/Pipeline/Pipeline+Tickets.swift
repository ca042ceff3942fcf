import Access
import Bytes
import Configuration
import Crypto
import HTTP
import Providers

/// URL tickets (R11): for SDKs that cannot send a header, so that their credential must stand in the URL.
extension Pipeline {
    private static let parameter: StaticString = "ticket="

    /// Where in a query the ticket is, as it stands there: tickets need no escapes. Nil where there is none.
    static func ticket(in query: Span<UInt8>) throws(Refusal) -> Range<Int>? {
        var found: Range<Int>?
        var start = 0
        while start < query.count {
            let end = query.firstIndex(of: UInt8(ascii: "&"), from: start) ?? query.count
            if query.extracting(start..<end).begins(with: parameter) {
                guard found == nil else {
                    throw .twoCredentials
                }
                found = start + parameter.utf8CodeUnitCount..<end
            }
            start = end + 1
        }
        return found
    }

    /// `POST /tickets`: a caller with a credential may have a ticket for one of its own grants.
    mutating func mint(_ request: borrowing Request, into response: inout Response) throws(Refusal) -> Outcome {
        guard let tickets, let key = configuration.authenticator.ticketKey else { throw .notFound }
        if request.head.method == .options {
            try explainOptions(request, of: .tickets, into: &response)
            return .told
        }
        try identifyMinter(request, into: &response)
        return try issueTicket(request, by: tickets, key, into: &response)
    }

    /// Makes a ticket for a caller who may have one.
    private mutating func issueTicket(
        _ request: borrowing Request, by tickets: TicketSigner, _ key: TicketKey, into response: inout Response
    ) throws(Refusal) -> Outcome {
        let (caller, now) = (context.caller, context.instant.unixSeconds)
        ask.reset(try drawNonce(), from: context.client.ip)
        try readQueryOfPost(request, among: Pipeline.mintParameters)
        try readBody(of: request, textParameter: nil, among: Pipeline.mintParameters)
        let lifetime = try takeLifetime(atMost: key.maximumLifetime)
        let uses = try takeUses()
        let name = try namedGrant()
        if caller.isDenied { throw Refusal(.forbidden) }
        if caller.ticket != nil { throw .ticketByTicket }
        guard origins.admits(request) else { throw .foreignOrigin }
        // Only a request of HTTP/1.0 can be without a host.
        guard configuration.server.publicURL != nil || !request.authority.isEmpty else { throw .noHost }
        if let cluster, !cluster.admits(at: context.instant) { throw .clusterStale }
        try audit.admit()
        // A grant of another caller's and one that does not exist get the same refusal (R4).
        guard let grant = configuration.policy.ticketGrant(named: name.span, for: caller) else {
            throw Refusal(.notInGrant(nil))
        }
        if uses != nil, case .asking = configuration.issuers[grant.index] {
            throw Refusal(
                AskError(
                    .invalid, "uses",
                    "is not for a route that asks the vendor, who acts before a use can be counted"))
        }
        // The caller's address is judged when the ticket is used.
        if let fault = grant.availability.fault(at: now) { throw Refusal(.notInGrant(fault.objection)) }
        try checkBrakes(on: grant)
        let route = Registry.routes[grant.route].description
        do throws(AskError) { try ask.read(by: route.request.parameters) } catch { throw Refusal(error) }
        let terms = TicketTerms(grant: grant.name, parameters: ask.fixed(by: route.request.parameters))
        let end = min(now + lifetime, caller.endsAt ?? .max, grant.availability.notAfter ?? .max)
        let mark: [UInt8]
        do throws(CryptoError) { mark = try tickets.mark(of: caller.proof) } catch {
            throw fail("writing a ticket", error)
        }
        guard end > now, let ticket = Ticket(ask.nonce.uuid, for: caller, until: end, terms, mark: mark, uses: uses)
        else {
            throw .unauthenticated("the credential is about to end", wasPresented: true)
        }
        let text = try text(of: ticket, by: tickets)
        writeTicket(ticket, text, for: route, request, into: &response)
        return try recordTicket(ticket, text.span, of: request)
    }

    /// Identifies the caller that asks for a ticket.
    mutating func identifyMinter(_ request: borrowing Request, into response: inout Response) throws(Refusal) {
        guard tickets != nil else { throw .notFound }
        guard request.head.method == .post else { throw .methodNotAllowed(of: .tickets) }
        try identify(request, into: &response)
        try admitMinter()
        try admitKnownCaller()
        if context.caller.ticket != nil { throw .ticketByTicket }
    }

    private func admitMinter() throws(Refusal) {
        guard !context.caller.principal.isAnonymous else {
            throw .unauthenticated(by: configuration.authenticator)
        }
    }

    /// The same for a caller whom the command line names.
    mutating func mintForCommand(_ request: borrowing Request, into response: inout Response) throws(Refusal) -> Outcome
    {
        guard let tickets, let key = configuration.authenticator.ticketKey else { throw .noTickets }
        try admitMinter()
        return try issueTicket(request, by: tickets, key, into: &response)
    }

    /// The parameters of `POST /tickets` itself; all others are those of the ticket's route.
    static let mintParameters = ParameterList([
        Parameter.grant.description,
        Parameter("expires", .lifetime(least: 1), "The ticket's lifetime in seconds.").description,
        Parameter(
            "uses", .integer(TicketUses.counts),
            "How often the ticket may be used, by all replicas together; it needs `cluster`. The default is any number of times."
        ).description,
    ])

    /// Takes `expires`, which is the ticket's and not the route's, out of the parameters.
    private mutating func takeLifetime(atMost longest: Int64) throws(Refusal) -> Int64 {
        guard let expires = ask.parameters.take("expires") else { return longest }
        guard case .alone = expires.nesting, expires.form != .boolean,
            let seconds = Decimal.parse(ask.parameters.bytes(expires.value), maximum: longest), seconds > 0
        else {
            let bounds = "a whole number of seconds from 1 to \(longest), the most that tickets.maxLifetime admits"
            throw Refusal(AskError(.invalid, "expires", "must be \(bounds)"))
        }
        return seconds
    }

    /// Takes `uses`, how often the ticket may be used, out of the parameters. Only Redis can count that for all replicas.
    private mutating func takeUses() throws(Refusal) -> TicketUses? {
        guard let uses = ask.parameters.take("uses") else { return nil }
        guard let cluster else {
            throw Refusal(
                AskError(
                    .unknown, "uses",
                    "needs cluster in the configuration: without it a ticket can be used any number of times until it ends; a small expires makes it end soon"
                ))
        }
        guard case .alone = uses.nesting, uses.form != .boolean,
            let count = Decimal.parse(ask.parameters.bytes(uses.value), maximum: TicketUses.counts.upperBound)
        else { throw Pipeline.wrongUses }
        guard let epoch = cluster.ticketEpoch else { throw .clusterUnavailable }
        guard let taken = TicketUses(count, epoch: epoch) else { throw Pipeline.wrongUses }
        return taken
    }

    private static let wrongUses = Refusal(
        AskError(
            .invalid, "uses",
            "must be a whole number from \(TicketUses.counts.lowerBound) to \(TicketUses.counts.upperBound)"))

    private func namedGrant() throws(Refusal) -> [UInt8] {
        guard let name = ask.parameters.entries.first(where: { ask.parameters.bytes($0.name).equals("grant") }) else {
            throw Refusal(.missing(parameter: "grant"))
        }
        return ask.parameters.bytes(name.value).array
    }

    private func text(of ticket: Ticket, by signer: TicketSigner) throws(Refusal) -> [UInt8] {
        let text: [UInt8]?
        do throws(CryptoError) { text = try signer.write(ticket) } catch { throw fail("writing a ticket", error) }
        guard let text else { throw .longTicket }
        return text
    }

    private func writeTicket(
        _ ticket: Ticket, _ text: [UInt8], for route: RouteDescription, _ request: borrowing Request,
        into response: inout Response
    ) {
        response.body.append(object: { json in
            json.add("ticket", text)
            json.add(
                "url",
                text: { url in
                    writeOrigin(of: request, into: &url)
                    url.append(route.path)
                    url.append("?ticket=")
                    url.append(text)
                })
            json.add("id", ticket.id)
            json.add("grant", ticket.terms.grant)
            json.add("expiresAt", time: ticket.endsAt)
        })
        response.body.append("\n")
    }

    /// Writes the scheme and host by which the client reaches the service.
    private func writeOrigin(of request: borrowing Request, into url: inout ByteWriter) {
        if let known = configuration.server.publicURL { return url.append(known) }
        url.append(isPlain(request) ? "http://" : "https://")
        url.append(request.authority)
    }

    /// Whether the client speaks plain HTTP to the service or to the proxy in front of it.
    private func isPlain(_ request: borrowing Request) -> Bool {
        if configuration.server.tls != nil { return false }
        if let scheme = request.forwardedScheme { return scheme == .http }
        // Off loopback, the service or a proxy speaks TLS; and only proxies connect by a Unix socket.
        guard case .network(let listener) = configuration.server.listen[request.listener] else { return false }
        return listener.address.isLoopback
    }
}
