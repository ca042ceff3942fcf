import Bytes

/// The methods of the operations that are signed. OPTIONS is not signed.
package enum RequestVerb: UInt8, Sendable, CaseIterable {
    case get, put, post, delete, head

    package var name: StaticString {
        switch self {
        case .get: "GET"
        case .put: "PUT"
        case .post: "POST"
        case .delete: "DELETE"
        case .head: "HEAD"
        }
    }

    init?(_ text: Span<UInt8>) {
        for verb in RequestVerb.allCases where text.equals(verb.name) {
            self = verb
            return
        }
        return nil
    }

    /// The first line of what is signed.
    init(reading line: Span<UInt8>) throws(StringToSignError) {
        guard let verb = RequestVerb(line) else {
            throw StringToSignError(.verb, line: 1, "GET, PUT, POST, DELETE or HEAD, in capitals")
        }
        self = verb
    }
}
