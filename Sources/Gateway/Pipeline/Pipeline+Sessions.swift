import Access
import Bytes
import HTTP
import Providers
import Upstream

/// Temporary keys that the vendor issues and the service answers with.
extension Pipeline {
    /// A temporary credential of the vendor's own: the one that is remembered, or the one that is fetched now.
    mutating func distribute(
        by issuer: SessionIssuer, under permit: consuming Permit, _ request: borrowing Request,
        into response: inout Response
    ) throws(Refusal) -> Outcome {
        let (caller, instant) = (context.caller, context.instant)
        guard let sessions = upstream.sessions(of: permit.grant.credential) else { throw .internalError }
        let session: RememberedSession
        do throws(SessionRequestFault) {
            session = try memo.session(under: permit, for: caller) { permit throws(SessionRequestFault) in
                try issuer.session(under: permit, for: caller.principal, of: sessions.account.source, using: &scratch)
            }
        } catch {
            throw fail("a session", error)
        }
        let terms = SessionTerms(
            expiresAt: permit.expiresAt, limitedBy: permit.limitedBy, scope: session.session.scope, form: issuer.form)
        if let credential = session.credential(at: instant) {
            let issued = response.write(credential, on: terms, at: instant)
            return try record(permit, issued, of: request, in: &response)
        }
        switch sessions.ask(session.session, for: CacheClient(caller, from: request.client, paying: true), at: instant)
        {
        case .now(.serve(let credential)):
            session.remember(credential, at: instant)
            let issued = response.write(credential, on: terms, at: instant)
            return try record(permit, issued, of: request, in: &response)
        case .now(.refuse(let refusal)): throw counted(refusal)
        case .later(let waiter):
            let parked = try park(request, with: response, issuing: permit)
            try sessions.park(parked, waiting: waiter, in: upstream.parked, since: instant) {
                credential, response throws(Refusal) in
                response.write(credential, on: terms, at: instant)
            }
            return postpone(permit)
        }
    }
}
