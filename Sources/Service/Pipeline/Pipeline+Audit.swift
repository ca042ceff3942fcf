import Access
import Bytes
import HTTP
import Net
import Providers
import Telemetry

/// What came of a request. That something was issued can be said only by who has entered it in the audit, and of a permit nothing
/// else can be said.
struct Settlement {
    enum Course {
        /// The answer is filled in, and issues nothing.
        case told
        /// The answer comes later; what is then issued has its record with it.
        case parked
        /// The answer is filled in, and must be held until its line is on the disk; nil when it need not be.
        case entered(HeldAnswer?)
    }

    let course: Course

    static var told: Settlement { Settlement(.told) }

    fileprivate init(_ course: Course) { self.course = course }
}

extension Pipeline {
    /// What is given to nobody: HEAD asks whether, and gets nothing.
    mutating func settle(withoutIssuing permit: consuming Permit) -> Settlement {
        permit.end(in: &workspace)
        return .told
    }

    /// Enters what the answer issues, and ends its permit.
    mutating func settle(
        _ permit: consuming Permit, to caller: Caller, _ request: borrowing Request, _ terms: IssueTerms,
        at instant: Instant, in response: borrowing Response
    ) throws(Refusal) -> Settlement {
        var held: HeldAnswer?
        if audit.isOn {
            let grant = audited[permit.grant.index]
            let token = AuditToken(in: response, of: grant)
            held = try audit.enter { line in
                line.begin("issued", at: instant.unixSeconds)
                line.add(permit, grant, to: caller, as: requestID.bytes, in: record.trace)
                line.add(terms, token)
            }
            held?.pending = PendingIssue(request, from: caller, for: permit.grant, before: newest)
        }
        permit.end(in: &workspace)
        return Settlement(.entered(held))
    }

    /// Ends the permit of what is issued later, by the record that `park` has made of it.
    mutating func settle(parked permit: consuming Permit) -> Settlement {
        permit.end(in: &workspace)
        return Settlement(.parked)
    }

    /// The same where the permit itself is kept until then.
    func settleParked() -> Settlement { Settlement(.parked) }

    /// Enters a ticket.
    func settle(
        _ text: Span<UInt8>, of ticket: Ticket, to caller: Caller, _ request: borrowing Request, at instant: Instant
    ) throws(Refusal) -> Settlement {
        guard audit.isOn else { return Settlement(.entered(nil)) }
        let token = AuditToken(text)
        let held = try audit.enter { line in
            line.begin("issued", at: instant.unixSeconds)
            line.add(requestID: requestID.bytes, in: record.trace)
            line.add(caller)
            line.add("grant", ticket.terms.grant)
            line.add("route", "tickets")
            line.add("ticket", ticket.id)
            line.add("lifetime", ticket.endsAt - instant.unixSeconds)
            token.write(into: &line)
        }
        held?.pending = PendingIssue(request, from: caller, for: nil, before: newest)
        return Settlement(.entered(held))
    }

    /// Has the answer wait until its line is on the disk.
    func hold(
        _ request: borrowing Request, as ticket: AnswerTicket, by held: HeldAnswer, _ response: inout Response
    ) {
        response.add("X-Request-Id", requestID.bytes)
        held.hold(
            &response, for: ticket, noting: record, requestID: requestID.bytes, path: knownPath(of: request),
            in: words(for: request), by: meter, accesses)
    }

    /// What is kept of a request whose answer comes later, and issues what is permitted.
    func park(
        _ request: borrowing Request, as ticket: AnswerTicket, with response: borrowing Response,
        issuing permit: borrowing Permit, to caller: Caller
    ) -> ParkedRequest {
        let issue =
            audit.isOn
            ? IssueRecord(
                audit, audited[permit.grant.index], permit, to: caller, as: requestID.bytes, in: record.trace) : nil
        let pending = PendingIssue(request, from: caller, for: permit.grant, before: newest)
        return park(request, as: ticket, with: response, issue, pending)
    }

    /// The same of a vendor's callback, which is issued nothing.
    func parkWithoutIssuing(
        _ request: borrowing Request, as ticket: AnswerTicket, with response: borrowing Response, for grant: Grant
    ) -> ParkedRequest {
        let pending = PendingIssue(request, from: nil, for: grant, before: newest)
        return park(request, as: ticket, with: response, nil, pending)
    }

    private func park(
        _ request: borrowing Request, as ticket: AnswerTicket, with response: borrowing Response, _ issue: IssueRecord?,
        _ pending: PendingIssue
    ) -> ParkedRequest {
        ParkedRequest(
            request, as: ticket, requestID: requestID.bytes.array, in: words(for: request), with: response,
            noting: record, issuing: issue, of: pending, by: meter, accesses)
    }

    /// Notes that a request was refused.
    func note(_ refusal: Refusal, of request: borrowing Request, at instant: Instant) {
        guard audit.isOn else { return }
        let route = routeName(of: request)
        audit.note(refusal) { line, caller in
            line.begin("denied", at: instant.unixSeconds)
            line.add(requestID: requestID.bytes, in: record.trace)
            line.add(caller)
            if let route { line.add("route", route) }
            line.add("status", Int64(refusal.status))
            line.add("code", refusal.code.text)
            if let subject = refusal.subject { line.add(subject.kind, Array(text: subject.name)) }
        }
    }

    private func routeName(of request: borrowing Request) -> [UInt8]? {
        switch router.find(request.path) {
        case .issue(let route): Array(text: Registry.routes[route].description.name)
        case .tickets: Array("tickets".utf8)
        case .grants: Array("grants".utf8)
        case .callback, .alive, .everything, nil: nil
        }
    }
}
