import Bytes

/// Whether a grant gives anything, when, and from where.
package struct Availability: Sendable {
    /// A clause that does not hold, and what is told of it.
    package struct Fault: Sendable {
        let clause: Clause
        package let objection: Objection
    }

    /// Whether it gives anything at all.
    package let isEnabled: Bool
    /// From when on and until when it may be used, in seconds since 1970; nil for no such bound. What is issued ends with it.
    package let notBefore, notAfter: Int64?
    /// The blocks of which one has the caller's address; empty where every caller will do.
    package let addresses: [AddressBlock]

    package init(
        isEnabled: Bool = true, notBefore: Int64? = nil, notAfter: Int64? = nil, addresses: [AddressBlock] = []
    ) {
        self.isEnabled = isEnabled
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.addresses = addresses
    }

    /// The first clause that does not hold whoever asks; nil where all do.
    /// - Parameter now: seconds since 1970.
    package func fault(at now: Int64) -> Fault? {
        if !isEnabled { return Fault(clause: .enabled, objection: Objection("enabled", "the grant is switched off")) }
        if let notBefore, now < notBefore {
            return Fault(clause: .notBefore, objection: Objection("notBefore", "the grant has not begun yet"))
        }
        if let notAfter, now >= notAfter {
            return Fault(clause: .notAfter, objection: Objection("notAfter", "the grant has ended"))
        }
        return nil
    }

    /// The first clause that does not hold for somebody who asks from an address; nil where all do.
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - address: nil for a client without one, as of a Unix socket.
    package func fault(at now: Int64, from address: IPAddress?) -> Fault? {
        if let fault = fault(at: now) { return fault }
        if admits(address) { return nil }
        return Fault(
            clause: .addresses, objection: Objection("addresses", "the caller's address is not one of the grant's"))
    }

    private func admits(_ address: IPAddress?) -> Bool {
        if addresses.isEmpty { return true }
        guard let address else { return false }
        for block in addresses where block.contains(address) { return true }
        return false
    }
}
