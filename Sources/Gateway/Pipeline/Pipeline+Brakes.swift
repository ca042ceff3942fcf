import Access
import Bytes
import Configuration

/// What the operator has stopped (`countersign brake`).
extension Pipeline {
    /// Refuses what the caller would get by a grant, if a brake covers it.
    func checkBrakes(on grant: Grant) throws(Refusal) {
        let now = context.instant.unixSeconds
        if newest.brakes.covers(grant, of: configuration, for: context.caller, at: now) != nil { throw .stopped }
    }
}

extension BrakeTable {
    /// A brake in force by which a caller gets nothing by a grant of a configuration; nil where there is none.
    /// - Parameter now: seconds since 1970.
    func covers(_ grant: Grant, of configuration: Configuration, for caller: Caller, at now: Int64) -> Brake? {
        if isEmpty { return nil }
        let credential = configuration.credentials[grant.issuance.credential].name
        return covers(grant.name, of: credential, for: caller, at: now)
    }
}
