import Bytes
import HTTP

/// What a body is, by its Content-Type (RFC 9110 section 8.3).
enum MediaType {
    case json, form, text
    /// No Content-Type was given.
    case none
    case other

    init(_ field: Span<UInt8>) {
        if field.isEmpty {
            self = .none
            return
        }
        let end = field.firstIndex(of: UInt8(ascii: ";")) ?? field.count
        let type = field.extracting(0..<end).trimmed
        let parameters = field.extracting(min(end + 1, field.count)..<field.count).trimmed
        let isUTF8 =
            parameters.isEmpty || parameters.equals(ignoringCase: "charset=utf-8")
            || parameters.equals(ignoringCase: "charset=\"utf-8\"")
        if !isUTF8 {
            self = .other
        } else if type.equals(ignoringCase: "application/json") {
            self = .json
        } else if type.equals(ignoringCase: "application/x-www-form-urlencoded") {
            self = .form
        } else if type.equals(ignoringCase: "text/plain") {
            self = .text
        } else {
            self = .other
        }
    }
}
