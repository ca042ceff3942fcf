import Access
import Bytes

/// What a client wants signed, as far as grants judge it: as it was read from the string to sign, or from the canonical request.
///
/// It holds ranges of those texts, in so few bytes that an ask keeps it in place.
struct RemoteRequest: AskDetail {
    enum Version: UInt8, Sendable {
        case v1, v4

        init?(_ name: Span<UInt8>) {
            if name.equals("v1") {
                self = .v1
            } else if name.equals("v4") {
                self = .v4
            } else {
                return nil
            }
        }
    }

    let version: Version
    /// Nil where nobody knows it.
    let verb: RequestVerb?
    /// Whether a URL is signed, and no header.
    let isURL: Bool
    /// How long ago the string was dated, in seconds; 0 where it has no date.
    let age: Int32
    /// For how long the URL holds yet, in seconds.
    let rest: Int32
    private let headers, query: CompactRange
    /// Where the region ends in a string of version 4.
    private let regionEnd: UInt16

    /// Two bytes each: no text is longer than `SignedText.maximumLength`.
    private struct CompactRange: Sendable {
        let start, end: UInt16

        init(_ range: Range<Int>) {
            start = UInt16(clamping: range.lowerBound)
            end = UInt16(clamping: range.upperBound)
        }

        var range: Range<Int> { Int(min(start, end))..<Int(end) }
    }

    init(_ string: borrowing StringToSign, at now: Int64) {
        version = .v1
        verb = string.verb
        switch string.moment {
        case .date(let date): (isURL, age, rest) = (false, RemoteRequest.seconds(now, since: date), 0)
        case .expires(let end): (isURL, age, rest) = (true, 0, RemoteRequest.seconds(end, since: now))
        }
        (headers, query) = (CompactRange(string.headerRange), CompactRange(string.queryRange))
        regionEnd = 0
    }

    init(_ canonical: borrowing ParsedCanonicalRequest, of string: borrowing StringToSignV4, at now: Int64) {
        version = .v4
        verb = canonical.verb
        age = RemoteRequest.seconds(now, since: string.moment)
        switch canonical.form {
        case .header: (isURL, rest) = (false, 0)
        case .url(let lifetime):
            (isURL, rest) = (true, RemoteRequest.seconds(string.moment + lifetime, since: now))
        }
        (headers, query) = (CompactRange(canonical.headerRange), CompactRange(canonical.queryRange))
        regionEnd = UInt16(clamping: string.regionEnd)
    }

    /// Of a request that the client has told about, and not shown.
    init(told verb: RequestVerb?, of string: borrowing StringToSignV4, at now: Int64) {
        version = .v4
        self.verb = verb
        isURL = false
        age = RemoteRequest.seconds(now, since: string.moment)
        rest = 0
        (headers, query) = (CompactRange(0..<0), CompactRange(0..<0))
        regionEnd = UInt16(clamping: string.regionEnd)
    }

    /// - Parameter text: the string to sign, of version 4, that the request was read from.
    @_lifetime(copy text)
    func string(in text: Span<UInt8>, _ scheme: V4Scheme) -> StringToSignV4? {
        StringToSignV4(text, scheme, regionEnd: Int(regionEnd))
    }

    /// - Parameter text: the one that the request was read from.
    @_lifetime(copy text)
    func headers(in text: Span<UInt8>) -> NamedValues {
        NamedValues(lines: text.extracting(headers.range.clamped(to: 0..<text.count)))
    }

    /// - Parameter text: the one that the request was read from.
    @_lifetime(copy text)
    func query(in text: Span<UInt8>) -> NamedValues {
        NamedValues(query: text.extracting(query.range.clamped(to: 0..<text.count)))
    }

    private static func seconds(_ moment: Int64, since other: Int64) -> Int32 {
        let (difference, overflow) = moment.subtractingReportingOverflow(other)
        return overflow ? (moment < other ? .min : .max) : Int32(clamping: difference)
    }
}
