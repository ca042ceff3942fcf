import Bytes
import Crypto

/// A temporary credential that a vendor gave: for a client, as the answer that it is handed out in, or for the service itself, as
/// a key to sign with. Its secret is in memory once, and wiped when the credential is let go.
package final class SessionCredential: Sendable {
    package let accessKeyID: [UInt8]
    /// For signing here; a client gets it by `addSecret`.
    let secret: Secret
    let securityToken: [UInt8]
    /// Seconds since 1970.
    package let expiresAt: Int64

    /// - Returns: nil for texts that could not stand in the answer as they are.
    package convenience init?(accessKeyID: [UInt8], secret: [UInt8], securityToken: [UInt8], expiresAt: Int64) {
        guard SessionCredential.isPlain(secret, length: 1...256) else { return nil }
        self.init(
            accessKeyID: accessKeyID, checked: Secret(secret), securityToken: securityToken, expiresAt: expiresAt)
    }

    /// - Parameter secret: one that could stand in an answer.
    init?(accessKeyID: [UInt8], checked secret: Secret, securityToken: [UInt8], expiresAt: Int64) {
        guard SessionCredential.isPlain(accessKeyID, length: 1...128),
            SessionCredential.isPlain(securityToken, length: 1...16_384)
        else { return nil }
        self.accessKeyID = accessKeyID
        self.secret = secret
        self.securityToken = securityToken
        self.expiresAt = expiresAt
    }

    /// When a credential ends for everybody who is told of it.
    /// - Parameters:
    ///   - end: what the vendor says.
    ///   - longest: the seconds that were asked for. What the vendor gives beyond them is told to nobody (R5); nil where none were.
    static func end(_ end: Int64, at now: Int64, longest: Int64?) -> Int64 {
        guard let longest else { return end }
        let (limit, overflow) = now.addingReportingOverflow(min(longest, SessionForm.durations.upperBound))
        return overflow ? end : min(end, limit)
    }

    /// Whether `text` is visible ASCII that stands in a JSON string, a header or a log as it is.
    static func isPlain(_ text: [UInt8], length: ClosedRange<Int>) -> Bool {
        plainBytes.contains(all: text, length: length)
    }

    private static let plainBytes = ByteSet(0x21...0x7E).subtracting(ByteSet("\"\\"))

    /// Adds the secret to an answer for a client.
    func addSecret(as name: StaticString, to answer: inout JSONObject) {
        answer.add(name, text: { secret.reveal(into: &$0) })
    }

    /// The key pair, ready to sign.
    package func signingKey() throws(CryptoError) -> SigningKey {
        try SigningKey(accessKey: accessKeyID, secret: secret, securityToken: securityToken)
    }
}

extension SessionCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<credential \(accessKeyID.text)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
