/// One question to another server, and what bounds it.
package struct Exchange: Sendable {
    package enum Scheme: Sendable {
        /// Over TLS 1.2 or 1.3; the peer's certificate and its name are verified.
        case https(TLSTrust)
        /// Readable and forgeable by everyone between here and there: only to this machine's own addresses and to the
        /// metadata service of the cloud, 100.100.100.200. Anything else is refused at once.
        case http
    }

    package var scheme: Scheme
    /// A name, or a numeric IPv4 or IPv6 address, the latter with or without brackets.
    package var host: String
    package var port: UInt16
    /// Head and body as they go on the wire.
    package var request: [UInt8]
    /// Whether it may be sent again when a kept connection turns out to be dead: not a request that counts once only, such
    /// as one with a nonce, which the peer may have read before it closed.
    package var isRepeatable = true
    /// Whether the request is a HEAD, whose answer has no content.
    package var isHead = false
    /// Monotonic milliseconds at which it is over, whatever has come by then: for finding the address, connecting, the
    /// handshake, sending and receiving together. Looked at four times a second.
    package var deadline: Int64
    /// The most bytes of content that the answer may have.
    package var answerLimit: Int

    package init(
        _ scheme: Scheme, host: String, port: UInt16, request: [UInt8], deadline: Int64, answerLimit: Int = 256 * 1024
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.request = request
        self.deadline = deadline
        self.answerLimit = answerLimit
    }
}

/// What the other server said, whatever its status; a redirect is an answer like any other.
package struct ExchangeAnswer: Sendable {
    package let status: Int
    /// Names in lower case, in the order they came.
    package let fields: [(name: [UInt8], value: [UInt8])]
    /// The content, its transfer coding taken off.
    package let body: [UInt8]

    /// The first value of a field; `name` in lower case.
    package func field(_ name: String) -> [UInt8]? { fields.first { $0.name.elementsEqual(name.utf8) }?.value }
}
