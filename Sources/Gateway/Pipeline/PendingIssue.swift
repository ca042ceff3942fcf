import Access
import Bytes
import HTTP

/// What is kept of a request whose answer waits, so that the newest snapshot can judge it again before the answer leaves.
struct PendingIssue {
    /// Nil for a vendor, which sends callbacks by itself.
    let caller: Caller?
    /// Nil for a new ticket: its grant is judged whenever the ticket is used.
    let grant: Grant?
    /// The index of the address that it came to.
    let listener: Int
    /// The name by which it has called the service.
    let authority: [UInt8]
    /// The origin of the web page that asks; empty where none does.
    let origin: [UInt8]
    private let newest: NewestAdmission

    init(_ request: borrowing Request, from caller: Caller?, for grant: Grant?, before newest: NewestAdmission) {
        self.caller = caller
        self.grant = grant
        self.newest = newest
        listener = request.listener
        authority = request.authority.array
        origin = request.field(.origin).array
    }

    /// Whether the newest snapshot would still admit the request.
    /// - Parameter now: seconds since 1970.
    func isStillGood(at now: Int64) -> Bool {
        // The address was judged before, and does not change.
        guard grant?.availability.fault(at: now) == nil else { return false }
        return newest.admits(self, at: now)
    }
}
