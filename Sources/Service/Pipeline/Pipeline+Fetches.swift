import Access
import Bytes
import Configuration
import Crypto
import HTTP
import Providers
import Upstream

/// What only the vendor knows, and the service asks it for.
extension Pipeline {
    /// Parks the request until the vendor has answered.
    mutating func fetch(
        by issuer: any VendorIssuer, under permit: borrowing Permit, to caller: Caller, with key: SigningKey,
        on line: VendorLine,
        _ request: borrowing Request, as ticket: AnswerTicket, at instant: Instant, with response: borrowing Response
    ) throws(Refusal) {
        let question: any VendorQuestion
        do throws(IssueError) {
            question = try issuer.question(ask, under: permit, with: key, using: &scratch)
        } catch {
            throw fail("a question to the vendor", error)
        }
        try Fetch.park(
            park(request, as: ticket, with: response, issuing: permit, to: caller),
            of: RateTable.Identity.hash(caller, from: request.client),
            isAnonymous: caller.principal.kind == .anonymous, asking: question, on: line,
            with: configuration.credentials[permit.grant.credential].name, in: upstream.parked, upstream.tools,
            since: instant)
    }
}
