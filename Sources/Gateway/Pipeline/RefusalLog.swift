import Access
import Bytes
import Telemetry

/// Logs the reasons of refusals that clients are not told: at level info, with the request's id and no value from the client.
/// Anybody can cause refusals, so a loop writes a few such lines a second; the next line says how many were left out.
struct RefusalLog {
    private let log: Log
    private var second: Int64 = 0
    private var left = 0
    private var withheld = 0

    /// Lines of a loop in one second.
    static let linesPerSecond = 10

    init(_ log: Log) { self.log = log }

    /// Logs why a token was not accepted.
    mutating func tell(_ fault: JWTFault, of context: borrowing RequestContext) {
        guard takesLine(at: context.instant) else { return }
        write("token refused", context, fault.part.rawValue, fault.reason.description)
    }

    /// Logs which claims of a caller keep it from grants.
    /// - Parameter faults: evaluated only if a line is written.
    mutating func tell(_ faults: @autoclosure () -> [String], of context: borrowing RequestContext) {
        guard log.tells(.info), context.caller.principal.kind == .jwt else { return }
        let faults = faults()
        guard !faults.isEmpty, takesLine(at: context.instant) else { return }
        write("claims do not admit the caller", context, "claims", faults.joined(separator: "; "))
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
        _ message: String, _ context: borrowing RequestContext, _ part: String, _ reason: String
    ) {
        let id = context.id.bytes.text
        if withheld == 0 {
            log.write(.info, message, ["requestId": id, "failed": part, "reason": reason])
        } else {
            log.write(
                .info, message, ["requestId": id, "failed": part, "reason": reason, "untoldBefore": "\(withheld)"])
        }
        withheld = 0
    }
}
