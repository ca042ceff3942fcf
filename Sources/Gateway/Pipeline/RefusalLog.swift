import Access
import Bytes
import Telemetry

/// Tells the log what a client is not told of its refusal: at level info, under the request's id, and never a value of the client's.
/// Anybody can be refused, so a loop has a few lines a second for it; how many others there were the next line says.
struct RefusalLog {
    private let log: Log
    private var second: Int64 = 0
    private var left = 0
    private var withheld = 0

    /// Lines of a loop in one second.
    static let linesPerSecond = 10

    init(_ log: Log) { self.log = log }

    /// A token is not believed.
    mutating func tell(_ fault: JWTFault, of context: borrowing RequestContext) {
        guard takesLine(at: context.instant) else { return }
        write("token refused", context, fault.part.rawValue, fault.reason.description)
    }

    /// A caller's claims keep it from grants.
    /// - Parameter faults: is asked only if there is a line for it.
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
