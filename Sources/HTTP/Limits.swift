/// How much, and for how long, one client may occupy the server. Sizes in bytes, times in milliseconds.
package struct Limits: Sendable {
    /// The request line without its line break; more is answered 414.
    package var requestLine = 8 * 1024
    /// All field lines of a request together; more is answered 431.
    package var headers = 32 * 1024
    /// The number of field lines; more is answered 431.
    package var headerCount = 100
    /// The content of a request after its transfer coding is taken off; more is answered 413.
    package var body = 256 * 1024
    /// Bytes of TLS that carry no data, such as new keys; a client that sends more is cut off.
    package var tlsMessages = 128 * 1024
    /// From the first byte of a request to the end of its head.
    package var headerTimeout: Int64 = 10_000
    /// From the first byte of a request to its last.
    package var requestTimeout: Int64 = 25_000
    /// From the first byte of an answer that the client does not take to its last.
    package var writeTimeout: Int64 = 15_000
    /// From a request that waits for its answer to the answer. Handlers have bounds of their own, told in their own words;
    /// this is longer than all of them, for one that forgets a request.
    package var answerTimeout: Int64 = 90_000
    /// Without a byte between two requests.
    package var idleTimeout: Int64 = 60_000

    package init() {}

    /// The longest chunk line or trailer line that is read, in bytes; extensions are skipped, so there is nothing to tune.
    static let chunkLine = 256
    /// All chunk framing and trailers of one request: six bytes a chunk for a body sent byte by byte, and some more.
    var chunkOverhead: Int { body * 6 + 4096 }
}
