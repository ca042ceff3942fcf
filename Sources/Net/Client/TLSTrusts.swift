/// Authorities that several users share: each is read once, when the first asks for it.
package final class TLSTrusts {
    private var made: [TLSTrust.Authorities: TLSTrust] = [:]

    package init() {}

    /// - Throws: when it cannot be had; it is looked for again for whoever asks next.
    package func trust(in authorities: TLSTrust.Authorities = .system) throws(TLSTrust.Failure) -> TLSTrust {
        if let trust = made[authorities] { return trust }
        let trust = try TLSTrust(authorities)
        made[authorities] = trust
        return trust
    }
}
