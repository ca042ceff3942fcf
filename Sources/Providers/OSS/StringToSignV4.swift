import Access
import Bytes
import Crypto

/// What a version 4 signature signs in the end, as read from a client that asks for a signature.
///
///     OSS4-HMAC-SHA256 \n 20240106T233431Z \n 20240106/cn-hangzhou/oss/aliyun_v4_request \n hex(SHA256(canonical request))
///
/// It says nothing of the request but its hash, so whoever signs one must have the canonical request too.
struct StringToSignV4 {
    /// The date of the request, or the beginning of a URL's life: seconds since 1970.
    let moment: Int64
    /// The third line.
    let scope: [UInt8]
    private let hash: Digest
    private let text: [UInt8]

    init(reading bytes: Span<UInt8>) throws(StringToSignError) {
        // Every line has its length; the scope's parts are short.
        guard bytes.count <= 512 else { throw StringToSignError(.syntax, "at most 512 bytes") }
        let text = bytes.array
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 4, lines[0].elementsEqual(ScopedKey.algorithm.array) else {
            throw StringToSignError(.syntax, "four lines without a line break at the end, the first OSS4-HMAC-SHA256")
        }
        let (date, scope, digits) = (lines[1], lines[2], lines[3])
        guard let moment = ISO8601.parseBasic(date.span) else {
            throw StringToSignError(.date, line: 2, "a date such as 20240106T233431Z")
        }
        guard StringToSignV4.isScope(scope, of: date.prefix(8)) else {
            throw StringToSignError(.scope, line: 3, "day/region/product/aliyun_v4_request, the day being line 2's")
        }
        guard digits.count == 64, digits.allSatisfy({ $0 == $0.lowercasedASCII }),
            let hash = Hex.decode(digits.span).flatMap({ Digest($0) })
        else {
            throw StringToSignError(.hash, line: 4, "64 hex digits in lower case")
        }
        self.moment = moment
        self.scope = Array(scope)
        self.hash = hash
        self.text = text
    }

    /// Whether this is the string to sign of a canonical request.
    func isOf(_ canonical: Span<UInt8>) throws(CryptoError) -> Bool {
        try Digest(.sha256, of: canonical).constantTimeEquals(hash)
    }

    /// Writes the signature, in lower-case hex.
    func writeSignature(with key: ScopedKey, into out: inout ByteWriter) throws(IssueError) {
        guard key.scope == scope else { throw .unsignable("day, region and product must be the key's") }
        let code = try key.code(of: text.span)
        Hex.encode(code.bytes, into: &out)
    }

    private static func isScope(_ line: ArraySlice<UInt8>, of day: ArraySlice<UInt8>) -> Bool {
        let parts = line.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == day && parts[1...2].allSatisfy { ScopedKey.isName($0.span) }
            && parts[3].elementsEqual(ScopedKey.ending.array)
    }
}
