/// What a client has proved by a certificate of its own, whose chain, usage and revocation the server has verified.
package final class ClientCertificate: Sendable {
    /// One of its alternative names (RFC 5280 section 4.2.1.6). The subject says nothing here: it has no type.
    package struct Name: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable { case dns, uri, email }

        package let kind: Kind
        /// As it stands in the certificate.
        package let value: [UInt8]

        package init(_ kind: Kind, _ value: [UInt8]) {
            self.kind = kind
            self.value = value
        }
    }

    package let names: [Name]
    /// Unix seconds of its last moment, which may come while the connection lasts.
    package let notAfter: Int64

    package init(names: [Name], notAfter: Int64) {
        self.names = names
        self.notAfter = notAfter
    }
}
