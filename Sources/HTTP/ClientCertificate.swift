import Bytes

/// What a client has proved by a certificate of its own, whose chain, usage and revocation the server has verified.
package final class ClientCertificate: Sendable {
    package let names: [AlternativeName]
    /// Unix seconds of its last moment, which may come while the connection lasts.
    package let notAfter: Int64
    /// Unix seconds up to which it was not revoked, by the lists that it was checked against: then newer ones are to be asked.
    package let checkedUntil: Int64

    /// What its authorities have accepted it by, to be asked again when they are others (`ClientAuthorities.accept`).
    package let proof: [UInt8]

    package init(names: [AlternativeName], notAfter: Int64, checkedUntil: Int64, proof: [UInt8] = []) {
        self.names = names
        self.notAfter = notAfter
        self.checkedUntil = checkedUntil
        self.proof = proof
    }
}
