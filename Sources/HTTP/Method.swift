import Bytes

/// A request method (RFC 9110 section 9). Only the four that the service answers are told apart.
package enum Method: Sendable {
    case get, head, post, delete, options
    /// Any other token.
    case other

    init(_ token: Span<UInt8>) {
        self =
            if token.equals("GET") { .get } else if token.equals("POST") { .post } else if token.equals("HEAD") {
                .head
            } else if token.equals("DELETE") {
                .delete
            } else if token.equals("OPTIONS") { .options } else { .other }
    }
}
