import Bytes
import Crypto

/// An issuer whose tokens are believed, as the configuration has it.
package struct JWTIssuer: Sendable {
    /// What the configuration calls it: the identity that vouches for the subjects.
    package let id: [UInt8]
    /// The `iss` of its tokens, byte for byte.
    package let issuer: [UInt8]
    /// What must be in the `aud` of its tokens.
    package let audience: [UInt8]
    package let algorithms: [SignatureAlgorithm]
    /// Nil where they are fetched while the service runs, and stand in each `CredentialCache`.
    package let keys: JWTKeySet?
    /// By how many seconds its clock and ours may differ.
    package let leeway: Int64

    /// What tells its settings from others: whom its tokens are for, by which algorithms, and where its keys are fetched.
    let fingerprint: Digest
    /// What tells its configured keys, all together, from others.
    private let keysFingerprint: Digest

    /// Where its keys are.
    package enum Keys {
        case known(JWTKeySet)
        /// Where they are fetched.
        case fetched(from: [UInt8])
    }

    package init(
        id: [UInt8], issuer: [UInt8], audience: [UInt8], algorithms: [SignatureAlgorithm], keys: Keys, leeway: Int64
    ) throws(CryptoError) {
        let source: [UInt8]
        switch keys {
        case .known(let known): (self.keys, source) = (known, [])
        case .fetched(let url): (self.keys, source) = (nil, url)
        }
        self.id = id
        self.issuer = issuer
        self.audience = audience
        self.algorithms = algorithms
        self.leeway = leeway
        var text = ByteWriter(capacity: 512)
        for part in [id, issuer, audience, source] + algorithms.map({ Array(text: $0.rawValue) }) {
            text.append(decimal: part.count)
            text.append(":")
            text.append(part)
        }
        fingerprint = try Digest(.sha256, of: text.bytes)
        text.reset()
        for key in self.keys?.keys ?? [] { text.append(try key.key.fingerprint().bytes) }
        keysFingerprint = try Digest(.sha256, of: text.bytes)
    }

    /// What identifies callers whom the operator names, who have shown no token.
    var proofOfNamed: CallerProof { .issuer(fingerprint, key: keysFingerprint) }

    /// Whether its settings, and the key that has signed a token, are still those that a proof was made by.
    /// - Parameter fetched: the keys that were fetched last; nil where there are none.
    func holds(_ settings: Digest, key: Digest, with fetched: CredentialCache.FetchedKeys?, at now: Int64) -> Bool {
        guard fingerprint.constantTimeEquals(settings) else { return false }
        if keysFingerprint.constantTimeEquals(key) { return true }
        guard let keys = keys ?? (fetched?.isCurrent(at: now) == true ? fetched?.keys : nil) else { return false }
        return keys.keys.contains { $0.fingerprint?.constantTimeEquals(key) == true }
    }

    /// Whether a token that says to be of this issuer is, and is meant for us.
    /// - Parameters:
    ///   - text: the token as it was sent.
    ///   - fetched: the keys that were fetched of the issuer last; nil where there are none.
    ///   - issuerIndex: this issuer's, for `JWTFault`.
    ///   - now: seconds since 1970.
    /// - Returns: what identifies the token's caller.
    func check(
        _ token: JSONWebToken, sentAs text: Span<UInt8>, with fetched: CredentialCache.FetchedKeys?,
        of issuerIndex: Int, at now: Int64
    ) throws(JWTFault) -> CallerProof {
        guard algorithms.contains(token.algorithm) else {
            throw JWTFault("its alg is none of its issuer's", in: .algorithm)
        }
        guard let keys = keys ?? fetched?.keys else {
            throw JWTFault("its issuer's keys have not been fetched", in: .key, issuerWithoutKey: issuerIndex)
        }
        let candidates = keys.candidates(for: token.algorithm, named: token.keyID)
        if candidates.isEmpty {
            throw JWTFault(
                "its issuer has no such key", in: .key, issuerWithoutKey: self.keys == nil ? issuerIndex : nil)
        }
        guard candidates.count <= JWTKeySet.mostTries else {
            throw JWTFault("it has no kid, and its issuer has too many keys to try them all", in: .key)
        }
        guard let key = try JWTIssuer.signer(of: token, text, among: candidates) else {
            throw JWTFault("its signature does not hold", in: .signature)
        }
        if self.keys == nil, fetched?.isCurrent(at: now) != true {
            throw JWTFault(
                "its issuer's keys are out of date", in: .key, issuerWithoutKey: issuerIndex, isByOldKeys: true)
        }
        if let fault = token.claims.audience.fault(for: audience) { throw fault }
        guard let digest = key.fingerprint else { throw JWTFault("no signature can be checked now", in: .signature) }
        return .issuer(fingerprint, key: digest)
    }

    private static func signer(
        of token: JSONWebToken, _ text: Span<UInt8>, among candidates: [JWTKeySet.Key]
    ) throws(JWTFault) -> JWTKeySet.Key? {
        let signed = text.extracting(0..<token.signedLength)
        for candidate in candidates {
            do throws(CryptoError) {
                if try candidate.key.verifies(token.signature.span, over: signed, by: token.algorithm) {
                    return candidate
                }
            } catch {
                throw JWTFault("no signature can be checked now", in: .signature)
            }
        }
        return nil
    }
}
