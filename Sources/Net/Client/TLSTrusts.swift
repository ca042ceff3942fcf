/// Authorities that several users share: each is read once, when the first asks for it.
package final class TLSTrusts {
    private var made: [TLSTrust.Authorities: TLSTrust] = [:]

    package init() {}

    /// - Throws: when the authorities cannot be read; the next call reads them again.
    package func trust(in authorities: TLSTrust.Authorities = .system) throws(TLSTrust.Failure) -> TLSTrust {
        if let trust = made[authorities] { return trust }
        let trust = try TLSTrust(authorities)
        made[authorities] = trust
        return trust
    }
}
