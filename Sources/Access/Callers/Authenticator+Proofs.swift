import Bytes
import Crypto

/// Checks whether the credential of a known caller is still valid.
extension Authenticator {
    /// The credential of a ticket's maker; nil if it is not valid any more.
    /// - Parameter index: where the grants of its maker's identity are listed.
    func proof(
        of ticket: Ticket, _ index: Int, by signer: TicketSigner, at now: Int64
    ) throws(CryptoError) -> CallerProof? {
        switch ticket.principal.kind {
        case .anonymous: return nil
        case .apiKey:
            for key in keys(ofCaller: index) where try signer.mark(of: key.caller.proof) == ticket.mark {
                return holds(key.caller.proof, of: ticket.principal, at: now) ? key.caller.proof : nil
            }
            return nil
        case .jwt:
            guard let issuer = issuers.first(where: { $0.index == index })?.issuer else { return nil }
            let proof = CallerProof.issuer(issuer.fingerprint)
            return try signer.mark(of: proof) == ticket.mark ? proof : nil
        case .certificate:
            let proof = CallerProof.certificate(ticket.mark)
            return holds(proof, of: ticket.principal, at: now) ? proof : nil
        }
    }

    /// Whether this configuration would authenticate, and not deny, a caller that another configuration has authenticated.
    package func serves(_ caller: Caller, at now: Int64) -> Bool {
        if denied.contains(caller.principal) { return false }
        if let ticket = caller.ticket {
            guard let ticketKey, ticket.keyID == ticketKey.id, !ticketKey.denies(ticket.id) else { return false }
        }
        return holds(caller.proof, of: caller.principal, at: now)
    }

    /// Whether a credential that has identified a caller would identify it now.
    func holds(_ proof: CallerProof, of principal: Principal, at now: Int64) -> Bool {
        guard let index = index(of: principal.kind, principal.id) else { return false }
        switch proof {
        case .nothing: return principal.kind == .anonymous
        case .apiKey(let digest):
            return keys(ofCaller: index).contains {
                $0.digest.constantTimeEquals(digest) && now < $0.caller.endsAt ?? .max
            }
        case .issuer(let digest):
            return issuers.contains { $0.index == index && $0.issuer.fingerprint.constantTimeEquals(digest) }
        case .certificate(let proof): return authorities?.accept(proof, at: now) ?? false
        }
    }

    /// The API keys of one identity.
    private func keys(
        ofCaller index: Int
    ) -> some Sequence<(prefix: UInt64, digest: Digest, caller: Caller)> {
        keysByCaller[keysByCaller.place { keys[$0].caller.index < index }...].lazy
            .map { [keys] in keys[$0] }.prefix { $0.caller.index == index }
    }
}
