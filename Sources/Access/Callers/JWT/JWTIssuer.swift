import Bytes
import Crypto

/// Somebody whose tokens are believed, as the configuration has it.
package struct JWTIssuer: Sendable {
    /// What the configuration calls it: the identity that vouches for the subjects.
    package let id: [UInt8]
    /// The `iss` of its tokens, byte for byte.
    package let issuer: [UInt8]
    /// What must be in the `aud` of its tokens.
    package let audience: [UInt8]
    package let algorithms: [SignatureAlgorithm]
    /// Nil where they are fetched while the service runs, and stand in each `JWTMemory`.
    package let keys: JWTKeySet?
    /// By how many seconds its clock and ours may differ.
    package let leeway: Int64

    /// What tells its settings from others: whom its tokens are for, by which algorithms and keys, and where those are fetched.
    let fingerprint: Digest

    /// - Parameter source: where keys are fetched that are not known.
    package init(
        id: [UInt8], issuer: [UInt8], audience: [UInt8], algorithms: [SignatureAlgorithm], keys: JWTKeySet?,
        fetchedFrom source: [UInt8] = [], leeway: Int64
    ) throws(CryptoError) {
        self.id = id
        self.issuer = issuer
        self.audience = audience
        self.algorithms = algorithms
        self.keys = keys
        self.leeway = leeway
        var text = ByteWriter(capacity: 512)
        for part in [id, issuer, audience, source] + algorithms.map({ Array(text: $0.rawValue) }) {
            text.append(decimal: part.count)
            text.append(":")
            text.append(part)
        }
        for key in keys?.keys ?? [] { text.append(try key.key.fingerprint().bytes) }
        fingerprint = try Digest(.sha256, of: text.bytes)
    }

    /// Whether a token that says to be of this issuer is, and is meant for us.
    /// - Parameters:
    ///   - text: the token as it was sent.
    ///   - fetched: the keys that were fetched of the issuer last; nil where there are none.
    ///   - place: the issuer's.
    ///   - now: seconds since 1970.
    func check(
        _ token: JSONWebToken, sentAs text: Span<UInt8>, with fetched: JWTMemory.FetchedKeys?, of place: Int,
        at now: Int64
    ) throws(JWTFault) {
        guard algorithms.contains(token.algorithm) else { throw JWTFault("its alg is none of its issuer's") }
        guard let keys = keys ?? fetched?.keys else {
            throw JWTFault("its issuer's keys have not been fetched", issuerWithoutKey: place)
        }
        let candidates = keys.candidates(for: token.algorithm, named: token.keyID)
        if candidates.isEmpty {
            throw JWTFault("its issuer has no such key", issuerWithoutKey: self.keys == nil ? place : nil)
        }
        guard candidates.count <= JWTKeySet.mostTries else {
            throw JWTFault("it has no kid, and its issuer has too many keys to try them all")
        }
        guard try JWTIssuer.isSigned(token, text, by: candidates) else { throw JWTFault("its signature does not hold") }
        if self.keys == nil, fetched?.isCurrent(at: now) != true {
            throw JWTFault("its issuer's keys are out of date", issuerWithoutKey: place, isByOldKeys: true)
        }
        guard token.claims.audience.contains(audience) else {
            throw JWTFault("the token is for another audience", isGenuine: true)
        }
    }

    private static func isSigned(
        _ token: JSONWebToken, _ text: Span<UInt8>, by candidates: [JWTKeySet.Key]
    ) throws(JWTFault) -> Bool {
        let signed = text.extracting(0..<token.signedLength)
        for candidate in candidates {
            do throws(CryptoError) {
                if try candidate.key.verifies(token.signature.span, over: signed, by: token.algorithm) { return true }
            } catch {
                throw JWTFault("no signature can be checked now")
            }
        }
        return false
    }
}

/// When a token holds, in seconds since 1970, what its issuer's clock may be wrong by included.
package struct JWTValidity: Sendable {
    let start: Int64
    let end: Int64

    init(_ claims: JWTClaims, leeway: Int64) {
        start = claims.start.map { $0 - leeway } ?? .min
        end = claims.expiry + leeway
    }

    /// What is wrong with a token of an issuer's own at this moment; nil when nothing is.
    func fault(at now: Int64) -> JWTFault? {
        if now >= end { return JWTFault("the token has ended", isGenuine: true) }
        return now < start ? JWTFault("the token does not hold yet", isGenuine: true) : nil
    }
}
