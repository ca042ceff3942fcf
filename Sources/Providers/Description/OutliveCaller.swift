import Access

extension FieldDescription {
    /// `outliveCaller`, of routes that issue what nobody can shorten to the end of the caller's own credential (R17).
    /// - Parameter issued: what is issued, such as `the key`.
    static func outliveCaller(_ issued: String) -> FieldDescription {
        FieldDescription(
            "outliveCaller", .boolean, standard: "false",
            "Whether \(issued) may hold longer than the caller's own credential.")
    }
}

extension FieldValues {
    /// What a grant's `outliveCaller` says: whether the end of the caller's own credential denies or is ignored.
    var callersEnd: CallersEnd { boolean("outliveCaller") == true ? .ignored : .denies }
}
