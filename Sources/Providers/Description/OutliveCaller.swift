import Access

extension Field where Value == Bool {
    /// `outliveCaller`, of routes that issue what nobody can shorten to the end of the caller's own credential (R17).
    static var outliveCaller: Field {
        Field(
            "outliveCaller", .boolean, default: false,
            "Whether what is issued may end later than the caller's own credential.")
    }
}

extension CallersEnd {
    /// What a grant's `outliveCaller` says: whether the end of the caller's own credential denies or is ignored.
    init(outliveCaller: Bool) { self = outliveCaller ? .ignored : .denies }
}
