import Access

/// The client of a cache, counted by a hash that no client can choose.
package struct CacheClient: Sendable {
    let mark: UInt64
    /// Whether a fetch that begins for it is taken off its share; not where the value is no one client's own.
    let pays: Bool

    package init(mark: UInt64, pays: Bool) {
        self.mark = mark
        self.pays = pays
    }

    /// Where its share is counted; nil where it does not pay.
    var share: RateTable.Identity? { pays ? RateTable.Identity(rule: 0, who: mark) : nil }
}
