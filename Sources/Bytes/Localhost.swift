/// The names that mean this machine everywhere, whatever a name server says (RFC 6761 section 6.3).
package enum Localhost {
    /// Whether a host is `localhost` or a name below it.
    /// - Parameter host: in lower case, without a final dot and without a port.
    package static func isName(_ host: some Collection<UInt8>) -> Bool {
        host.elementsEqual("localhost".utf8) || host.suffix(10).elementsEqual(".localhost".utf8)
    }
}
