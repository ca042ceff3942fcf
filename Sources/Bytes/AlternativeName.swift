/// One of the alternative names of a certificate (RFC 5280 section 4.2.1.6), compared as bytes with its kind (R9). The subject
/// says nothing here: it has no kind.
package struct AlternativeName: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable { case dns, uri, email }

    package let kind: Kind
    /// As it stands in the certificate.
    package let value: [UInt8]

    package init(_ kind: Kind, _ value: [UInt8]) {
        self.kind = kind
        self.value = value
    }
}
