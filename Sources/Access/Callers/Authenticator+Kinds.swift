extension Authenticator {
    /// The kinds of credential that somebody can have by these settings, in words.
    static func kinds(_ settings: Settings) -> String {
        let kinds = [
            settings.apiKeys.isEmpty ? nil : "an API key (Authorization: Bearer KEY, or X-API-Key: KEY)",
            settings.issuers.isEmpty ? nil : "a token (Authorization: Bearer TOKEN)",
            settings.certificates.isEmpty ? nil : "a client certificate",
            settings.ticketKey == nil ? nil : "a ticket (?ticket=TICKET)",
        ].compactMap(\.self)
        let last = kinds.last.map { kinds.count > 1 ? " or \($0)" : $0 } ?? "none, since nobody has one here"
        return kinds.dropLast().joined(separator: ", ") + last
    }
}
