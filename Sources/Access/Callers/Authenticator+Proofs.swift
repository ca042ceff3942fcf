import Bytes
import Crypto

/// Checks whether the credential of a known caller is still valid.
extension Authenticator {
    /// The credential of a ticket's maker; nil if it is not valid any more.
    /// - Parameter index: where the grants of its maker's identity are listed.
    /// - Throws: where only an issuer's keys, which have to be fetched, can tell.
    func proof(
        of ticket: Ticket, _ index: Int, by signer: TicketSigner, at now: Int64, _ memory: borrowing CredentialCache
    ) throws(JWTFault) -> CallerProof? {
        switch ticket.principal.kind {
        case .anonymous: return nil
        case .apiKey:
            let proofs = keys(ofCaller: index).lazy.map { keys[$0].caller.proof }
            guard let proof = proofs.first(where: { Authenticator.is($0, of: ticket, by: signer) }) else { return nil }
            return holds(proof, of: ticket.principal, at: now, memory) ? proof : nil
        case .jwt:
            guard let issuerIndex = issuers.firstIndex(where: { $0.index == index }) else { return nil }
            return try proof(of: ticket, by: signer, ofIssuer: issuerIndex, at: now, memory)
        case .certificate:
            guard let proof = CallerProof(certificateMark: ticket.mark) else { return nil }
            return holds(proof, of: ticket.principal, at: now, memory) ? proof : nil
        }
    }

    /// The key that has signed the token of a ticket's maker, if its issuer still has it.
    private func proof(
        of ticket: Ticket, by signer: TicketSigner, ofIssuer issuerIndex: Int, at now: Int64,
        _ memory: borrowing CredentialCache
    ) throws(JWTFault) -> CallerProof? {
        let issuer = issuers[issuerIndex].issuer
        if Authenticator.is(issuer.proofOfNamed, of: ticket, by: signer) { return issuer.proofOfNamed }
        let fetched = memory.keys(of: issuerIndex)
        guard let keys = issuer.keys ?? fetched?.keys else {
            throw JWTFault(
                "its issuer's keys have not been fetched", in: .key, issuerWithoutKey: issuerIndex, isByOldKeys: true)
        }
        for case let key? in keys.keys.map(\.fingerprint) {
            let proof = CallerProof.issuer(issuer.fingerprint, key: key)
            guard Authenticator.is(proof, of: ticket, by: signer) else { continue }
            if issuer.keys == nil, fetched?.isCurrent(at: now) != true {
                throw JWTFault(
                    "its issuer's keys are out of date", in: .key, issuerWithoutKey: issuerIndex, isByOldKeys: true)
            }
            return proof
        }
        if issuer.keys != nil { return nil }
        throw JWTFault("its issuer has no such key", in: .key, issuerWithoutKey: issuerIndex)
    }

    /// Whether a ticket was made by this credential; not where OpenSSL fails.
    private static func `is`(_ proof: CallerProof, of ticket: Ticket, by signer: TicketSigner) -> Bool {
        do throws(CryptoError) { return try signer.mark(of: proof) == ticket.mark } catch { return false }
    }

    /// What identifies a caller by certificate whom the operator names: its first name, with nothing that a list could revoke.
    func proofOfNamed(certificate id: [UInt8]) -> CallerProof {
        guard let name = certificates.first(where: { $0.caller.principal.id == id })?.name else { return .nothing }
        return .certificate([name], authorities?.proof ?? [])
    }

    /// Whether this configuration would authenticate, and not deny, a caller that another configuration, or this one earlier, has
    /// authenticated.
    /// - Parameter memory: this configuration's, which has the keys that were fetched last.
    package func serves(_ caller: Caller, at now: Int64, _ memory: borrowing CredentialCache) -> Bool {
        // A caller of its own has been found by a key that it has: nothing can change but the time.
        if case .apiKey = caller.proof, callers.indices.contains(caller.index), callers[caller.index] === caller {
            return !caller.isDenied && !hasEnded(caller, at: now)
        }
        if denied.contains(caller.principal) || hasEnded(caller, at: now) { return false }
        if let ticket = caller.ticket {
            guard let ticketKey, ticket.keyID == ticketKey.id, !ticketKey.denies(ticket.id) else { return false }
        }
        return holds(caller.proof, of: caller.principal, at: now, memory)
    }

    /// Whether a caller's credential has ended. What its issuer's clock may be wrong by, is said by this configuration.
    private func hasEnded(_ caller: Caller, at now: Int64) -> Bool {
        if let ticket = caller.ticket { return ticket.hasEnded(at: now) }
        guard let end = caller.endsAt else { return false }
        guard caller.principal.kind == .jwt else { return now >= end }
        return now >= end + (issuers.first { $0.issuer.id == caller.principal.id }?.issuer.leeway ?? 0)
    }

    /// Whether a credential that has identified a caller would identify it now.
    func holds(
        _ proof: CallerProof, of principal: Principal, at now: Int64, _ memory: borrowing CredentialCache
    ) -> Bool {
        guard let index = index(of: principal.kind, principal.id) else { return false }
        switch proof {
        case .nothing: return principal.isAnonymous
        case .apiKey(let digest):
            return keys(ofCaller: index).contains {
                keys[$0].digest.constantTimeEquals(digest) && now < keys[$0].caller.endsAt ?? .max
            }
        case .issuer(let settings, let key):
            guard let issuerIndex = issuers.firstIndex(where: { $0.index == index }) else { return false }
            return issuers[issuerIndex].issuer.holds(settings, key: key, with: memory.keys(of: issuerIndex), at: now)
        case .certificate(let names, let proof):
            return holders(of: names).map(\.index) == [index] && authorities?.accept(proof, at: now) ?? false
        }
    }

    /// The indices of the API keys of one identity.
    private func keys(ofCaller index: Int) -> ArraySlice<Int> {
        keysByCaller[keysByCaller.lowerBound { keys[$0].caller.index < index }...]
            .prefix { keys[$0].caller.index == index }
    }
}
