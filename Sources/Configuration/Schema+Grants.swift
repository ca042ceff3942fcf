import Access
import Bytes
import Providers

/// The keys of a grant that do not belong to its route alone, and their defaults.
extension Schema {
    /// What every grant holds.
    struct Grant: FieldGroup {
        let route = Field("route", .choice(Registry.routes.map(\.description.name)), required: true, "What is issued.")
        let credential = Field("credential", .string, required: true, "The credential that signs.")
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
                "How long what is issued holds when nothing is asked: one hour, or `maxLifetime` if that is less.")
            maxLifetime = Field(
                "maxLifetime", .duration(bounds),
                "The most a caller may ask for: `lifetime`, if this is not given.")
        }
    }

    /// The keys of a grant of a route.
    package static func grant(of route: RouteDescription) -> [FieldDescription] {
        Grant().descriptions
            + Availability().descriptions
            + (route.grant.hasCallers ? Callers().descriptions + GrantRates().descriptions : [])
            + route.grant.scope.descriptions + (route.grant.lifetime == nil ? [] : Lifetimes(route).descriptions)
            + route.grant.fields
    }

    /// What that key may say, by the index of the route in the registry.
    static let routeNames = Registry.routes.map(\.description.name)

    /// The key that says by which others a grant is read.
    static let routeName = Grant().route.name

    /// By the index of the route in the registry, as `grant(of:)`.
    static let grants = Registry.routes.map { grant(of: $0.description) }

    /// The keys that mean the same for every route that has them, so that one default stands for all grants.
    static let sharedGrantFields: [FieldDescription] = {
        let longest = Registry.routes.compactMap(\.description.grant.lifetime?.longest).max() ?? 1
        return [Grant().credential.description] + Availability().descriptions + Callers().descriptions
            + GrantRates().descriptions + ScopeFields().descriptions + Lifetimes(1000...longest * 1000).descriptions
    }()

    struct GrantRates: FieldGroup {
        let rate = Field("rate", object: GrantRate(), "How often it may be used.")
    }

    /// What every grant may hold whose route has callers.
    struct Callers: FieldGroup {
        let callers = Field(
            "callers", .strings, required: true,
            "`\"anonymous\"`, `\"authenticated\"`, `\"apiKey:ID\"`, `\"jwt:ID\"` or `\"certificate:ID\"`; "
                + "several as a list.")
        let `where` = Field(
            "where", .members,
            "What callers' claims must be: `{ \"claims.scope\": [\"upload\"] }`; one value of each list.")
        let `public` = Field(
            "public", .boolean, default: false, "Must be true for a grant that `anonymous` may use (R10).")
        let unscoped = Field(
            "unscoped", .boolean, default: false,
            "Must be true for a grant that leaves bucket or key open, or whose route gives something of the whole account."
        )
    }

    /// What a grant is for, when it may be used, and from where.
    struct Availability: FieldGroup {
        let description = Field(
            "description", .string, "What the grant is for; `/grants`, `explain` and the audit tell it.")
        let enabled = Field(
            "enabled", .boolean, default: true, "Whether the grant gives anything; with `false` it is only checked.")
        let notBefore = Field("notBefore", .time, "From when on it may be used.")
        let notAfter = Field("notAfter", .time, "Until when it may be used. What it gives ends by then, too.")
        let addresses = Field(
            "addresses", .strings,
            "Addresses and blocks of them (`10.0.0.0/8`, `2001:db8::/32`), of which one has the client's address.")
    }

    /// What grants have that do not say it themselves.
    struct Defaults: FieldGroup {
        let grants = Field(
            "grants", .members,
            "For all grants, as far as their routes have the key; keys of one route alone stand in `routes`.")
        let routes = Field(
            "routes", .members,
            "For the grants of a route: `{ \"qiniu.uptoken\": { credential: \"qiniu\", bucket: \"media\" } }`.")
    }

    struct GrantRate: FieldGroup {
        let perCaller = Field(
            "perCaller", .rate, "What one caller gets by the grant; one address of `anonymous`. Beyond it 429.")
        let perGrant = Field("perGrant", .rate, "What all callers get by the grant together.")
    }
}
