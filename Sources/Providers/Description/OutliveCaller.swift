import Access

extension Field where Value == Bool {
    /// `outliveCaller`, of routes that issue what nobody can shorten to the end of the caller's own credential (R17).
    /// - Parameter issued: what is issued, such as `the key`.
    static func outliveCaller(_ issued: String) -> Field {
        Field(
            "outliveCaller", .boolean, default: false,
            "Whether \(issued) may hold longer than the caller's own credential.")
    }
}

extension CallersEnd {
    /// What a grant's `outliveCaller` says: whether the end of the caller's own credential denies or is ignored.
    init(outliveCaller: Bool) { self = outliveCaller ? .ignored : .denies }
}
