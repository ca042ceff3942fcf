import Access
import Bytes
import Crypto
import HTTP
import Providers
import Telemetry
import Upstream

/// What is signed with the key of a session.
extension Pipeline {
    /// Signs with the session that is remembered, or parks the request until there is one.
    mutating func sign(
        by issuer: any TokenIssuer, with session: SigningSession, under permit: consuming Permit,
        _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) -> Outcome {
        let (caller, instant) = (context.caller, context.instant)
        let client = request.client
        switch session.ask(for: CacheClient(caller, from: client, paying: false), at: instant) {
        case .now(.serve(let credential)):
            permit.shorten(to: credential.expiresAt)
            let key: SigningKey
            do throws(CryptoError) { key = try session.key(of: credential) } catch { throw fail("a session", error) }
            try write(by: issuer, under: permit, with: key, into: &response)
            let terms = IssueTerms(permit)
            return try record(permit, terms, of: request, in: &response)
        case .now(.refuse(let refusal)): throw counted(refusal)
        case .later(let waiter):
            let parked = try park(request, with: response, issuing: permit)
            let token = ParkedToken(ask.detailOnly(), by: issuer, with: session, under: permit, at: instant)
            try session.cache.park(parked, waiting: waiter, in: upstream.parked, since: instant) {
                [log, id = context.id.bytes.text] credential, response throws(Refusal) in
                do { return try token.write(with: credential, into: &response) } catch {
                    log.write(.error, "issuing failed", ["requestId": id, "error": "\(error)"])
                    throw .internalError
                }
            }
            return .parked
        }
    }
}

/// What is to be signed when the session has come, by the permit that was given when it was asked for.
private final class ParkedToken {
    private let ask: Ask
    private let issuer: any TokenIssuer
    private let session: SigningSession
    private var permit: Permit
    private let instant: Instant

    init(
        _ ask: consuming Ask, by issuer: any TokenIssuer, with session: SigningSession,
        under permit: consuming Permit, at instant: Instant
    ) {
        self.ask = ask
        self.issuer = issuer
        self.session = session
        self.permit = permit
        self.instant = instant
    }

    func write(with credential: SessionCredential, into response: inout Response) throws -> IssueTerms {
        permit.shorten(to: credential.expiresAt)
        var writer = TokenWriter()
        try writer.write(
            ask, by: issuer, with: try session.key(of: credential), under: permit, at: instant, into: &response)
        return IssueTerms(permit)
    }
}
