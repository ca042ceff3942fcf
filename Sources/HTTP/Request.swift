import Bytes

/// One complete request, borrowed from the buffer it was read into.
package struct Request: ~Copyable, ~Escapable {
    package let head: RequestHead
    private let bytes: Span<UInt8>
    /// The content, its transfer coding taken off; empty when there is none.
    package let body: Span<UInt8>
    /// The index, among the addresses that the server listens on, of the one that it came in by.
    package let listener: Int
    package let client: ClientAddress
    /// What the client has shown by TLS, already verified.
    package let certificate: ClientCertificate?
    /// Whether the handler has judged the head before the body came: then the request has been counted.
    package var wasAdmitted = false
    /// By which scheme the client asked a trusted proxy; nil where none tells it.
    package var forwardedScheme: ForwardedScheme?

    @_lifetime(copy bytes, copy body)
    package init(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Span<UInt8>, listener: Int = 0,
        client: ClientAddress = .none, certificate: ClientCertificate? = nil
    ) {
        self.head = head
        self.bytes = bytes
        self.body = body
        self.listener = listener
        self.client = client
        self.certificate = certificate
    }

    package var path: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(head.path) }
    }

    /// Path and query with the `?` between them; without it where the query is empty.
    package var target: Span<UInt8> {
        @_lifetime(copy self)
        get {
            bytes.extracting(head.path.lowerBound..<(head.query.isEmpty ? head.path.upperBound : head.query.upperBound))
        }
    }

    package var query: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(head.query) }
    }

    /// Host and port as the client wrote them.
    package var authority: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(head.authority) }
    }

    /// All field lines as they were sent, each ended by CR LF: for handlers that must see fields that have no `FieldName`,
    /// such as a signature's. The parser has checked the form of each.
    package var fieldLines: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(head.fieldLines) }
    }

    /// A field's value, empty when the field is not there; `head.value(of:)` tells the two apart.
    @_lifetime(copy self)
    package func field(_ name: FieldName) -> Span<UInt8> {
        bytes.extracting(head.value(of: name) ?? 0..<0)
    }
}
