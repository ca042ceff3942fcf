import Access
import Bytes
import HTTP
import Providers
import Telemetry

/// Logs why credentials and callbacks are refused, and which limits are exceeded: at level info, with the request's id and no
/// value from the client, since clients are not told all of it, and without the log's line for each request nobody else would be.
/// Anybody can cause refusals, so a loop writes a few such lines a second; the next line says how many were left out.
struct RefusalLog {
    let log: Log
    private var second: Int64 = 0
    private var left = 0
    private var withheld = 0

    /// Lines of a loop in one second.
    static let linesPerSecond = 10

    init(_ log: Log) { self.log = log }

    /// Logs why a credential was not accepted.
    /// - Parameter reason: what the client is told.
    mutating func tell(
        _ reason: StaticString, because fault: CredentialFault?, of context: borrowing RequestContext
    ) {
        guard takesLine(at: context.instant) else { return }
        switch fault {
        case .token(let fault)?:
            write("token refused", context.id.bytes.text, ["failed": fault.part.rawValue, "reason": fault.words])
        case .endedKey(let principal)?:
            write(
                "credential refused", context.id.bytes.text,
                ["reason": "the API key has ended: its notAfter is in the past", "caller": principal.written.text])
        case nil: write("credential refused", context.id.bytes.text, ["reason": reason.description])
        }
    }

    /// Logs why a request is no callback, and returns the refusal that its sender gets.
    /// - Parameter grant: nil where the request's path and query are those of none.
    mutating func refuse(
        callback id: String, of grant: Grant?, because fault: CallbackFault, at instant: Instant
    ) -> Refusal {
        if takesLine(at: instant) {
            write("callback refused", id, ["grant": grant?.name.text ?? "-", "reason": fault.reason.description])
        }
        return .forgedCallback
    }

    /// Logs which limit a request exceeded, and whose it is.
    mutating func tell(_ limit: RequestLabels.Limit, of context: borrowing RequestContext) {
        guard takesLine(at: context.instant) else { return }
        let isKnown = context.caller !== Caller.nobody
        write(
            "rate limited", context.id.bytes.text,
            [
                "limit": limit.rawValue, "caller": isKnown ? context.caller.principal.written.text : "-",
                "client": context.client.description,
            ])
    }

    /// Logs which claims of a caller keep it from grants.
    /// - Parameter faults: evaluated only if a line is written.
    mutating func tell(_ faults: @autoclosure () -> [String], of context: borrowing RequestContext) {
        guard log.tells(.info), context.caller.principal.kind == .jwt else { return }
        let faults = faults()
        guard !faults.isEmpty, takesLine(at: context.instant) else { return }
        write(
            "claims do not admit the caller", context.id.bytes.text,
            ["failed": "claims", "reason": faults.joined(separator: "; ")])
    }

    private mutating func takesLine(at instant: Instant) -> Bool {
        guard log.tells(.info) else { return false }
        if second != instant.unixSeconds { (second, left) = (instant.unixSeconds, RefusalLog.linesPerSecond) }
        guard left > 0 else {
            withheld += 1
            return false
        }
        left -= 1
        return true
    }

    private mutating func write(
        _ message: String, _ id: String, _ details: KeyValuePairs<String, String>
    ) {
        var all = [(key: "requestId", value: id)] + details
        if withheld > 0 { all.append((key: "untoldBefore", value: "\(withheld)")) }
        log.write(.info, message, all)
        withheld = 0
    }
}
