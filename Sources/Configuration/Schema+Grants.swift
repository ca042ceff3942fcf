import Access
import Bytes
import Providers

/// The keys of a grant that do not belong to its route alone, and their defaults.
extension Schema {
    /// What every grant holds.
    struct Grant: FieldGroup {
        let route = Field(
            "route", .choice(Registry.routes.map(\.description.name)), required: true,
            "The route: what the grant issues.")
        let credential = Field("credential", .string, required: true, "The name of the credential that signs.")
    }

    /// How long what a grant of a route gives holds.
    struct Lifetimes: FieldGroup {
        let lifetime, maxLifetime: Field<Int64?>

        init(_ route: RouteDescription) {
            let least = route.request.shortestLifetime * 1000
            self.init(least...max(least, (route.grant.lifetime?.longest ?? 0) * 1000))
        }

        /// - Parameter bounds: in milliseconds.
        init(_ bounds: ClosedRange<Int64>) {
            lifetime = Field(
                "lifetime", .duration(bounds),
                "The lifetime if the caller asks for none. The default is one hour, or `maxLifetime` if that is less.")
            maxLifetime = Field(
                "maxLifetime", .duration(bounds),
                "The longest lifetime that a caller may ask for. The default is `lifetime`.")
        }
    }

    /// The keys of a grant of a route.
    package static func grant(of route: RouteDescription) -> [FieldDescription] {
        fieldsOfEveryGrant + (route.grant.hasCallers ? fieldsOfGrantsWithCallers : []) + route.grant.scope.descriptions
            + (route.grant.lifetime == nil ? [] : Lifetimes(route).descriptions) + route.grant.fields
    }

    // Made once: to make a group for every grant would take longer than all else.
    static let (grantFields, callerFields, rateFields) = (Grant(), Callers(), GrantRates())
    static let (scopeFields, availabilityFields) = (ScopeFields(), Availability())

    private static let fieldsOfEveryGrant = grantFields.descriptions + availabilityFields.descriptions
    private static let fieldsOfGrantsWithCallers = callerFields.descriptions + rateFields.descriptions

    /// What that key may say, by the index of the route in the registry.
    static let routeNames = Registry.routes.map(\.description.name)

    /// The key that says by which others a grant is read.
    static let routeName = grantFields.route.name

    /// By the index of the route in the registry, as `grant(of:)`.
    static let grants = Registry.routes.map { grant(of: $0.description) }

    /// The keys that mean the same for every route that has them, so that one default stands for all grants.
    static let sharedGrantFields: [FieldDescription] = {
        let longest = Registry.routes.compactMap(\.description.grant.lifetime?.longest).max() ?? 1
        return [grantFields.credential.description] + availabilityFields.descriptions + fieldsOfGrantsWithCallers
            + scopeFields.descriptions + Lifetimes(1000...longest * 1000).descriptions
    }()

    struct GrantRates: FieldGroup {
        let rate = Field("rate", object: GrantRate(), "How often the grant may be used.")
    }

    /// What every grant may hold whose route has callers.
    struct Callers: FieldGroup {
        let callers = Field(
            "callers", .strings, required: true,
            "`\"anonymous\"`, `\"authenticated\"`, `\"apiKey:ID\"`, `\"jwt:ID\"` or `\"certificate:ID\"`; "
                + "several as a list.")
        let `where` = Field(
            "where", .members,
            "Conditions on the caller's claims: `{ \"claims.scope\": [\"upload\"] }`. Of each list, one value must match."
        )
        let `public` = Field(
            "public", .boolean, default: false, "Must be true if `callers` has `\"anonymous\"` (R10).")
        let unscoped = Field(
            "unscoped", .boolean, default: false,
            "Must be true if the grant has no bucket or no key, or if its route is about the whole account."
        )
    }

    /// What a grant is for, when it may be used, and from where.
    struct Availability: FieldGroup {
        let description = Field(
            "description", .string, "What the grant is for. `/grants`, `explain` and the audit show it.")
        let enabled = Field(
            "enabled", .boolean, default: true, "With `false` the grant gives nothing, but it is still checked.")
        let notBefore = Field("notBefore", .time, "When the grant begins.")
        let notAfter = Field("notAfter", .time, "When the grant ends. Everything that it gives ends by then, too.")
        let addresses = Field(
            "addresses", .strings,
            "Addresses and blocks (`10.0.0.0/8`, `2001:db8::/32`). The client's address must be in one of them.")
    }

    /// Default values for grants.
    struct Defaults: FieldGroup {
        let grants = Field(
            "grants", .members,
            "Defaults for all grants whose routes have the key. Keys of a single route belong in `routes`.")
        let routes = Field(
            "routes", .members,
            "Defaults for the grants of a route: `{ \"qiniu.uptoken\": { credential: \"qiniu\", bucket: \"media\" } }`."
        )
    }

    struct GrantRate: FieldGroup {
        let perCaller = Field(
            "perCaller", .rate, "Uses by one caller. For `anonymous`, uses by one address. Beyond it 429.")
        let perGrant = Field("perGrant", .rate, "Uses by all callers together. Beyond it 429.")
    }
}
