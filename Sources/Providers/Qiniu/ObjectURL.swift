import Access
import Bytes

/// The URL of an object on a domain of its bucket, as far as it goes before it is signed: `https://host/key?query`.
///
/// Clients must send every byte as it is signed, so all is written as URL readers leave it: the key percent-encoded but for
/// unreserved characters and `/` (`download-token` page: the path is URL-encoded before it is signed).
package struct ObjectURL: ~Escapable {
    private let key: Span<UInt8>
    private let query: Span<UInt8>
    private let base: BaseURL

    /// Parameters by which a URL carries a signature; one more of them would be read instead of ours.
    private static let reserved: [StaticString] = ["e", "token", "sign", "t"]

    /// - Parameters:
    ///   - key: the whole key, not encoded.
    ///   - query: a query as it shall be sent, such as `imageView2/2/w/200`; empty for none.
    @_lifetime(copy key, copy query)
    package init(_ key: Span<UInt8>, query: Span<UInt8> = Span(), on base: BaseURL) throws(IssueError) {
        guard !key.isEmpty else { throw .unsignable("a URL of an object must have its key") }
        if let fault = ObjectURL.queryFault(query) { throw .unsignable(fault) }
        self.key = key
        self.query = query
        self.base = base
    }

    /// Begins the parameter of this name behind what is written.
    func begin(_ parameter: StaticString, in out: inout ByteWriter) {
        out.append(query.isEmpty ? UInt8(ascii: "?") : UInt8(ascii: "&"))
        out.append(parameter)
        out.append(UInt8(ascii: "="))
    }

    /// - Returns: where the path is in `out`.
    @discardableResult
    func write(into out: inout ByteWriter) -> Range<Int> {
        base.write(into: &out)
        let start = out.count
        out.append(UInt8(ascii: "/"))
        // HTTP clients make one slash of two behind the host.
        let hasSlash = key[0] == UInt8(ascii: "/")
        if hasSlash { out.append("%2F") }
        Percent.encode(key.extracting((hasSlash ? 1 : 0)..<key.count), keeping: .unreservedPath, into: &out)
        let path = start..<out.count
        if !query.isEmpty {
            out.append(UInt8(ascii: "?"))
            out.append(query)
        }
        return path
    }

    /// What is wrong with a query that shall stand in a signed URL; nil when nothing is.
    static func queryFault(_ query: Span<UInt8>) -> StaticString? {
        var start = 0
        for index in query.indices {
            let byte = query[index]
            switch byte {
            case UInt8(ascii: "%"):
                guard index + 2 < query.count, Hex.value(of: query[index + 1]) != nil,
                    Hex.value(of: query[index + 2]) != nil
                else { return "a % in a query must begin %XX" }
            // Servers take each of these for the end of a parameter.
            case UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "?"):
                if isReserved(query.extracting(start..<index)) { return reservedFault }
                start = index + 1
            default:
                guard queryBytes.contains(byte) else {
                    return "a query must be percent-encoded but for a-z A-Z 0-9 and -._~!$&()*+,;=:@/?"
                }
            }
        }
        return isReserved(query.extracting(start..<query.count)) ? reservedFault : nil
    }

    /// RFC 3986 section 3.4, without the quote that browsers encode.
    private static let queryBytes = ByteSet.unreserved.union("!$()*+,=:@/")

    private static let reservedFault: StaticString = "a query must not have the parameters e, token, sign and t"

    private static func isReserved(_ parameter: Span<UInt8>) -> Bool {
        let name = parameter.extracting(0..<(parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.count))
        // No reserved name is longer, even with every byte encoded.
        guard name.count <= 15 else { return false }
        var decoded = ByteWriter(capacity: name.count)
        guard Percent.decode(name, plusIsSpace: false, into: &decoded) else { return true }
        for reserved in reserved where decoded.bytes.equals(ignoringCase: reserved) { return true }
        return false
    }
}
