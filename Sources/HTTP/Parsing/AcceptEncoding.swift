import Bytes

/// Which coding of its answer a client would rather have (RFC 9110 section 12.5.3); only gzip is offered beside none.
package enum AcceptEncoding {
    /// - Parameter field: the value of Accept-Encoding.
    package static func prefersGzip(_ field: Span<UInt8>) -> Bool {
        let gzip = ListField.weight(of: "gzip", in: field) ?? ListField.weight(of: "x-gzip", in: field)
        let wanted = gzip ?? ListField.weight(of: "*", in: field) ?? 0
        return wanted > 0 && wanted >= ListField.weight(of: "identity", in: field) ?? 0
    }
}
