import Bytes

/// What a vendor answered: its status, the few header fields that anybody here reads, and its body, which may hold keys and
/// is told to nobody.
package struct UpstreamAnswer: Sendable {
    package enum Header: Sendable {
        case contentType, retryAfter, date
    }

    package let status: Int
    package let body: [UInt8]
    private var contentType: [UInt8]?
    private var retryAfter: [UInt8]?
    private var date: [UInt8]?

    /// - Parameter headers: as they came, all of them or the few; of one that comes several times the first counts.
    package init(status: Int, headers: [UpstreamField] = [], body: [UInt8]) {
        self.status = status
        self.body = body
        for header in headers {
            if header.name.span.equals(ignoringCase: "content-type") {
                contentType = contentType ?? header.value
            } else if header.name.span.equals(ignoringCase: "retry-after") {
                retryAfter = retryAfter ?? header.value
            } else if header.name.span.equals(ignoringCase: "date") {
                date = date ?? header.value
            }
        }
    }

    package func value(of header: Header) -> [UInt8]? {
        switch header {
        case .contentType: contentType
        case .retryAfter: retryAfter
        case .date: date
        }
    }

    /// The vendor's clock, in seconds since 1970; nil when it does not say, or not in HTTP's form.
    package var moment: Int64? {
        guard let date else { return nil }
        return HTTPDate.parse(date.span)
    }

    /// How many seconds the vendor wants to be left alone, at most an hour; nil when it does not say.
    package func pause(at now: Int64) -> Int64? {
        guard let retryAfter else { return nil }
        if let seconds = Decimal.parse(retryAfter.span) { return min(seconds, UpstreamAnswer.longestPause) }
        guard let end = HTTPDate.parse(retryAfter.span) else { return nil }
        // Both lie in the years 0 to 9999 or are a machine's clock; clamped, their difference cannot overflow.
        let years = CivilTime.fourDigitYears
        let start = min(max(now, years.lowerBound), years.upperBound)
        return min(max(end - start, 0), UpstreamAnswer.longestPause)
    }

    private static let longestPause: Int64 = 3600
}

extension UpstreamAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<answer \(status), \(body.count) bytes>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
