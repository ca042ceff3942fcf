import Access

/// How often, and how many milliseconds, a vendor is asked for what callers want to know.
package struct FetchLimits: Sendable, Hashable {
    package var callsPerSecond = 1_000
    package var callBurst = 1_000
    /// Nil for no bound.
    package var callsPerCaller = Rate(200, in: 1_000)
    package var patience: Int64 = 1_500

    package init() {}

    package init(_ fields: Settings<Fields>) {
        callsPerSecond = fields.callsPerSecond
        callBurst = fields.callBurst
        callsPerCaller = fields.callsPerCaller
        patience = fields.patience
    }

    package struct Fields: FieldGroup {
        let callsPerSecond = Field(
            "callsPerSecond", .integer(1...100_000), default: FetchLimits().callsPerSecond,
            "Calls per second.")
        let callBurst = Field(
            "callBurst", .integer(1...100_000), default: FetchLimits().callBurst,
            "Calls that may start at once after a pause.")
        let callsPerCaller = Field(
            "callsPerCaller", default: FetchLimits().callsPerCaller,
            "Calls for one caller. For `anonymous`, calls for one address. Beyond it 429.")
        let patience = Field(
            "patience", .duration(100...60_000), default: FetchLimits().patience,
            "How long a request may wait, before the client is told to ask again. The `hosts` share this time.")
    }

    /// The key of a credential.
    package static let field = Field(
        "limits", object: Fields(),
        "Limits of the calls to the vendor, for the routes that ask it.")
}
