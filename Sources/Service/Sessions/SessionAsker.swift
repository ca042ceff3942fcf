import Access
import HTTP

/// A caller as a `SessionDesk` counts it: by a hash that nobody outside can aim at.
package struct SessionAsker: Sendable {
    let mark: UInt64
    /// Whether a call that begins for it is taken off its share; not where the session is the grant's own, whoever asks first.
    let pays: Bool

    init(mark: UInt64, pays: Bool) {
        self.mark = mark
        self.pays = pays
    }

    /// Somebody without a name is told from others by where he is.
    init(_ caller: Caller, from address: ClientAddress, paying pays: Bool) {
        self.init(mark: RateTable.Identity.hash(caller, from: address), pays: pays)
    }

    /// Where its share is counted; nil where it does not pay.
    var share: RateTable.Identity? { pays ? RateTable.Identity(rule: 0, who: mark) : nil }
}
