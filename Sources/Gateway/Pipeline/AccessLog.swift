import Bytes
import HTTP
import Telemetry

/// A loop's lines about the requests that it has answered; they leave together when a batch of events is over. A path that is
/// none of the service's own is not told, nor is any query: they may hold anything.
final class AccessLog {
    private let format: LogFormat
    private let writer: LogWriter
    /// Nil where requests are not told.
    private let level: Log.Level?
    private var lines = ByteWriter(capacity: 1024)
    private var count = 0
    /// What every line of a second begins with.
    private var opening: (second: Int64, text: [UInt8]) = (.min, [])

    init(_ log: Log) {
        format = log.format
        writer = log.writer
        level = log.requestLevel
    }

    /// A held answer can leave after its snapshot has ended; its line is written all the same.
    deinit { flush() }

    /// - Parameters:
    ///   - reason: the refusal's code; nil for a success.
    ///   - waited: milliseconds, where the answer had to wait.
    ///   - time: seconds since 1970.
    func write(
        _ context: borrowing RequestContext, status: Int, because reason: Refusal.Code?, waited: Int64? = nil,
        at time: Int64
    ) {
        guard let level else { return }
        if opening.second != time {
            var text = ByteWriter(capacity: 128)
            format.begin(level, "answered", at: time, in: &text)
            opening = (time, text.array)
        }
        lines.append(opening.text)
        format.add("requestId", plain: context.id.bytes, to: &lines)
        if context.path.isEmpty {
            format.add("path", plain: "-", to: &lines)
        } else {
            format.add("path", plain: context.path.bytes, to: &lines)
        }
        format.add("status", Int64(status), to: &lines)
        format.add("code", plain: reason?.text ?? "ok", to: &lines)
        if let method = context.method { format.add("method", plain: method.name, to: &lines) }
        if context.client.isKnown { format.add("client", context.client, to: &lines) }
        if let trace = context.trace { format.add("traceId", trace, to: &lines) }
        if let waited { format.add("waited", waited, to: &lines) }
        format.end(&lines)
        count += 1
    }

    /// Hands over what there is.
    func flush() {
        guard count > 0 else { return }
        writer.write(lines.array, lines: count)
        lines.reset()
        count = 0
    }
}

extension Method {
    /// The path for the log; empty for a path that the service does not have.
    var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other: "-"
        }
    }
}

extension LogFormat {
    fileprivate func add(_ name: StaticString, _ client: ClientAddress, to line: inout ByteWriter) {
        var address = ByteWriter(capacity: 40)
        client.write(into: &address)
        add(name, plain: address.bytes, to: &line)
    }

    fileprivate func add(_ name: StaticString, _ trace: TraceID, to line: inout ByteWriter) {
        var digits = ByteWriter(capacity: 32)
        trace.write(into: &digits)
        add(name, plain: digits.bytes, to: &line)
    }
}
