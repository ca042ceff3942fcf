import Bytes
import HTTP

/// Reads a form with a file in it (`multipart/form-data`, RFC 7578) while it arrives: small fields as a whole, the file piece by piece.
final class MultipartForm {
    /// What stands before a part's bytes.
    struct Part: Equatable {
        let name: [UInt8]
        /// nil where the part is no file.
        var filename: [UInt8]?
        /// Content-Type; nil where it is not said.
        var mediaType: [UInt8]?
    }

    /// Bytes of a part's head.
    private static let longestHead = 8 * 1024

    private let body: BodyReader
    /// What ends a part: a line break and the boundary.
    private let delimiter: [UInt8]
    /// What has come and was not given out. A line break is put before the first boundary, which may have none.
    private var pending: [UInt8] = Array("\r\n".utf8)
    /// Whether the bytes of a part are next.
    private var isInPart = false
    private var isBeforeFirst = true
    private var isOver = false

    /// - Returns: nil where the request's Content-Type names no boundary of 1 to 70 characters.
    init?(_ request: SandboxRequest, _ body: BodyReader) {
        guard request.isMultipartForm, let type = request.value(of: "content-type"),
            let boundary = MultipartForm.parameter("boundary", of: type), (1...70).contains(boundary.count)
        else { return nil }
        self.body = body
        delimiter = Array("\r\n--".utf8) + boundary
    }

    /// The next part; what is left of the part before is skipped.
    /// - Returns: nil when there are no more.
    func next() throws(BodyReader.Fault) -> Part? {
        while try read() != nil {}
        guard !isOver else { return nil }
        try fill(until: 2)
        if pending.starts(with: "--".utf8) {
            isOver = true
            return nil
        }
        guard let end = try headEnd() else { throw .malformed("a part of the form has no end of its head") }
        let head = Array(pending[..<end])
        pending.removeFirst(end + 4)
        isInPart = true
        return try MultipartForm.part(head)
    }

    /// The next bytes of the part; nil at its end.
    func read() throws(BodyReader.Fault) -> [UInt8]? {
        // Before the first boundary there may be a text that means nothing.
        guard isInPart || isBeforeFirst else { return nil }
        while true {
            if let index = try delimiterIndex() {
                let bytes = Array(pending[..<index])
                guard bytes.isEmpty else {
                    pending.removeFirst(index)
                    return bytes
                }
                pending.removeFirst(delimiter.count)
                isInPart = false
                isBeforeFirst = false
                return nil
            }
            let safe = pending.count - delimiter.count + 1
            if safe >= 16 * 1024 {
                let bytes = Array(pending[..<safe])
                pending.removeFirst(safe)
                return bytes
            }
            guard let more = try body.read() else { throw .malformed("the form does not end with its boundary") }
            pending += more
        }
    }

    /// Where the next delimiter is, as far as it has come: a line of its own, so that a longer boundary is none.
    private func delimiterIndex() throws(BodyReader.Fault) -> Int? {
        var start = 0
        while let index = MultipartForm.index(of: delimiter, in: pending, from: start) {
            let end = index + delimiter.count
            try fill(until: end + 2)
            if MultipartForm.follows.contains(Array(pending[end..<end + 2])) { return index }
            start = index + 1
        }
        return nil
    }

    /// What comes behind a delimiter: a part, or with two hyphens the end.
    private static let follows = ["\r\n", "--"].map { Array($0.utf8) }

    /// A part's bytes as a whole, where they are no more than `most`.
    func readAll(atMost most: Int) throws(BodyReader.Fault) -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = try read() {
            guard all.count + bytes.count <= most else { throw .tooLarge }
            all += bytes
        }
        return all
    }

    private func fill(until count: Int) throws(BodyReader.Fault) {
        while pending.count < count {
            guard let more = try body.read() else { throw .malformed("the form does not end with its boundary") }
            pending += more
        }
    }

    /// Where the empty line behind a part's head is.
    private func headEnd() throws(BodyReader.Fault) -> Int? {
        while true {
            if let index = MultipartForm.index(of: Array("\r\n\r\n".utf8), in: pending) { return index }
            guard pending.count <= MultipartForm.longestHead, let more = try body.read() else { return nil }
            pending += more
        }
    }

    // MARK: Heads

    private static func part(_ head: [UInt8]) throws(BodyReader.Fault) -> Part {
        let lines = Array(head.dropFirst(2)) + Array("\r\n".utf8)
        let fields = SandboxRequest.fields(lines.span)
        func value(_ name: StaticString) -> [UInt8]? {
            fields.first { $0.name.span.equals(ignoringCase: name) }.map { $0.value.span.trimmed.array }
        }
        guard let disposition = value("content-disposition"), disposition.starts(with: "form-data".utf8),
            let name = parameter("name", of: disposition)
        else { throw .malformed("a part of the form has no name") }
        return Part(name: name, filename: parameter("filename", of: disposition), mediaType: value("content-type"))
    }

    /// The value of `; name=value` or `; name="value"`; nil where there is none.
    static func parameter(_ name: StaticString, of text: [UInt8]) -> [UInt8]? {
        var rest = text.drop { $0 != UInt8(ascii: ";") }
        while rest.first == UInt8(ascii: ";") {
            rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") }
            let found = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            rest = rest.dropFirst(found.count)
            guard rest.first == UInt8(ascii: "=") else { continue }
            var value: [UInt8] = []
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                while let byte = rest.first, byte != UInt8(ascii: "\"") {
                    // A quotation mark within a name comes with a backslash before it.
                    if byte == UInt8(ascii: "\\"), let next = rest.dropFirst().first, next == UInt8(ascii: "\"") {
                        rest = rest.dropFirst()
                    }
                    if let byte = rest.first { value.append(byte) }
                    rest = rest.dropFirst()
                }
                rest = rest.drop { $0 != UInt8(ascii: ";") }
            } else {
                value = Array(rest.prefix { $0 != UInt8(ascii: ";") }).span.trimmed.array
                rest = rest.drop { $0 != UInt8(ascii: ";") }
            }
            if Array(found).span.equals(ignoringCase: name) { return value }
        }
        return nil
    }

    private static func index(of pattern: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
        let (span, wanted) = (bytes.span, pattern.span)
        var index = start
        while let start = span.firstIndex(of: wanted[0], from: index), start + wanted.count <= span.count {
            if span.extracting(start..<start + wanted.count).equals(wanted) { return start }
            index = start + 1
        }
        return nil
    }
}
