import Bytes
import Crypto

/// What makes tickets and knows its own again, as the configuration has it.
package struct TicketKey: Sendable {
    private let secret: Secret
    /// The longest that a ticket may hold, in seconds.
    package let maximumLifetime: Int64
    /// What tells it from other keys.
    let id: [UInt8]
    /// The ids of tickets that are denied (R12).
    private let denied: Set<[UInt8]>

    /// The least bytes of a secret (R10).
    package static let minimumSecretLength = 32

    package init(_ secret: Secret, maximumLifetime: Int64, denied: Set<[UInt8]>) throws(CryptoError) {
        self.secret = try KeyDerivation.key(32, from: secret, for: "countersign ticket key v1")
        id = try TicketSigner(HMACKey(.sha256, self.secret)).keyID
        self.maximumLifetime = maximumLifetime
        self.denied = denied
    }

    /// An event loop's own part of the key.
    package func makeSigner() throws(CryptoError) -> TicketSigner { try TicketSigner(HMACKey(.sha256, secret)) }

    package func denies(_ id: [UInt8]) -> Bool { denied.contains(id) }
}

/// Writes tickets as `base64url(key id, ticket, HMAC-SHA256 of both)` without padding, and reads them.
package final class TicketSigner {
    private let key: HMACKey
    let keyID: [UInt8]

    /// The longest ticket, in characters: it must fit into a request line with all else.
    package static let maximumLength = 4096
    static let keyIDLength = 4
    private static let markLength = 16

    init(_ key: HMACKey) throws(CryptoError) {
        self.key = key
        // It tells tickets of an earlier secret, and nothing of the key.
        keyID = try key.sign(Array(text: "countersign ticket key id").span).bytes
            .extracting(0..<TicketSigner.keyIDLength).array
    }

    /// What a ticket has of the proof of its maker, by which that is known again. An API key or a secret of an issuer cannot be
    /// guessed by it without this signer's key; what is public of certificates is there as it is.
    package func mark(of proof: CallerProof) throws(CryptoError) -> [UInt8] {
        switch proof {
        case .nothing: []
        case .apiKey(let digest): try mark(of: [digest], as: "countersign ticket of an API key")
        case .issuer(let digest, let key): try mark(of: [digest, key], as: "countersign ticket of an issuer's token")
        case .certificate(let names, let proof): CallerProof.mark(names, proof)
        }
    }

    private func mark(of digests: [Digest], as purpose: StaticString) throws(CryptoError) -> [UInt8] {
        var text = ByteWriter(capacity: 128)
        text.append(purpose)
        for digest in digests { text.append(digest.bytes) }
        return try key.sign(text.bytes).bytes.extracting(0..<TicketSigner.markLength).array
    }

    /// - Returns: nil where the ticket would be longer than `maximumLength`.
    package func write(_ ticket: Ticket) throws(CryptoError) -> [UInt8]? {
        var out = ByteWriter(capacity: 512)
        out.append(keyID)
        ticket.write(into: &out)
        out.append(try key.sign(out.bytes).bytes)
        let text = Base64.urlSafe.encode(out.array).prefix { $0 != UInt8(ascii: "=") }
        return text.count <= TicketSigner.maximumLength ? Array(text) : nil
    }

    /// The ticket that `text` is; nil where it is none of this key's.
    package func read(_ text: Span<UInt8>) throws(CryptoError) -> Ticket? {
        guard text.count <= TicketSigner.maximumLength, let bytes = Base64.urlSafe.decode(text, padded: false) else {
            return nil
        }
        let end = bytes.count - key.codeLength
        guard end > TicketSigner.keyIDLength, let code = Digest(Array(bytes[end...])),
            try key.sign(bytes.span.extracting(0..<end)).constantTimeEquals(code),
            bytes.starts(with: keyID)
        else { return nil }
        return Ticket(reading: bytes.span.extracting(TicketSigner.keyIDLength..<end), keyID: keyID)
    }
}
