/// What several have in common whom the service believes: authorities are read when the first asks for them, and once for all.
package final class TLSTrusts {
    private var made: [TLSTrust.Authorities: TLSTrust] = [:]

    package init() {}

    /// - Throws: when they cannot be had; they are looked for again for whoever asks next.
    package func trust(in authorities: TLSTrust.Authorities = .system) throws(TLSTrust.Failure) -> TLSTrust {
        if let trust = made[authorities] { return trust }
        let trust = try TLSTrust(authorities)
        made[authorities] = trust
        return trust
    }
}
