import Bytes

/// The brakes of a list, so that those that cover a request are found by their names: a look for each kind, and none where there is no
/// brake. Nothing is allocated.
package final class BrakeTable: Sendable {
    private let everything: Brake?
    private let grants: [[UInt8]: Brake]
    private let credentials: [String: Brake]
    private let issuers: [[UInt8]: Brake]
    private let callers: [Principal: Brake]
    private let tickets: [[UInt8]: Brake]
    /// Whether nothing is stopped.
    package let isEmpty: Bool

    package static let empty = BrakeTable(.empty)

    /// What a name of a ticket begins with.
    private static let ticket = Array(text: "ticket:")

    package init(_ list: BrakeList) {
        let brakes = list.brakes.filter { !$0.isReleased }
        func named<Name: Hashable>(_ kind: Brake.Kind, _ name: ([UInt8]) -> Name?) -> [Name: Brake] {
            let pairs = brakes.filter { $0.subject.kind == kind }.compactMap { brake in
                name(brake.subject.name).map { ($0, brake) }
            }
            return Dictionary(pairs) { first, _ in first }
        }
        isEmpty = brakes.isEmpty
        everything = brakes.first { $0.subject.kind == .all }
        grants = named(.grant) { $0 }
        credentials = named(.credential) { $0.text }
        issuers = named(.issuer) { $0 }
        callers = named(.caller) { Principal(written: $0) }
        tickets = named(.caller) {
            $0.starts(with: BrakeTable.ticket) ? Array($0.dropFirst(BrakeTable.ticket.count)) : nil
        }
    }

    /// Whether a caller's name is one that can be stopped: as `authentication.deny` has it.
    package static func isCaller(_ name: [UInt8]) -> Bool {
        Principal(written: name) != nil || name.starts(with: ticket) && name.count > ticket.count
    }

    /// A brake in force by which a caller gets nothing by a grant; nil where there is none.
    /// - Parameters:
    ///   - credential: the name of the one that the grant issues with.
    ///   - now: seconds since 1970.
    package func covers(_ grant: [UInt8], of credential: String, for caller: Caller, at now: Int64) -> Brake? {
        if isEmpty { return nil }
        if let brake = grants[grant], brake.isInForce(at: now) { return brake }
        if let brake = credentials[credential], brake.isInForce(at: now) { return brake }
        return covers(caller, at: now)
    }

    /// A brake in force by which a caller gets nothing by any grant; nil where there is none.
    /// - Parameter now: seconds since 1970.
    package func covers(_ caller: Caller, at now: Int64) -> Brake? {
        if isEmpty { return nil }
        if let everything, everything.isInForce(at: now) { return everything }
        let principal = caller.principal
        if principal.kind == .jwt, let brake = issuers[principal.id], brake.isInForce(at: now) { return brake }
        if let brake = callers[principal], brake.isInForce(at: now) { return brake }
        guard let ticket = caller.ticket, let brake = tickets[ticket.id], brake.isInForce(at: now) else { return nil }
        return brake
    }
}
