import Bytes

/// Callers whom the operator names.
extension Authenticator {
    /// The caller that the operator names, as if it had proved who it is.
    /// - Parameter claims: what a token of it would say; its `exp` is when that ends. `sub` and `iss` need not be said.
    package func caller(_ principal: Principal, claiming claims: [JSONMember] = [], at now: Int64) -> Finding {
        guard principal.kind == .jwt else {
            guard claims.isEmpty else { return .refused("only callers of authentication.jwt have claims") }
            return caller(withoutClaims: principal, at: now)
        }
        guard let (issuer, index) = issuers.first(where: { $0.issuer.id == principal.id }) else {
            return .refused("authentication.jwt has no such issuer")
        }
        let own: [(name: [UInt8], value: [UInt8])] = [
            (Array(text: "sub"), principal.subject), (Array(text: "iss"), issuer.issuer),
        ]
        for (name, value) in own {
            guard claims.allSatisfy({ $0.name != name || $0.value.text == value }) else {
                return .refused("the claims sub and iss must be the caller's own")
            }
        }
        let others = claims.filter { claim in !own.contains { $0.name == claim.name } }
        var end: Int64?
        if let claim = claims.first(where: { $0.name.elementsEqual("exp".utf8) }) {
            end = JWTClaims.seconds(claim.value, roundingUp: false)
            guard let end else { return .refused("the claim exp is no time") }
            guard now < end + issuer.leeway else { return .refused("the claim exp is in the past") }
        }
        return .caller(
            Caller(
                principal, index: index, isDenied: denied.contains(principal),
                claims: CallerClaims(others, named: claimNames).adding(
                    own.filter { claimNames.contains($0.name) }.map { ($0.name, .single(.text($0.value))) }),
                by: .init(endsAt: end, leeway: issuer.leeway, proof: issuer.proofOfNamed)))
    }

    /// Of several keys, the one that holds longest.
    private func caller(withoutClaims principal: Principal, at now: Int64) -> Finding {
        if principal.isAnonymous { return .caller(anonymous) }
        guard principal.kind == .apiKey else {
            guard let index = index(of: principal.kind, principal.id) else {
                return .refused("authentication has no such identity")
            }
            return .caller(
                Caller(
                    principal, index: index, isDenied: denied.contains(principal),
                    by: .init(proof: proofOfNamed(certificate: principal.id))))
        }
        let own = keys.map(\.caller).filter { $0.principal == principal }
        guard let longest = own.max(by: { $0.endsAt ?? .max < $1.endsAt ?? .max }) else {
            return .refused("authentication.apiKeys has no such id")
        }
        if let end = longest.endsAt, now >= end {
            return .refused("every key of the id has ended", because: .endedKey(principal))
        }
        return .caller(longest)
    }
}
