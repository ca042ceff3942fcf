import Access
import Bytes
import Crypto

/// What a version 4 signature signs in the end, as read from a client that asks for a signature.
///
///     AWS4-HMAC-SHA256 \n 20240106T233431Z \n 20240106/us-west-2/s3/aws4_request \n hex(SHA256(canonical request))
///
/// It says nothing of the request but its hash, so the service signs one only with its canonical request (`ParsedCanonicalRequest`).
/// It is a view of the text, and allocates nothing.
package struct StringToSignV4: ~Escapable {
    private let text: Span<UInt8>
    /// Whose signature it is.
    let scheme: V4Scheme
    /// The date of the request, or the beginning of a URL's life: seconds since 1970.
    let moment: Int64
    /// Where the region ends. All else has its place by its length, so this finds every part of a string that has been read.
    let regionEnd: Int

    private static let dateLength = 16
    private static let dayLength = 8
    private static let digitCount = 64

    @_lifetime(copy text)
    package init(reading text: Span<UInt8>, _ scheme: V4Scheme) throws(StringToSignError) {
        // Every line has its length; the scope's parts are short.
        guard text.count <= 512 else { throw StringToSignError(.syntax, "at most 512 bytes") }
        var start = 0
        guard let algorithm = SignedText.line(&start, of: text), let date = SignedText.line(&start, of: text),
            let scope = SignedText.line(&start, of: text), text.firstIndex(of: UInt8(ascii: "\n"), from: start) == nil,
            text.extracting(algorithm).equals(scheme.algorithm)
        else {
            throw StringToSignError(
                .syntax, naming: scheme.algorithm.array, "is the first of four lines, without a line break at the end")
        }
        guard let moment = ISO8601.parseBasic(text.extracting(date)) else {
            throw StringToSignError(.date, line: 2, "a date such as 20240106T233431Z")
        }
        guard let regionEnd = StringToSignV4.regionEnd(of: scope, in: text, scheme),
            text.extracting(scope).begins(with: text.extracting(date.prefix(StringToSignV4.dayLength)))
        else {
            throw StringToSignError(
                .scope, line: 3, naming: scheme.ending.array,
                "is the end of day/region/product/, the day being line 2's")
        }
        guard StringToSignV4.isHash(text.extracting(start..<text.count)) else {
            throw StringToSignError(.hash, line: 4, "64 hex digits in lower case")
        }
        self.text = text
        self.scheme = scheme
        self.moment = moment
        self.regionEnd = regionEnd
    }

    /// A string that has been read before.
    @_lifetime(copy text)
    init?(_ text: Span<UInt8>, _ scheme: V4Scheme, regionEnd: Int) {
        let (start, end) = (StringToSignV4.regionStart(scheme), StringToSignV4.productEnd(of: text, scheme))
        guard start < end, (start..<end).contains(regionEnd),
            let moment = ISO8601.parseBasic(text.extracting(StringToSignV4.dateRange(scheme)))
        else { return nil }
        self.text = text
        self.scheme = scheme
        self.moment = moment
        self.regionEnd = regionEnd
    }

    /// The second line.
    var date: Span<UInt8> {
        @_lifetime(copy self)
        get { text.extracting(StringToSignV4.dateRange(scheme)) }
    }

    /// The third line.
    var scope: Span<UInt8> {
        @_lifetime(copy self)
        get { text.extracting(StringToSignV4.scopeStart(scheme)..<StringToSignV4.scopeEnd(of: text)) }
    }

    /// `20240106`
    var day: Span<UInt8> {
        @_lifetime(copy self)
        get { scope.extracting(0..<StringToSignV4.dayLength) }
    }

    var region: Span<UInt8> {
        @_lifetime(copy self)
        get { text.extracting(StringToSignV4.regionStart(scheme)..<regionEnd) }
    }

    var product: Span<UInt8> {
        @_lifetime(copy self)
        get { text.extracting(regionEnd + 1..<StringToSignV4.productEnd(of: text, scheme)) }
    }

    /// Whether this is the string to sign of a canonical request.
    func isOf(_ canonical: Span<UInt8>) throws(CryptoError) -> Bool {
        let digest = try Digest(.sha256, of: canonical)
        let digits = text.extracting(StringToSignV4.scopeEnd(of: text) + 1..<text.count)
        for index in digest.bytes.indices {
            guard Hex.value(of: digits[2 * index]) == digest.bytes[index] >> 4,
                Hex.value(of: digits[2 * index + 1]) == digest.bytes[index] & 15
            else { return false }
        }
        return true
    }

    /// Writes the signature, in lower-case hex.
    func writeSignature(with key: ScopedKey, into out: inout ByteWriter) throws(IssueError) {
        guard scope.equals(key.scope) else { throw .unsignable("day, region and product must be the key's") }
        let code = try key.code(of: text)
        Hex.encode(code.bytes, into: &out)
    }

    private static func dateRange(_ scheme: V4Scheme) -> Range<Int> {
        let start = scheme.algorithm.utf8CodeUnitCount + 1
        return start..<start + dateLength
    }

    private static func scopeStart(_ scheme: V4Scheme) -> Int { dateRange(scheme).upperBound + 1 }

    private static func regionStart(_ scheme: V4Scheme) -> Int { scopeStart(scheme) + dayLength + 1 }

    private static func scopeEnd(of text: Span<UInt8>) -> Int { text.count - digitCount - 1 }

    private static func productEnd(of text: Span<UInt8>, _ scheme: V4Scheme) -> Int {
        scopeEnd(of: text) - scheme.ending.utf8CodeUnitCount - 1
    }

    /// Where the region ends in a scope; nil if it is none.
    private static func regionEnd(of scope: Range<Int>, in text: Span<UInt8>, _ scheme: V4Scheme) -> Int? {
        let slash = UInt8(ascii: "/")
        let start = scope.lowerBound + dayLength + 1
        guard start < scope.upperBound, text[start - 1] == slash,
            let first = text.firstIndex(of: slash, from: start),
            let second = text.firstIndex(of: slash, from: first + 1),
            second < scope.upperBound, ScopedKey.isName(text.extracting(start..<first)),
            ScopedKey.isName(text.extracting(first + 1..<second)),
            text.extracting(second + 1..<scope.upperBound).equals(scheme.ending)
        else { return nil }
        return first
    }

    private static func isHash(_ digits: Span<UInt8>) -> Bool {
        digits.count == digitCount && ByteSet.lowercaseHex.contains(all: digits)
    }
}
