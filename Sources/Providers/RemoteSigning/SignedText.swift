import Access
import Bytes

/// The rules that are the same for everything that clients submit to be signed. All of them work in place.
enum SignedText {
    /// Bytes of the longest text that is read.
    package static let maximumLength = 16_384

    /// Refuses what is no text of lines that end with LF.
    static func check(_ text: Span<UInt8>) throws(StringToSignError) {
        guard text.count <= maximumLength else { throw StringToSignError(.syntax, "at most 16384 bytes") }
        var start = 0
        while let index = text.firstControlCharacter(from: start) {
            guard text[index] == UInt8(ascii: "\n") else {
                throw StringToSignError(.syntax, "no control characters; a line ends with LF alone")
            }
            start = index + 1
        }
        guard UTF8Text.isWellFormed(text) else { throw StringToSignError(.syntax, "valid UTF-8") }
    }

    /// The line at `start` without its LF; nil where no LF follows any more.
    /// - Parameter start: moved behind the LF.
    static func line(_ start: inout Int, of text: Span<UInt8>) -> Range<Int>? {
        guard let end = text.firstIndex(of: UInt8(ascii: "\n"), from: start) else { return nil }
        defer { start = end + 1 }
        return start..<end
    }

    /// Canonical base64 of 16 bytes: 21 digits of six bits, one of two bits (its four low bits zero), two of padding.
    static func checkContentMD5(_ text: Span<UInt8>, line: Int? = nil) throws(StringToSignError) {
        guard text.isEmpty || isMD5(text) else {
            throw StringToSignError(.contentMD5, line: line, "empty, or the standard base64 of 16 bytes")
        }
    }

    static func checkContentType(_ text: Span<UInt8>, line: Int? = nil) throws(StringToSignError) {
        guard text.count <= 256, text.isASCII, !hasOuterSpace(text) else {
            throw StringToSignError(
                .contentType, line: line, "empty, or at most 256 ASCII characters without spaces around them")
        }
    }

    /// - Parameters:
    ///   - line: the first line's number.
    ///   - isSigned: whether a name is one that is signed.
    static func checkHeaders(
        _ headers: borrowing NamedValues, line first: Int, where isSigned: (Span<UInt8>) -> Bool
    ) throws(StringToSignError) {
        var (position, line) = (0, first)
        var last: Range<Int>?
        while let header = headers.next(&position) {
            let name = headers.bytes(header.name)
            guard let value = header.value, isHeaderName(name), isSigned(name) else {
                throw StringToSignError(
                    .header, line: line,
                    "name:value, the name in lower case and one that is signed; what else may follow is the last line")
            }
            guard !hasOuterSpace(headers.bytes(value)) else {
                throw StringToSignError(.header, line: line, "a value without spaces around it")
            }
            if let last, !headers.bytes(last).precedes(name) {
                throw StringToSignError(.header, line: line, "names in ascending byte order, each once")
            }
            last = header.name
            line += 1
        }
    }

    static func checkBucket(
        _ name: Span<UInt8>, _ scheme: V4Scheme, line: Int? = nil
    ) throws(StringToSignError) {
        guard scheme.isBucket(name) else {
            throw StringToSignError(
                .resource, line: line,
                "a bucket of 3 to 63 lower-case letters, digits and inner hyphens; or dots where only the path names it"
            )
        }
    }

    /// - Parameter key: not encoded; empty for the bucket itself.
    static func checkKey(_ key: Span<UInt8>, line: Int) throws(StringToSignError) {
        guard key.isEmpty || ObjectKeyRule.fault(of: key, maximumLength: ObjectKeyRule.maximumLength) == nil else {
            throw StringToSignError(
                .resource, line: line,
                "a key of at most 1023 bytes, without a leading /, segments . or .., control characters, $( and ${")
        }
    }

    /// A token of RFC 9110 section 5.6.2 without capitals.
    static func isHeaderName(_ name: Span<UInt8>) -> Bool {
        !name.isEmpty && headerNameBytes.contains(all: name)
    }

    private static let headerNameBytes = ByteSet.token.subtracting(.uppercase)

    private static func hasOuterSpace(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty && (text[0] == UInt8(ascii: " ") || text[text.count - 1] == UInt8(ascii: " "))
    }

    private static func isMD5(_ text: Span<UInt8>) -> Bool {
        guard text.count == 24, text.extracting(22..<24).equals("=="), StaticString("AQgw").contains(text[21]) else {
            return false
        }
        return base64Bytes.contains(all: text.extracting(0..<22))
    }

    private static let base64Bytes = ByteSet.alphanumerics.union("+/")
}
