import Access
import Audit
import Bytes
import HTTP
import Net
import Providers

/// What came of a request. Only `record` makes the outcome of a credential, when it has written the audit's line. Every permit
/// ends in an outcome.
struct Outcome {
    enum Progress {
        /// The answer is filled in, and issues nothing.
        case told
        /// The answer comes later; what is then issued has its record with it.
        case parked
        /// The answer is filled in, and must be held until its line is on the disk; nil when it need not be.
        case recorded(HeldAnswer?)
    }

    let progress: Progress

    static var told: Outcome { Outcome(.told) }
    /// What is parked has its record with it, and the permit, where it keeps that.
    static var parked: Outcome { Outcome(.parked) }

    fileprivate init(_ progress: Progress) { self.progress = progress }
}

extension Pipeline {
    /// Ends a permit by which nothing is issued, as for HEAD.
    mutating func withhold(_ permit: consuming Permit) -> Outcome {
        permit.end(in: &workspace)
        return .told
    }

    /// Ends the permit of what is issued later, by the record that `park` has made of it.
    mutating func postpone(_ permit: consuming Permit) -> Outcome {
        permit.end(in: &workspace)
        return .parked
    }

    /// Writes the audit's line of the credential in the answer, and ends its permit. By a ticket whose uses are counted, the answer waits
    /// until this use is.
    mutating func record(
        _ permit: consuming Permit, _ terms: IssueTerms, of request: borrowing Request, in response: inout Response
    ) throws(Refusal) -> Outcome {
        if context.caller.ticket?.uses != nil {
            let parked = try park(request, with: response, issuing: permit)
            let pending = parked.pending
            try upstream.parked.park(parked, in: .tickets) {}
            let written = HeldResponse(bodyOf: &response)
            upstream.parked.finish(pending) { response in
                written.move(into: &response)
                return terms
            }
            return postpone(permit)
        }
        var held: HeldAnswer?
        if audit.isOn {
            let grant = audited[permit.grant]
            let token = AuditToken(in: response, of: grant)
            held = try audit.enter { line in
                line.begin("issued", at: context.instant.unixSeconds)
                line.add(permit, grant, of: context)
                line.add(terms, token)
            }
            held?.issue = PendingIssue(request, from: context.caller, for: permit.grant, before: newest)
        }
        permit.end(in: &workspace)
        return Outcome(.recorded(held))
    }

    /// Writes the audit's line of a ticket.
    func recordTicket(
        _ ticket: Ticket, _ text: Span<UInt8>, of request: borrowing Request
    ) throws(Refusal) -> Outcome {
        guard audit.isOn else { return Outcome(.recorded(nil)) }
        let token = AuditToken(text)
        let held = try audit.enter { line in
            line.begin("issued", at: context.instant.unixSeconds)
            line.add(requestOf: context)
            line.add(context.caller)
            line.add("grant", ticket.terms.grant)
            line.add("route", "tickets")
            line.add("ticket", ticket.id)
            line.add("lifetime", ticket.endsAt - context.instant.unixSeconds)
            token.write(into: &line)
        }
        held?.issue = PendingIssue(request, from: context.caller, for: nil, before: newest)
        return Outcome(.recorded(held))
    }

    /// What is kept of a request whose answer comes later, and issues what is permitted.
    func park(
        _ request: borrowing Request, with response: borrowing Response, issuing permit: borrowing Permit,
        asking operation: VendorOperation? = nil
    ) throws(Refusal) -> ParkedRequest {
        let record =
            audit.isOn ? IssueRecord(audit, audited[permit.grant], permit, of: context, asking: operation) : nil
        let issue = PendingIssue(request, from: context.caller, for: permit.grant, before: newest)
        return try keep(with: response, issue, record)
    }

    /// The same of a vendor's callback, which is issued nothing.
    func park(
        callback request: borrowing Request, with response: borrowing Response, for grant: Grant
    ) throws(Refusal) -> ParkedRequest {
        try keep(with: response, PendingIssue(request, from: nil, for: grant, before: newest), nil)
    }

    private func keep(
        with response: borrowing Response, _ issue: PendingIssue, _ record: IssueRecord?
    ) throws(Refusal) -> ParkedRequest {
        // A request of which only the head has come is never parked.
        guard let pending = context.pending else { throw .internalError }
        let parked = ParkedRequest(context, as: pending, with: response, issuing: issue, record, by: reporter)
        parked.use = context.caller.ticket.flatMap {
            TicketUse(of: $0, counting: cluster, upstream.tools.post, at: context.instant)
        }
        return parked
    }
}
