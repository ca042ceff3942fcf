import Access
import Bytes
import HTTP
import Telemetry

@testable import Gateway

extension RequestMeter {
    /// One that nobody reads.
    static var unread: RequestMeter { RequestMeter(Metrics()) }
}

extension AccessLog {
    /// One that tells nothing.
    static var silent: AccessLog { AccessLog(Log(Log.Settings(level: .error, format: .json))) }
}

extension RequestReporter {
    /// One that tells nobody.
    static var silent: RequestReporter { RequestReporter(.unread, .silent, nil) }
}

extension RequestContext {
    /// That of a request that nobody in particular has made.
    static func made(
        as pending: PendingResponse, named id: String, by caller: Caller = .nobody,
        at instant: Instant = Instant(unixSeconds: 0, nanoseconds: 0)
    ) throws -> RequestContext {
        let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\nX-Request-Id: \(id)\r\n\r\n".utf8)
        guard let head = try RequestParser(limits: Limits()).parse(bytes.span) else { throw Unparsed() }
        var ids = try RequestIDs()
        var context = RequestContext()
        context.begin(Request(head, in: bytes.span, body: Span()), as: pending, at: instant, named: &ids)
        context.caller = caller
        return context
    }

    struct Unparsed: Error {}
}
