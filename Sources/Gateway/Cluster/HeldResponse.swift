import Bytes
import HTTP

/// What was written of an answer that must not leave yet.
final class HeldResponse {
    private var response = Response()

    /// Takes status and body over, and of the fields none: those are kept with the request.
    init(bodyOf other: inout Response) {
        swap(&response.body, &other.body)
        (response.status, response.contentType) = (other.status, other.contentType)
    }

    /// Takes all of it over.
    init(_ other: inout Response) { swap(&response, &other) }

    /// Adds it to an answer that has its fields, or some of them.
    func move(into other: inout Response) {
        var held = Response()
        swap(&held, &response)
        swap(&held.body, &other.body)
        (other.status, other.contentType) = (held.status, held.contentType)
        other.append(fields: held.fieldLines)
    }
}

// Unsafe: confined to the thread of a loop.
extension HeldResponse: @unchecked Sendable {}
