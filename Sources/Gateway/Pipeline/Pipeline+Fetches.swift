import Access
import Bytes
import Configuration
import Crypto
import HTTP
import Providers
import Upstream

/// What only the vendor knows, and the service asks it for.
extension Pipeline {
    mutating func question(
        by issuer: any VendorIssuer, under permit: borrowing Permit, with key: SigningKey
    ) throws(Refusal) -> any VendorQuestion {
        do throws(IssueError) { return try issuer.question(ask, under: permit, with: key, using: &scratch) } catch {
            throw fail("a question to the vendor", error)
        }
    }

    /// Parks the request until the vendor has answered.
    func fetch(
        _ question: any VendorQuestion, under permit: borrowing Permit, on link: VendorLink,
        _ request: borrowing Request, with response: borrowing Response
    ) throws(Refusal) {
        let caller = context.caller
        let client = RateTable.Identity.hash(caller, from: request.client)
        try takeCall(of: client, on: link)
        let fetch = Fetch(
            question: question, link: link, credential: configuration.credentials[permit.grant.credential].name,
            caller: client, isAnonymous: caller.principal.isAnonymous)
        try fetch.park(
            park(request, with: response, issuing: permit, asking: question.operation), in: upstream.parked,
            upstream.tools, since: context.instant)
    }

    /// Takes a call off the caller's share.
    private func takeCall(of client: UInt64, on link: VendorLink) throws(Refusal) {
        guard let wait = link.takeShare(of: client, at: context.instant) else { return }
        meter.count(.callsPerCaller)
        throw .rateLimited(wait: wait)
    }
}
