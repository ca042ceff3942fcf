import Bytes
import Crypto

/// A temporary credential that STS gave: for a client, as the answer that it is handed out in, or for the service itself, as a
/// key to sign with. Its secret is in memory once, and wiped when the credential is let go.
package final class STSCredential: Sendable {
    package let accessKeyID: [UInt8]
    /// For signing here; a client gets it within `writeAnswer`.
    let secret: Secret
    let securityToken: [UInt8]
    /// Seconds since 1970.
    package let expiresAt: Int64
    /// - Returns: nil for texts that could not stand in the answer as they are.
    package init?(accessKeyID: [UInt8], secret: [UInt8], securityToken: [UInt8], expiresAt: Int64) {
        guard STSGrammar.isPlain(accessKeyID, length: 1...128), STSGrammar.isPlain(secret, length: 1...256),
            STSGrammar.isPlain(securityToken, length: 1...16_384)
        else { return nil }
        self.accessKeyID = accessKeyID
        self.secret = Secret(secret)
        self.securityToken = securityToken
        self.expiresAt = expiresAt
    }

    /// Writes the whole JSON object that `/distribute-token.json` answers with. ali-oss copies all of its members into its own
    /// options, each with its first letter in lower case. So what a session is for stands in one member, `Scope`, which is no
    /// option of ali-oss; `Bucket`, `Region` or `Endpoint` beside the key would be.
    /// - Parameter scope: the members of that object.
    package func writeAnswer(for scope: JSONMembers, into out: inout ByteWriter) {
        out.append(object: { answer in
            answer.add("StatusCode", 200)
            answer.add("Code", "Success")
            answer.add("AccessKeyId", accessKeyID)
            answer.add("AccessKeySecret", text: { secret.reveal(into: &$0) })
            answer.add("SecurityToken", securityToken)
            answer.add("Expiration", time: expiresAt)
            answer.add("Scope", object: { $0.add(scope) })
        })
    }
}

extension STSCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<credential \(accessKeyID.text)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
