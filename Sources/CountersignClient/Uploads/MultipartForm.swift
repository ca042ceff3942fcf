import Foundation

/// A body of `multipart/form-data` (RFC 7578).
struct MultipartForm {
    let boundary = "countersign-" + UUID().uuidString
    private var body = Data()

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    mutating func add(_ name: String, _ value: String) {
        body.append(Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8))
    }

    /// The file, behind all other fields.
    func closed(with file: Data, named name: String, contentType: String) -> Data {
        let head = """
            --\(boundary)\r\nContent-Disposition: form-data; name="file"; filename="\(MultipartForm.quoted(name))"\r
            Content-Type: \(MultipartForm.line(contentType))\r\n\r\n
            """
        return body + Data(head.utf8) + file + Data("\r\n--\(boundary)--\r\n".utf8)
    }

    /// As browsers write names: a quote or a line break would end the field.
    private static func quoted(_ name: String) -> String {
        name.replacingOccurrences(of: "\"", with: "%22").replacingOccurrences(of: "\r", with: "%0D")
            .replacingOccurrences(of: "\n", with: "%0A")
    }

    private static func line(_ text: String) -> String { text.filter { !$0.isNewline } }
}
